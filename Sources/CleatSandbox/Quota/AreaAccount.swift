internal import CleatIO
internal import Synchronization

/// Keeps the account of what an area holds and may hold: bytes and files, and what has been promised to uploads.
///
/// Every step that changes the area is made inside ``change(in:_:)``, so that the account and the files agree whenever
/// anybody can look. A step that fails half way has the area counted again before the next step, and so has a directory
/// that others have changed since. That a file of others grows is noticed by the next count: ``noteForeignChange()``.
package final class AreaAccount: Sendable {
    private let ledger: Mutex<AreaLedger>

    init(_ ledger: AreaLedger) { self.ledger = Mutex(ledger) }

    /// The limits; a lower one is kept to by what comes later.
    package var quota: Quota {
        get { ledger.withLock { $0.quota } }
        set { ledger.withLock { $0.quota = newValue } }
    }

    /// What the area holds.
    ///
    /// - Parameter recounting: whether it is counted again even where nothing speaks for a change.
    /// - Returns: bytes and files.
    /// - Throws: why it could not be counted.
    package func usage(recounting: Bool = false) throws(SandboxError) -> AreaUsage {
        try change { ledger throws(SandboxError) in
            if recounting { ledger.isStale = true }
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
        let room = AreaUsage(bytes: max(bytes, 0), files: max(files, 0))
        try change { ledger throws(SandboxError) in
            try ledger.makeRoom(for: room, path: .root)
            ledger.promised = ledger.promised + room
        }
        return RoomPromise(account: self, room: room)
    }

    /// Keeps room for what comes back to where it was, whatever the limits are by now: a way back that a limit stops would
    /// leave half a change.
    ///
    /// - Parameters:
    ///   - bytes: how many.
    ///   - files: how many files and directories.
    /// - Returns: the room, which counts until it is used or released.
    package func claim(bytes: Int64, files: Int64) -> RoomPromise {
        let room = AreaUsage(bytes: max(bytes, 0), files: max(files, 0))
        ledger.withLock { $0.promised = $0.promised + room }
        return RoomPromise(account: self, room: room)
    }

    func release(_ room: AreaUsage) { ledger.withLock { $0.promised = $0.promised - room } }

    /// Makes one step that changes directories: nobody else changes the area, or counts it, meanwhile.
    func change<Value>(
        in directories: Descriptor..., body: (inout AreaLedger) throws(SandboxError) -> Value
    ) throws(SandboxError) -> Value {
        // A failure leaves by a result: the lock's own closure does not keep the type of what is thrown.
        let result: Result<Value, SandboxError> = ledger.withLock { ledger in
            ledger.settle()
            for directory in directories { ledger.look(at: directory) }
            defer { for directory in directories { ledger.remember(directory) } }
            do throws(SandboxError) {
                return .success(try body(&ledger))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Makes one step that cannot fail.
    func update(in directory: Descriptor, body: (inout AreaLedger) -> Void) {
        ledger.withLock { ledger in
            ledger.look(at: directory)
            body(&ledger)
            ledger.remember(directory)
        }
    }

    /// Makes one step that changes two areas, which may be one and the same.
    static func change<Value>(
        _ source: AreaAccount, in sourceDirectory: Descriptor, _ target: AreaAccount, in targetDirectory: Descriptor,
        body: (inout AreaLedger, inout AreaLedger) throws(SandboxError) -> Value
    ) throws(SandboxError) -> Value {
        // The locks are always taken in one order, or two moves against each other would wait for ever.
        if ObjectIdentifier(source) < ObjectIdentifier(target) {
            return try source.change(in: sourceDirectory) { from throws(SandboxError) in
                try target.change(in: targetDirectory) { to throws(SandboxError) in try body(&from, &to) }
            }
        }
        return try target.change(in: targetDirectory) { to throws(SandboxError) in
            try source.change(in: sourceDirectory) { from throws(SandboxError) in try body(&from, &to) }
        }
    }
}
