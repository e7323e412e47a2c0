package import CleatSettings

/// The input of one commit.
package struct CommitRequest: Sendable {
    /// The leaves to change; `new` is the requested value.
    ///
    /// The present value is read from the store, not from `old`.
    package var changes: [StoredChange]
    /// The id that the client chose, or one made for it: unique in the store, 1 to 64 bytes.
    package var id: String
    /// The hash of the change set, as the client sent it.
    package var hash: String
    /// The generation that the change was made for; nil to skip the check.
    package var expect: GenerationRef?
    /// The author of the commit.
    package var author: String
    /// The author's reason for the change.
    package var comment: String?
    /// The time of the commit.
    package var stamp: CommitStamp

    /// Creates a request from its parts.
    package init(
        changes: [StoredChange], id: String, hash: String, expect: GenerationRef? = nil, author: String,
        comment: String? = nil, stamp: CommitStamp
    ) {
        self.changes = changes
        self.id = id
        self.hash = hash
        self.expect = expect
        self.author = author
        self.comment = comment
        self.stamp = stamp
    }
}

/// The outcome of a commit.
package enum CommitOutcome: Sendable, Equatable {
    /// The changes are stored as a generation of their own, with the old and new value of each leaf.
    case committed(GenerationRef, [StoredChange])
    /// The settings had the requested values already; nothing was written.
    case unchanged(GenerationRef)
    /// The same changes with the same id were committed before, as this generation.
    case repeated(GenerationRecord)
}
