import CleatAPI
import CleatAdapters

/// The sync status: how well the system follows the settings.
struct SystemStanding: Sendable {
    /// The drift that the last comparison has found.
    var drift: [Drift] = []
    /// The failures at the last start, or when the board's files were read again.
    var unfollowed: [CleatAPI.AdapterResult] = []
    /// The failed actions of a revert, or of a start.
    var leftovers: [Leftover] = []

    /// All failures.
    var failures: [CleatAPI.AdapterResult] { unfollowed + leftovers.map(\.result) }

    /// The number of findings.
    var count: Int { drift.count + unfollowed.count + leftovers.count }
}
