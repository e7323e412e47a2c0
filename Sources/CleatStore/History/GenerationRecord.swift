package import CleatSettings

/// A row of the history: the change of a generation at one path.
package typealias StoredChange = SettingDifference

/// The history's record of one generation.
package struct GenerationRecord: Sendable, Equatable {
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
    /// The state of the generation.
    package var state: GenerationState
    /// The leaves that changed, sorted by the bytes of their paths.
    package var changes: [StoredChange]
    /// The results of applying the generation, as text of the caller; nil if none were stored.
    package var results: String?

    /// The comment, the note and an unknown state, as a text for the history; nil if there is none of them.
    package var remarks: String? {
        var parts = [comment.flatMap { $0.isEmpty ? nil : $0 }, note?.text].compactMap(\.self)
        if case .other(let word) = state { parts.append("in the state “\(word)” of a later release") }
        return parts.isEmpty ? comment : parts.joined(separator: "; ")
    }
}

/// The state of a generation in the history.
package enum GenerationState: Sendable, Equatable {
    /// The device boots with it, or did until a later one.
    case confirmed
    /// It is on trial: the device does not boot with it.
    case pending
    /// It was on trial and was reverted: the device never booted with it.
    case reverted
    /// It was written when the settings were restored from the second copy, or after the log was lost or damaged; its
    /// changes are not known.
    case restored
    /// A state that this release does not know; a later one wrote it.
    case other(String)

    /// The state as a word in the store's table.
    package var word: String {
        switch self {
        case .confirmed: "confirmed"
        case .pending: "pending"
        case .reverted: "reverted"
        case .restored: "restored"
        case .other(let word): word
        }
    }

    init(word: String) {
        let known: [GenerationState] = [.confirmed, .pending, .reverted, .restored]
        self = known.first { $0.word == word } ?? .other(word)
    }
}
