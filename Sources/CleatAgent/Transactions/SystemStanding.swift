import CleatAPI
import CleatAdapters

/// What is known of how well the system follows the settings.
struct SystemStanding: Sendable {
    /// What somebody else has changed, as it was found the last time.
    var drift: [Drift] = []
    /// What could not be followed at the last start, or when the board's files were read again.
    var unfollowed: [CleatAPI.AdapterResult] = []
    /// What a way back, or the start, has left undone.
    var leftovers: [Leftover] = []

    /// All that could not be done.
    var failures: [CleatAPI.AdapterResult] { unfollowed + leftovers.map(\.result) }

    /// How many findings these are.
    var count: Int { drift.count + unfollowed.count + leftovers.count }
}
