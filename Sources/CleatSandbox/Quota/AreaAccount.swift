internal import CleatIO
internal import Synchronization

/// The account of an area: its used and reserved bytes and files, and its limits.
///
/// Every step that changes the area is made inside ``change(in:_:)``, so that the account always agrees with the files.
/// The area is counted again before the next step if a step failed halfway, or if another program has changed a
/// directory. The growth of another program's file is noticed only by the next count: ``recordForeignChange()``.
package final class AreaAccount: Sendable {
    private let ledger: Mutex<AreaLedger>

    init(_ ledger: AreaLedger) { self.ledger = Mutex(ledger) }

    /// The limits; a lowered limit applies to later changes.
    package var quota: Quota {
        get { ledger.withLock { $0.quota } }
        set { ledger.withLock { $0.quota = newValue } }
    }

    /// Returns the used bytes and files.
    ///
    /// - Parameter recounting: True to count the area again even if no change was detected.
    /// - Returns: The bytes and files.
    /// - Throws: The reason why it could not be counted.
    package func usage(recounting: Bool = false) throws(SandboxError) -> AreaUsage {
        try change { ledger throws(SandboxError) in
            if recounting { ledger.isStale = true }
            try ledger.refresh()
            return ledger.used
        }
    }

    /// The reserved bytes and files that are not used yet.
    package var reserved: AreaUsage { ledger.withLock { $0.reserved } }

    /// The number of recounts since the area was opened.
    package var recounts: Int { ledger.withLock { $0.recounts } }

    /// Notes that other programs may have changed the area, so that it is counted before the next step.
    package func recordForeignChange() { ledger.withLock { $0.isStale = true } }

    /// Reserves space for later changes, for an upload of known size for instance.
    ///
    /// - Throws: `quotaBytes` or `quotaFiles` if there is not enough space.
    package func reserve(bytes: Int64, files: Int64) throws(SandboxError) -> QuotaReservation {
        let space = AreaUsage(bytes: max(bytes, 0), files: max(files, 0))
        try change { ledger throws(SandboxError) in
            try ledger.makeSpace(for: space, path: .root)
            ledger.reserved = ledger.reserved + space
        }
        return QuotaReservation(account: self, space: space)
    }

    /// Reserves space for files that are restored, regardless of the limits: a revert that a limit stops would leave
    /// half a change.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes.
    ///   - files: The number of files and directories.
    /// - Returns: The reservation, which counts until it is used or released.
    package func claim(bytes: Int64, files: Int64) -> QuotaReservation {
        let space = AreaUsage(bytes: max(bytes, 0), files: max(files, 0))
        ledger.withLock { $0.reserved = $0.reserved + space }
        return QuotaReservation(account: self, space: space)
    }

    func release(_ space: AreaUsage) { ledger.withLock { $0.reserved = $0.reserved - space } }

    /// Makes one step that changes directories; no other step changes or counts the area meanwhile.
    func change<Value>(
        in directories: Descriptor..., body: (inout AreaLedger) throws(SandboxError) -> Value
    ) throws(SandboxError) -> Value {
        // A failure is returned as a result: the lock's closure does not preserve the type of the error.
        let result: Result<Value, SandboxError> = ledger.withLock { ledger in
            ledger.revertUnfinished()
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
        // The locks are always taken in the same order; otherwise two moves in opposite directions could deadlock.
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
