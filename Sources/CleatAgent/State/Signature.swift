import CleatAPI

/// The data that one transaction is recorded with.
struct Signature: Sendable {
    /// The id of the transaction: the caller's, or a new one.
    let id: String
    /// The hash of the request.
    let hash: String
    /// The caller.
    let author: Author
    /// The author's comment.
    var comment: String?
    /// The hooks that caused the change; nil if none did.
    let cause: String?
    /// The probes that confirm it, if it is on trial until they hold.
    var probes: [Probe] = []
}
