import CleatAPI
import CleatAdapters

/// The sync status: how well the system follows the settings.
struct SyncStatus: Sendable {
    /// The drift that the last comparison has found.
    var drift: [Drift] = []
    /// The failures at the last start, or when the board's files were read again.
    var unfollowed: [AdapterResult] = []
    /// The failed actions of a revert, or of a start.
    var failedActions: [FailedAction] = []

    /// All failures.
    var failures: [AdapterResult] { unfollowed + failedActions.map(\.result) }

    /// The number of findings.
    var count: Int { drift.count + unfollowed.count + failedActions.count }
}
