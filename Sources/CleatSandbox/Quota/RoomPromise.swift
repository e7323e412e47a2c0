internal import Synchronization

/// Keeps room in an area for something that comes in parts, until it is let go.
package final class RoomPromise: Sendable {
    private let account: AreaAccount
    private let left: Mutex<AreaUsage>

    init(account: AreaAccount, room: AreaUsage) {
        self.account = account
        left = Mutex(room)
    }

    deinit { release() }

    /// What is still kept.
    package var room: AreaUsage { left.withLock { $0 } }

    /// Gives back what was not used; more than once does nothing.
    package func release() {
        let rest = left.withLock { left in
            defer { left = AreaUsage() }
            return left
        }
        if rest != AreaUsage() { account.release(rest) }
    }

    /// Takes a part out of the promise, so that it can be used in the same step.
    ///
    /// - Returns: how much of what is wanted had been promised.
    func take(_ wanted: AreaUsage, from ledger: inout AreaLedger) -> AreaUsage {
        left.withLock { left in
            let taken = AreaUsage(bytes: min(left.bytes, wanted.bytes), files: min(left.files, wanted.files))
            left = left - taken
            ledger.promised = ledger.promised - taken
            return taken
        }
    }
}
