import CleatAPI
import CleatJSON

extension SettingsDocument {
    /// What the service refused, each at its place in the text; nil where the error is about something else.
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
    /// The error with the places in a text in front of what was refused.
    func located(in document: SettingsDocument, _ source: TextFile) -> CommandError {
        guard let complaints = document.complaints(about: self) else { return self }
        var error = self
        error.details = complaints.map { $0.isElsewhere ? $0.message : source.line($0.position, $0.message) }
        return error
    }

    /// Whether the settings are no longer what a change was made for.
    var isConflict: Bool {
        if case .conflict = APIError(name: code, parameters: parameters) { true } else { false }
    }
}
