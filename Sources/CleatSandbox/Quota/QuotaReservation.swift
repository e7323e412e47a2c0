internal import Synchronization

/// A reservation of space in an area for data that arrives in parts; it ends when it is released.
package final class QuotaReservation: Sendable {
    private let account: AreaAccount
    private let remaining: Mutex<AreaUsage>

    init(account: AreaAccount, space: AreaUsage) {
        self.account = account
        remaining = Mutex(space)
    }

    deinit { release() }

    /// The remaining reserved space.
    package var space: AreaUsage { remaining.withLock { $0 } }

    /// Returns the unused space; further calls do nothing.
    package func release() {
        let rest = remaining.withLock { remaining in
            defer { remaining = AreaUsage() }
            return remaining
        }
        if rest != AreaUsage() { account.release(rest) }
    }

    /// Takes a part out of the reservation, so that it can be used in the same step.
    ///
    /// - Returns: The part of `wanted` that was reserved.
    func take(_ wanted: AreaUsage, from ledger: inout AreaLedger) -> AreaUsage {
        remaining.withLock { remaining in
            let taken = AreaUsage(
                bytes: min(remaining.bytes, wanted.bytes), files: min(remaining.files, wanted.files))
            remaining = remaining - taken
            ledger.reserved = ledger.reserved - taken
            return taken
        }
    }
}
