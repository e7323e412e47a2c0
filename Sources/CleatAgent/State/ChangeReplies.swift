import CleatVarlink
import Synchronization

/// The replies for one change, which are written once for all watchers that follow all of its paths.
final class ChangeReplies: Sendable {
    private let known = Mutex<[VarlinkReply]?>(nil)

    /// Returns the replies; the first caller makes them.
    func replies(_ make: () -> [VarlinkReply]) -> [VarlinkReply] {
        known.withLock { known in
            if let known { return known }
            let made = make()
            known = made
            return made
        }
    }
}
