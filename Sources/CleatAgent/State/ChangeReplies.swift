import CleatVarlink
import Synchronization

/// The reply for one change, which is written once for all watchers that follow all of its paths.
///
/// It is used only by watchers that are as quick as the first one: the state is still the same then.
final class ChangeReplies: Sendable {
    /// The size of a reply in bytes that is kept until all watchers have it; larger ones are written for each.
    private static let keptBytes = 16_384

    private let known = Mutex<(revision: UInt64, reply: VarlinkReply)?>(nil)

    /// Returns the reply that was written for a revision of the state; nil if there is none.
    subscript(revision: UInt64) -> VarlinkReply? {
        known.withLock { known in known.flatMap { $0.revision == revision ? $0.reply : nil } }
    }

    /// Keeps the only reply for the change, written for a revision of the state.
    func keep(_ reply: VarlinkReply, at revision: UInt64) {
        guard reply.size <= Self.keptBytes else { return }
        known.withLock { $0 = (revision, reply) }
    }
}
