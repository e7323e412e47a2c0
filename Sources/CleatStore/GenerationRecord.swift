/// Holds what the history says of one generation.
package struct GenerationRecord: Sendable, Hashable {
    /// The generation's number.
    package var number: Int64
    /// The id of the commit.
    package var id: String
    /// The hash of the change set; empty where the generation undoes a trial, or came from the second copy.
    package var hash: String
    /// When it was committed.
    package var stamp: CommitStamp
    /// Who committed.
    package var author: String
    /// Why.
    package var comment: String?
    /// `confirmed`; `pending` while it is on trial, `reverted` where the trial was undone; or `restored` for a
    /// generation that came from the second copy and whose changes are not known.
    package var state: String
    /// The leaves that changed, sorted by the bytes of their paths.
    package var changes: [StoredChange]
    /// What came of it, in the words of whoever made the system follow; nil where nothing is known of that.
    package var results: String?

    /// The state of a generation that is what boots, or was until a later one.
    package static let confirmed = "confirmed"
    /// The state of a generation that is on trial: it is not what boots.
    package static let pending = "pending"
    /// The state of a generation that was on trial and was undone: it never was what boots.
    package static let reverted = "reverted"
    /// The state of a generation that came from the second copy.
    package static let restored = "restored"
}
