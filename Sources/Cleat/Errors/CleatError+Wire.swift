package import CleatAPI
import CleatVarlink
import SystemPackage

extension CleatError {
    /// Describes a failed call to the service.
    init(_ error: VarlinkClientError, socket: String) {
        if let remote = error.remote {
            self.init(remote)
            return
        }
        switch error.code {
        case .connect where error.errno == .permissionDenied || error.errno == .notPermitted:
            self.init(.denied, "\(error)", remedy: Self.membership)
        case .connect, .closed, .transport:
            self.init(
                .unreachable, "\(error)",
                remedy: "start cleatd, or name its socket with \(ServiceSocket.variable) (now \(socket))")
        case .timedOut: self.init(.timedOut, "\(error)", remedy: "see what keeps cleatd busy: `cleat status`")
        case .tooLarge: self.init(.refused, "\(error)", remedy: "split the changes over several edits")
        default: self.init(.notUnderstood, "\(socket): \(error)", remedy: Self.versions)
        }
    }

    private init(_ error: VarlinkError) {
        if let known = APIError(error) {
            self.init(known)
            return
        }
        let gap = VersionGap(error)
        self.init(
            .notUnderstood, gap?.message ?? "the service answered \(error)", remedy: gap?.remedy ?? Self.versions)
    }

    /// Describes an error that the service returned.
    package init(_ error: APIError) {
        switch error {
        case .invalidPath(let path, let message):
            self.init(.refused, message, problems: [Problem(path: path, code: "path", reason: "is not a valid path")])
        case .unknownSetting(let path, let message):
            let start = path + " "
            let reason = message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
            self.init(
                .refused, "a setting is unknown; nothing was changed",
                problems: [Problem(path: path, code: "unknown", reason: reason)])
        case .invalidValue(let problems):
            self.init(
                .refused,
                problems.count == 1
                    ? "a value was refused; nothing was changed"
                    : "\(problems.count) values were refused; nothing was changed",
                problems: problems.map(Problem.init))
        case .settingLocked(let problems):
            self.init(
                .locked, "settings are locked; nothing was changed",
                remedy: problems.first.map { "see `cleat why \($0.path)` for the lock and its file" },
                problems: problems.map(Problem.init))
        case .tooManyChanges(_, let message):
            self.init(.refused, message, remedy: "split the changes over several edits")
        case .invalidEvent(let message): self.init(.refused, message)
        case .rateLimited(_, let message): self.init(.rateLimited, message)
        case .conflict(_, let message): self.init(.conflict, message)
        case .unknownGeneration(_, let message): self.init(.refused, message)
        case .snapshots(let error):
            self.init(error.kind == .damagedObject ? .failed : .refused, error.message)
        case .transactionPending(_, let message): self.init(.pending, message)
        case .noTransaction(_, let message), .unknownTransaction(_, let message): self.init(.ended, message)
        case .storeFailed(_, let message):
            self.init(.failed, message, remedy: "see `cleat status` and the service's log")
        case .permissionDenied(let message): self.init(.denied, message, remedy: Self.membership)
        case .tooManyConnections: self.init(.unreachable, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }

    /// Returns the error for a reply that does not match the interface's declaration.
    static func garbled(_ method: String, _ error: any Error) -> CleatError {
        CleatError(.notUnderstood, "the answer to \(method) is not understood: \(error)", remedy: versions)
    }

    /// Returns the error for a service that does not answer in time.
    static func silence(_ socket: String, _ limit: Duration) -> CleatError {
        CleatError(
            .timedOut, "no answer from \(socket) within \(limit)",
            remedy: "see what keeps cleatd busy: `cleat status`")
    }

    /// Returns the error for a secret whose value was withheld.
    static func secret(_ path: String) -> CleatError {
        CleatError(
            .denied, "\(path) is a secret, and its value was not sent",
            remedy: "run as root or the service's own user, and connect with `revealingSecrets: true`")
    }

    private static let membership =
        "add the program's user to the group `cleat`, or run it as root or the service's own user"
    /// The next step after an answer that this library does not understand.
    static let versions = "compare `cleat --version` and `cleat status`: the service may be of another version"
}

extension CleatError.Problem {
    init(_ refused: RefusedChange) {
        self.init(path: refused.path, code: refused.code, reason: refused.reason, value: refused.value)
    }
}
