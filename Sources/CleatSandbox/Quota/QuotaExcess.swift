/// Says how far a quota does not reach: what is used, what may be, and what was asked for, in bytes or in files.
package struct QuotaExcess: Sendable, Hashable {
    /// What the area holds, and what is kept in it for uploads.
    package let used: Int64
    /// The most that it may hold.
    package let limit: Int64
    /// What was to be added.
    package let asked: Int64
}
