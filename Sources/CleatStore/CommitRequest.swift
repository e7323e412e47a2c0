package import CleatAPI

/// Holds everything that one commit writes.
package struct CommitRequest: Sendable {
    /// The leaves that change; `new` is what shall be there.
    ///
    /// What is there now is read from the store, not from `old`.
    package var changes: [StoredChange]
    /// The id that the client chose, or one made for it: unique in the store, 1 to 64 bytes.
    package var id: String
    /// The hash of the change set, as the client sent it.
    package var hash: String
    /// The state that the change was made for; nil when it does not matter.
    package var expect: GenerationRef?
    /// Who commits.
    package var author: String
    /// Why, in the author's words.
    package var comment: String?
    /// When.
    package var stamp: CommitStamp

    /// Takes what one commit writes.
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
