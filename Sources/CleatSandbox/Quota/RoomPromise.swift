internal import Synchronization

/// A reservation of space in an area for data that arrives in parts; it ends when it is released.
package final class RoomPromise: Sendable {
    private let account: AreaAccount
    private let left: Mutex<AreaUsage>

    init(account: AreaAccount, room: AreaUsage) {
        self.account = account
        left = Mutex(room)
    }

    deinit { release() }

    /// The remaining reserved space.
    package var room: AreaUsage { left.withLock { $0 } }

    /// Returns the unused space; further calls do nothing.
    package func release() {
        let rest = left.withLock { left in
            defer { left = AreaUsage() }
            return left
        }
        if rest != AreaUsage() { account.release(rest) }
    }

    /// Takes a part out of the reservation, so that it can be used in the same step.
    ///
    /// - Returns: The part of `wanted` that was reserved.
    func take(_ wanted: AreaUsage, from ledger: inout AreaLedger) -> AreaUsage {
        left.withLock { left in
            let taken = AreaUsage(bytes: min(left.bytes, wanted.bytes), files: min(left.files, wanted.files))
            left = left - taken
            ledger.promised = ledger.promised - taken
            return taken
        }
    }
}
