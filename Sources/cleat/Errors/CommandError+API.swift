import CleatAPI

extension CommandError {
    /// Says what an error of the service means to the one at the command line.
    init(_ error: APIError) {
        let (status, layer, remedy) = Self.meaning(of: error)
        self.init(
            status: status, layer: layer, code: error.name, message: Self.sentence(of: error), details: [],
            remedy: remedy, parameters: error.parameters)
        if case .invalidValue(let problems) = error {
            details = problems.map { "\($0.path): \($0.reason)" }
        }
    }

    private static func sentence(of error: APIError) -> String {
        switch error {
        case .invalidValue(let problems) where problems.count == 1: "a value was refused; nothing was changed"
        case .invalidValue(let problems): "\(problems.count) values were refused; nothing was changed"
        default: error.description.isEmpty ? "the service answered \(error.name)" : error.description
        }
    }

    private static func meaning(of error: APIError) -> (CommandStatus, Layer, String?) {
        switch error {
        case .invalidPath:
            (.invalid, .validate, "a path looks like network/interfaces/eth0/mtu; see `cleat describe`")
        case .unknownSetting:
            (.invalid, .validate, "see `cleat describe` for the settings that there are")
        case .invalidValue(let problems):
            (
                .invalid, .validate,
                problems.first.map { "see `cleat describe \($0.path)` for what is allowed" }
            )
        case .tooManyChanges:
            (.invalid, .validate, "split the changes over several calls")
        case .conflict:
            (.conflict, .validate, "read the settings again, then repeat the change with the generation of now")
        case .idReused:
            (.conflict, .validate, "choose another --id for another change")
        case .unknownGeneration:
            (.invalid, .validate, "see `cleat log` for the generations that there are")
        case .storeFailed:
            (.failure, .store, "see `cleat status` and the service's log")
        case .tooSlow:
            (.failure, .speak, "start again; the present state comes first")
        case .notStreaming:
            (.failure, .speak, nil)
        case .unknownHook:
            (.invalid, .lookup, "see `cleat hook list` for the hooks that there are")
        case .permissionDenied:
            (.denied, .authorise, "ask to be made a member of the group `cleat`, or use sudo")
        case .tooManyConnections:
            (.unavailable, .connect, nil)
        }
    }
}
