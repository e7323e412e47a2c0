internal import CleatIO
internal import SystemPackage

/// The numbers of an area's account, accessed by one thread at a time.
struct AreaLedger: Sendable {
    let area: Area
    var quota: Quota
    private(set) var used: AreaUsage
    var reserved = AreaUsage()
    /// True if the numbers may be wrong, since a step failed or another program changed the area.
    var isStale = false
    private(set) var recounts = 0
    /// An interrupted append that could not be reverted; nil if there is none.
    private(set) var unfinished: UnfinishedAppend?
    private var times: DirectoryTimes
    private let directory: Descriptor
    private let calls: any SandboxCalls

    init(area: Area, quota: Quota, count: AreaCount, directory: Descriptor, calls: any SandboxCalls) {
        self.area = area
        self.quota = quota
        used = count.usage
        times = count.directories
        self.directory = directory
        self.calls = calls
    }

    /// Counts the area again if the numbers may be wrong.
    mutating func refresh() throws(SandboxError) {
        guard isStale else { return }
        do throws(Errno) {
            let count = try AreaCount(directory, calls: calls)
            used = count.usage
            times = count.directories
        } catch {
            throw SandboxError(counting: error, area: area)
        }
        isStale = false
        recounts += 1
    }

    /// Checks that there is enough space; counts again before it refuses, so that files removed by others are noticed.
    mutating func makeSpace(for needed: AreaUsage, path: SandboxPath) throws(SandboxError) {
        try refresh()
        guard lack(of: needed) != nil else { return }
        isStale = true
        try refresh()
        if let (code, detail, excess) = lack(of: needed) {
            throw SandboxError(code, "reserve space for", area: area, path: path.text, detail: detail, excess: excess)
        }
    }

    /// Makes a call that changes files; if it fails, its effect is unknown, and the area is counted again.
    mutating func changing<Value, Failure: Error>(_ call: () throws(Failure) -> Value) throws(Failure) -> Value {
        do throws(Failure) {
            return try call()
        } catch {
            isStale = true
            throw error
        }
    }

    /// Writes the record of an append.
    mutating func begin(_ record: AppendRecord, _ log: AppendLog, in directory: Descriptor) throws(Errno) {
        do throws(Errno) {
            try log.begin(record)
        } catch {
            finish(record, in: directory) { () throws(Errno) in try log.remove(record) }
            throw error
        }
    }

    /// Finishes an append with its record; if that fails, it is tried again before the next step.
    mutating func finish(_ record: AppendRecord, in directory: Descriptor, _ call: () throws(Errno) -> Void) {
        do throws(Errno) {
            try call()
            unfinished = nil
        } catch {
            unfinished = UnfinishedAppend(record: record, directory: directory, cause: error)
        }
    }

    /// Tries again to revert an append that could not be reverted.
    mutating func revertUnfinished() {
        guard let rest = unfinished else { return }
        isStale = true
        let log = AppendLog(directory: rest.directory.descriptor, calls: calls)
        finish(rest.record, in: rest.directory) { () throws(Errno) in try log.revert(rest.record) }
    }

    /// Adds usage, for which there was space.
    mutating func add(_ what: AreaUsage) { used = used + what }

    /// Subtracts usage.
    mutating func remove(_ what: AreaUsage) {
        used = used - what
        // More was removed than had been counted: another program has changed the area.
        if used.bytes < 0 || used.files < 0 { isStale = true }
    }

    /// Checks if other programs have changed a directory since the facade did.
    mutating func look(at directory: Descriptor) {
        guard !isStale else { return }
        guard let attributes = try? calls.attributes(of: directory.descriptor) else {
            isStale = true
            return
        }
        if times.isChanged(attributes) { isStale = true }
    }

    /// Records the modification time of a directory that the facade has changed.
    mutating func remember(_ directory: Descriptor) {
        guard let attributes = try? calls.attributes(of: directory.descriptor) else {
            isStale = true
            return
        }
        times.remember(attributes)
    }

    private func lack(of needed: AreaUsage) -> (SandboxError.Code, String, QuotaExcess)? {
        let held = used + reserved
        if needed.bytes > 0, (held + needed).bytes > quota.bytes {
            return (
                .quotaBytes,
                "it is full: \(needed.bytes) bytes needed, \(max(0, quota.bytes - held.bytes)) of \(quota.bytes) free"
                    + "\(Self.kept(reserved.bytes)); remove files, or raise the quota",
                QuotaExcess(used: held.bytes, limit: quota.bytes, asked: needed.bytes)
            )
        }
        if needed.files > 0, (held + needed).files > quota.files {
            return (
                .quotaFiles,
                "it is full: \(needed.files) more files needed, \(max(0, quota.files - held.files)) of \(quota.files) "
                    + "free\(Self.kept(reserved.files)); remove files, or raise the quota",
                QuotaExcess(used: held.files, limit: quota.files, asked: needed.files)
            )
        }
        return nil
    }

    private static func kept(_ reserved: Int64) -> String { reserved > 0 ? ", \(reserved) kept for uploads" : "" }
}

extension SandboxError {
    init(counting error: Errno, area: Area) {
        let isDeep = error == .tooManySymbolicLinkLevels
        self.init(
            isDeep ? .tooMany : Code(error), "count", area: area, path: "", errno: error,
            detail: isDeep ? "it has directories more than \(TreeWalk.depthLimit) deep; remove them" : nil)
    }
}

/// The record of an interrupted append that could not be reverted, or whose record could not be removed.
struct UnfinishedAppend: Sendable {
    let record: AppendRecord
    let directory: Descriptor
    let cause: Errno
}
