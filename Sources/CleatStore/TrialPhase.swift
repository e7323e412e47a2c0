/// The phase of a trial, as far as a restart of the service needs it.
package enum TrialPhase: Sendable, Hashable {
    /// Everything that a revert needs is stored; nothing has an effect yet.
    case armed
    /// An adapter is being applied.
    case applying(adapter: String)
    /// Everything is applied; the trial waits for its confirmation, until its deadline.
    case awaitingConfirm
    /// The revert has started; the change can no longer be confirmed.
    case reverting
    /// The revert failed; it can be tried again.
    case revertFailed
    /// A phase that this release does not know; a later one wrote it.
    case other(String)

    /// The phase as a word in the store's table.
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
