/// Says how far a trial has come, as far as a restart of the service must know.
package enum TrialPhase: Sendable, Hashable {
    /// All is written that the way back needs; nothing has an effect yet.
    case armed
    /// An adapter is being applied.
    case applying(adapter: String)
    /// All is applied; the trial waits for its confirmation, until its deadline.
    case awaitingConfirm
    /// The way back has begun, so that there is no other any more.
    case reverting
    /// The way back did not come to its end; it can be tried again.
    case revertFailed
    /// A phase that this release does not know; a later one wrote it.
    case other(String)

    /// The phase as the store's table has it.
    package var word: String {
        switch self {
        case .armed: "armed"
        case .applying: "applying"
        case .awaitingConfirm: "awaiting_confirm"
        case .reverting: "reverting"
        case .revertFailed: "revert_failed"
        case .other(let word): word
        }
    }

    /// The adapter that is being applied; nil in every other phase.
    package var adapter: String? {
        guard case .applying(let adapter) = self else { return nil }
        return adapter
    }

    init(word: String, adapter: String?) {
        self =
            switch word {
            case "armed": .armed
            case "applying": .applying(adapter: adapter ?? "")
            case "awaiting_confirm": .awaitingConfirm
            case "reverting": .reverting
            case "revert_failed": .revertFailed
            default: .other(word)
            }
    }
}
