import CleatAPI
import CleatJSON

extension SettingsDocument {
    /// Returns the service's refusals with their positions in the text; nil for any other error.
    func complaints(about error: CommandError) -> [Complaint]? {
        guard let known = APIError(name: error.code, parameters: error.parameters) else { return nil }
        switch known {
        case .invalidValue(let problems), .settingLocked(let problems):
            return problems.map {
                Complaint(
                    position: position(of: $0.path), message: "\($0.path): \($0.reason)",
                    isElsewhere: isElsewhere($0.path))
            }
        case .unknownSetting(let path, let message), .invalidPath(let path, let message):
            return [Complaint(position: position(of: path), message: message)]
        default: return nil
        }
    }
}

extension CommandError {
    /// Returns the error with the position in the text before each refusal.
    func located(in document: SettingsDocument, _ source: TextFile) -> CommandError {
        guard let complaints = document.complaints(about: self) else { return self }
        var error = self
        error.details = complaints.map { $0.isElsewhere ? $0.message : source.line($0.position, $0.message) }
        return error
    }

    /// True if the settings have changed since the generation that the change was based on.
    var isConflict: Bool {
        if case .conflict = APIError(name: code, parameters: parameters) { true } else { false }
    }
}
