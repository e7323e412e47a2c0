import CleatSandbox
import CleatSettings

/// The second copy of a store's settings next to the database, and its schedule.
package final class SecondCopyWriter {
    private let store: StoreDatabase
    /// The schedule; nil until it is needed, when the whole copy is read.
    private var schedule: CopyPolicy?

    private var policy: CopyPolicy {
        get {
            if let schedule { return schedule }
            // A damaged copy counts as none, and is written again.
            let read = CopyPolicy(interval: store.limits.copyInterval, last: Self.readHeader(in: store.directory))
            schedule = read
            return read
        }
        set { schedule = newValue }
    }

    init(_ store: StoreDatabase) {
        self.store = store
    }

    /// The generation of the copy on the device, if its content was checked, else what it states; nil if there is no
    /// copy.
    var stated: GenerationRef? {
        if let schedule { return schedule.last?.generation }
        let head = try? store.directory.head(of: StoreFormat.copyName, count: SecondCopy.headerBytes, writing: false)
        return head.flatMap { SecondCopy.header(of: $0.bytes)?.generation }
    }

    /// The generation of the copy on the device; nil if there is no copy.
    var copied: GenerationRef? { policy.last?.generation }

    /// True if the copy on the device holds another state than the confirmed settings.
    var isStale: Bool { policy.isStale(store.generation) }

    /// Returns the time to wait before the second copy is due, in milliseconds; nil if no copy is needed.
    package func delay(bootID: String, bootTime: Int64) -> Int64? {
        if store.refusal != nil { return nil }
        policy.interval = store.limits.copyInterval
        return policy.delay(for: store.generation, bootID: bootID, bootTime: bootTime)
    }

    /// Writes the second copy if it is due.
    ///
    /// - Returns: true if it was written.
    /// - Throws: the reason why it could not be written; the store itself is intact.
    @discardableResult
    package func writeIfDue(_ stamp: CommitStamp) throws(StoreError) -> Bool {
        guard delay(bootID: stamp.bootID, bootTime: stamp.bootTime) == 0 else { return false }
        try write(stamp)
        return true
    }

    /// Writes the copy.
    func write(_ stamp: CommitStamp) throws(StoreError) {
        let database = try store.open()
        let header = SecondCopy.Header(generation: store.generation, bootID: stamp.bootID, bootTime: stamp.bootTime)
        var bytes = Array(SecondCopy.opening(header).utf8)
        var isFirst = true
        var sum = SettingsSum()
        try store.sqlite { () throws(SQLiteError) in
            let rows = try database.prepare("SELECT path, value FROM settings ORDER BY path")
            while try rows.step() {
                let (path, value): (String, String) = (try rows.column(0), try rows.column(1))
                SecondCopy.append(path, value, isFirst: isFirst, to: &bytes)
                sum.add(path, value)
                isFirst = false
            }
        }
        guard sum == store.figures.settingsSum else {
            policy.failed = stamp.bootTime
            throw StoreError(
                .copyFailed, store.directory.path(of: StoreFormat.copyName),
                "The stored settings are damaged, so the second copy of them stays as it is; start the program again, and see "
                    + "'cleat doctor'.")
        }
        if isFirst { bytes.append(UInt8(ascii: "\n")) }
        SecondCopy.close(&bytes)
        do throws(DurableFileError) {
            try DurableFile.write(bytes, to: StoreFormat.copyName, in: store.directory.descriptor)
            policy.last = header
            policy.failed = nil
        } catch {
            policy.failed = stamp.bootTime
            throw StoreError(.copyFailed, store.directory.path(of: StoreFormat.copyName), error.description)
        }
        store.wear.addBeside(bytes: bytes.count, syncs: 2)
    }

    /// Reads the copy; one that cannot be read is quarantined, and added to the list.
    func read(quarantining files: inout [QuarantinedFile]) throws(StoreError) -> SecondCopy? {
        let name = StoreFormat.copyName
        guard
            let file = try store.directory.head(of: name, count: Int(clamping: SecondCopy.largest), writing: false)
        else { return nil }
        let (copy, reason) = SecondCopy.read(file.bytes)
        if let copy { return copy }
        files += try Quarantine(directory: store.directory).move([name], reason: reason)
        return nil
    }

    /// Reads the header of the second copy; nil if there is none, or its checksum does not match.
    private static func readHeader(in directory: StoreDirectory) -> SecondCopy.Header? {
        guard
            let file = try? directory.head(
                of: StoreFormat.copyName, count: Int(clamping: SecondCopy.largest), writing: false),
            SecondCopy.isWhole(file.bytes)
        else { return nil }
        return SecondCopy.header(of: file.bytes)
    }
}

/// The schedule of the second copy: it is written at most once in an interval, also across restarts of the service.
struct CopyPolicy {
    /// The least time between two copies, in milliseconds.
    var interval: Int64
    /// The header of the copy on the device; nil if there is none.
    var last: SecondCopy.Header?
    /// The time of the last failed write of a copy in this run, in milliseconds of CLOCK_BOOTTIME.
    var failed: Int64?

    /// Returns true if the copy on the device holds another state than `generation`.
    func isStale(_ generation: GenerationRef) -> Bool {
        guard let last else { return generation.generation > 0 }
        return last.generation != generation
    }

    /// Returns the time to wait before a copy may be written, in milliseconds; nil if no copy is needed.
    func delay(for generation: GenerationRef, bootID: String, bootTime: Int64) -> Int64? {
        guard isStale(generation) else { return nil }
        var start: Int64 = .min
        if let last {
            // A copy of another boot is at least as old as this boot.
            start = last.bootID == bootID && last.bootTime <= bootTime ? last.bootTime : 0
        }
        if let failed { start = max(start, failed) }
        guard start > .min else { return 0 }
        let (due, overflow) = start.addingReportingOverflow(interval)
        return overflow ? interval : max(0, due.subtractingReportingOverflow(bootTime).partialValue)
    }
}
