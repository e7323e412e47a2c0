/// An error that a Cleat interface declares, with what it carries on the wire.
package enum APIError: Error, Hashable, Sendable {
    /// The text is not a path.
    case invalidPath(path: String, message: String)
    /// No schema knows the path.
    case unknownSetting(path: String, message: String)
    /// The schema refuses values; all of them are named.
    case invalidValue([RefusedChange])
    /// Locks deny changes; all of them are named.
    case settingLocked([RefusedChange])
    /// The change set is too large.
    case tooManyChanges(limit: Int, message: String)
    /// The settings are no longer those that the change was made for.
    case conflict(GenerationRef, message: String)
    /// The id belongs to another change set.
    case idReused(id: String, generation: Int64, message: String)
    /// The history has no such generation.
    case unknownGeneration(generation: Int64, message: String)
    /// The store could not read or write.
    case storeFailed(code: String, message: String)
    /// The client read too slowly and is disconnected.
    case tooSlow(lost: Int64, message: String)
    /// The method must be called with `more`.
    case notStreaming(message: String)
    /// There is no such hook.
    case unknownHook(name: String, message: String)
    /// The caller may not do this.
    case permissionDenied(message: String)
    /// Too many clients are connected.
    case tooManyConnections(limit: Int)
    /// Another change is on trial.
    case transactionPending(TrialSummary, message: String)
    /// No change is on trial.
    case noTransaction(id: String, message: String)
    /// Another change than the one named is on trial.
    case unknownTransaction(id: String, message: String)
    /// The system could not be changed and is as it was before.
    case notApplied(id: String, generation: Int64, results: [AdapterResult], message: String)
    /// A change could not be undone as a whole.
    case notReverted(id: String, generation: Int64, results: [AdapterResult], message: String)
    /// Something about files.
    case files(FilesError)
    /// Something about snapshots.
    case snapshots(SnapshotsError)
}

extension APIError: CustomStringConvertible {
    /// The error as one sentence.
    package var description: String {
        switch self {
        case .invalidPath(_, let message), .unknownSetting(_, let message), .tooManyChanges(_, let message),
            .conflict(_, let message), .idReused(_, _, let message), .unknownGeneration(_, let message),
            .storeFailed(_, let message), .tooSlow(_, let message), .notStreaming(let message),
            .unknownHook(_, let message), .permissionDenied(let message), .transactionPending(_, let message),
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
