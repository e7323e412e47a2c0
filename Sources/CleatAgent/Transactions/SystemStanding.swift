import CleatAPI
import CleatAdapters

/// What is known of how well the system follows the settings.
struct SystemStanding: Sendable {
    /// What somebody else has changed, as it was found the last time.
    var drift: [Drift] = []
    /// What could not be followed at the last start, or when the board's files were read again.
    var failures: [CleatAPI.AdapterResult] = []

    /// How many findings these are.
    var count: Int { drift.count + failures.count }
}
