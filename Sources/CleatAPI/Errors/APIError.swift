package import CleatSettings

/// An error that a Cleat interface declares, with its parameters on the wire.
package enum APIError: Error, Equatable, Sendable {
    /// The text is not a valid path.
    case invalidPath(path: String, message: String)
    /// No schema knows the path.
    case unknownSetting(path: String, message: String)
    /// The schema refuses values; all of them are listed.
    case invalidValue([RefusedChange])
    /// Locks deny changes; all of them are listed.
    case settingLocked([RefusedChange])
    /// The change set is too large.
    case tooManyChanges(limit: Int, message: String)
    /// The settings have changed since the state that the change expects.
    case conflict(GenerationRef, message: String)
    /// The id belongs to another change set.
    case idReused(id: String, generation: Int64, message: String)
    /// The history has no such generation.
    case unknownGeneration(generation: Int64, message: String)
    /// An installed schema could not be enabled, disabled or read.
    case schemaRefused(name: String, message: String)
    /// The store could not be read or written.
    case storeFailed(code: String, message: String)
    /// The client read too slowly and is disconnected.
    case tooSlow(lost: Int64, message: String)
    /// The method replies more than once and must be called with `more`.
    case notStreaming(message: String)
    /// The event of a program is not valid.
    case invalidEvent(message: String)
    /// The caller's user emits too many events; the wait is in milliseconds.
    case rateLimited(wait: Int64, message: String)
    /// No hook in force has this name.
    case unknownHook(name: String, message: String)
    /// The caller lacks the right for the operation.
    case permissionDenied(message: String)
    /// Too many clients are connected.
    case tooManyConnections(limit: Int)
    /// Another change is on trial; the summary is nil if this release cannot read it.
    case transactionPending(TrialSummary?, message: String)
    /// No change is on trial.
    case noTransaction(id: String, message: String)
    /// The change on trial has another id.
    case unknownTransaction(id: String, message: String)
    /// The system could not be changed; its former state is restored.
    case notApplied(id: String, generation: Int64, results: [AdapterResult], message: String)
    /// A change could not be reverted completely.
    case notReverted(id: String, generation: Int64, results: [AdapterResult], message: String)
    /// An error of `dev.cleat.Files`.
    case files(FilesError)
    /// An error of `dev.cleat.Snapshots`.
    case snapshots(SnapshotsError)
}

extension APIError: CustomStringConvertible {
    /// The error as one sentence.
    package var description: String {
        switch self {
        case .invalidPath(_, let message), .unknownSetting(_, let message), .tooManyChanges(_, let message),
            .conflict(_, let message), .idReused(_, _, let message), .unknownGeneration(_, let message),
            .storeFailed(_, let message), .tooSlow(_, let message), .notStreaming(let message),
            .invalidEvent(let message), .rateLimited(_, let message), .unknownHook(_, let message),
            .schemaRefused(_, let message),
            .permissionDenied(let message), .transactionPending(_, let message),
            .noTransaction(_, let message), .unknownTransaction(_, let message), .notApplied(_, _, _, let message),
            .notReverted(_, _, _, let message):
            message
        case .invalidValue(let problems), .settingLocked(let problems):
            problems.map { "\($0.path): \($0.reason)" }.joined(separator: "; ")
        case .tooManyConnections(let limit):
            "the limit of \(limit) connections is reached; close one, or try again when one has ended"
        case .files(let error): error.message
        case .snapshots(let error): error.message
        }
    }
}
