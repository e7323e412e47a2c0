/// The numbers of an exceeded quota: the usage, the limit and the request, in bytes or in files.
package struct QuotaExcess: Sendable, Hashable {
    /// The usage, including the space reserved for uploads.
    package let used: Int64
    /// The limit.
    package let limit: Int64
    /// The requested increase.
    package let asked: Int64
}
