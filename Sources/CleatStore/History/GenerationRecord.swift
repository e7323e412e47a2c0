package import CleatSettings

/// A row of the history: the change of a generation at one path.
package typealias StoredChange = SettingDifference

/// The history's record of one generation.
package struct GenerationRecord: Sendable, Hashable {
    /// The generation's number.
    package var number: Int64
    /// The id of the commit.
    package var id: String
    /// The hash of the change set; empty if the generation reverts a trial, or was written by a repair of the store.
    package var hash: String
    /// The time of the commit.
    package var stamp: CommitStamp
    /// The author of the commit.
    package var author: String
    /// The author's reason for the change.
    package var comment: String?
    /// The part of the service in it; nil if it had none.
    package var note: GenerationNote?
    /// The state: `confirmed`; `pending` while it is on trial; `reverted` after a reverted trial; or `restored` for a
    /// generation that was written by a repair of the store and whose changes are not known.
    package var state: String
    /// The leaves that changed, sorted by the bytes of their paths.
    package var changes: [StoredChange]
    /// The results of applying the generation, as text of the caller; nil if none were stored.
    package var results: String?

    /// The comment and the note, as a text for the history; nil if there is neither.
    package var remarks: String? {
        let parts = [comment.flatMap { $0.isEmpty ? nil : $0 }, note?.text].compactMap(\.self)
        return parts.isEmpty ? comment : parts.joined(separator: "; ")
    }

    /// The state of a generation with which the device boots, or did until a later one.
    package static let confirmed = "confirmed"
    /// The state of a generation that is on trial: the device does not boot with it.
    package static let pending = "pending"
    /// The state of a generation that was on trial and was reverted: the device never booted with it.
    package static let reverted = "reverted"
    /// The state of a generation that was written when the settings were restored from the second copy, or after the
    /// log was lost or damaged.
    package static let restored = "restored"
}
