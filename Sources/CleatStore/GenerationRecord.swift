/// The history's record of one generation.
package struct GenerationRecord: Sendable, Hashable {
    /// The generation's number.
    package var number: Int64
    /// The id of the commit.
    package var id: String
    /// The hash of the change set; empty if the generation undoes a trial, or was written by a repair of the store.
    package var hash: String
    /// The time of the commit.
    package var stamp: CommitStamp
    /// The author of the commit.
    package var author: String
    /// The author's reason for the change.
    package var comment: String?
    /// The state: `confirmed`; `pending` while it is on trial; `reverted` if the trial was undone; or `restored` for a
    /// generation that was written by a repair of the store and whose changes are not known.
    package var state: String
    /// The leaves that changed, sorted by the bytes of their paths.
    package var changes: [StoredChange]
    /// The results of applying the generation, as text of the caller; nil if none were stored.
    package var results: String?

    /// The state of a generation with which the device boots, or did until a later one.
    package static let confirmed = "confirmed"
    /// The state of a generation that is on trial: the device does not boot with it.
    package static let pending = "pending"
    /// The state of a generation that was on trial and was undone: the device never booted with it.
    package static let reverted = "reverted"
    /// The state of a generation that was written when the settings were restored from the second copy, or after the
    /// log was lost or damaged.
    package static let restored = "restored"
}
