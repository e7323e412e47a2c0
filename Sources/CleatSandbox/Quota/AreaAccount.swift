internal import Synchronization

/// Keeps the account of what an area holds and may hold: bytes and files, and what has been promised to uploads.
///
/// Every step that changes the area is made inside ``change(_:)``, so that the account and the files agree whenever
/// anybody can look. A step that fails half way, and anything that others do in the area, has the area counted again
/// before the next step.
package final class AreaAccount: Sendable {
    private let ledger: Mutex<AreaLedger>

    init(area: Area, quota: Quota, usage: AreaUsage, count: @escaping @Sendable () throws(SandboxError) -> AreaUsage) {
        ledger = Mutex(AreaLedger(area: area, quota: quota, used: usage, count: count))
    }

    /// The limits; a lower one is kept to by what comes later.
    package var quota: Quota {
        get { ledger.withLock { $0.quota } }
        set { ledger.withLock { $0.quota = newValue } }
    }

    /// What the area holds, counted again where others have changed it.
    ///
    /// - Throws: why it could not be counted.
    package func usage() throws(SandboxError) -> AreaUsage {
        try change { ledger throws(SandboxError) in
            try ledger.refresh()
            return ledger.used
        }
    }

    /// What is promised and not used yet.
    package var promised: AreaUsage { ledger.withLock { $0.promised } }

    /// How often the area was counted since it was opened.
    package var recounts: Int { ledger.withLock { $0.recounts } }

    /// Says that others may have changed the area, so that it is counted before the next step.
    package func noteForeignChange() { ledger.withLock { $0.isStale = true } }

    /// Keeps room for what is to come: an upload of known length.
    ///
    /// - Throws: `quotaBytes` or `quotaFiles`, where there is not as much room.
    package func promise(bytes: Int64, files: Int64) throws(SandboxError) -> RoomPromise {
        let room = AreaUsage(bytes: bytes, files: files)
        try change { ledger throws(SandboxError) in
            try ledger.makeRoom(for: room, path: "")
            ledger.promised = ledger.promised + room
        }
        return RoomPromise(account: self, room: room)
    }

    func release(_ room: AreaUsage) { ledger.withLock { $0.promised = $0.promised - room } }

    /// Makes one step that cannot fail.
    func update(_ body: (inout AreaLedger) -> Void) { ledger.withLock { body(&$0) } }

    /// Makes one step that changes the area: nobody else changes it, or counts it, meanwhile.
    func change<Value>(
        _ body: (inout AreaLedger) throws(SandboxError) -> Value
    ) throws(SandboxError) -> Value {
        // A failure leaves by a result: the lock's own closure does not keep the type of what is thrown.
        let result: Result<Value, SandboxError> = ledger.withLock { ledger in
            do throws(SandboxError) {
                return .success(try body(&ledger))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
