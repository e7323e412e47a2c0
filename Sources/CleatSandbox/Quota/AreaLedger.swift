internal import CleatIO
internal import SystemPackage

/// The numbers of an area's account, which are seen by one thread at a time.
struct AreaLedger: Sendable {
    let area: Area
    var quota: Quota
    private(set) var used: AreaUsage
    var promised = AreaUsage()
    /// Whether the numbers may be wrong, since a step failed or others changed the area.
    var isStale = false
    private(set) var recounts = 0
    /// What is left of the last bytes that were added to a file, where something is.
    private(set) var unsettled: UnsettledAppend?
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

    /// Counts the area again where that is needed.
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

    /// Sees that there is room for something; what others have removed is noticed before it is refused.
    mutating func makeRoom(for room: AreaUsage, path: SandboxPath) throws(SandboxError) {
        try refresh()
        guard lack(of: room) != nil else { return }
        isStale = true
        try refresh()
        if let (code, detail, excess) = lack(of: room) {
            throw SandboxError(code, "make room for", area: area, path: path.text, detail: detail, excess: excess)
        }
    }

    /// Makes a call that changes files; where it fails, what it has done is not known, and the area is counted again.
    mutating func changing<Value, Failure: Error>(_ call: () throws(Failure) -> Value) throws(Failure) -> Value {
        do throws(Failure) {
            return try call()
        } catch {
            isStale = true
            throw error
        }
    }

    /// Writes down what is about to be added to a file.
    mutating func begin(_ record: AppendRecord, _ log: AppendLog, in directory: Descriptor) throws(Errno) {
        do throws(Errno) {
            try log.begin(record)
        } catch {
            settle(record, in: directory) { () throws(Errno) in try log.remove(record) }
            throw error
        }
    }

    /// Ends what was begun with a record; where that fails, it is tried again before the next step.
    mutating func settle(_ record: AppendRecord, in directory: Descriptor, _ call: () throws(Errno) -> Void) {
        do throws(Errno) {
            try call()
            unsettled = nil
        } catch {
            unsettled = UnsettledAppend(record: record, directory: directory, cause: error)
        }
    }

    /// Tries again to take back what could not be taken back.
    mutating func settle() {
        guard let rest = unsettled else { return }
        isStale = true
        let log = AppendLog(directory: rest.directory.descriptor, calls: calls)
        settle(rest.record, in: rest.directory) { () throws(Errno) in try log.settle(rest.record) }
    }

    /// Writes down that something came to be, for which there was room.
    mutating func add(_ what: AreaUsage) { used = used + what }

    /// Writes down that something is gone.
    mutating func remove(_ what: AreaUsage) {
        used = used - what
        // More has gone than was known of: others have been here.
        if used.bytes < 0 || used.files < 0 { isStale = true }
    }

    /// Sees whether others have changed a directory since the facade did.
    mutating func look(at directory: Descriptor) {
        guard !isStale else { return }
        guard let attributes = try? calls.attributes(of: directory.descriptor) else {
            isStale = true
            return
        }
        if times.isChanged(attributes) { isStale = true }
    }

    /// Remembers how the facade has left a directory.
    mutating func remember(_ directory: Descriptor) {
        guard let attributes = try? calls.attributes(of: directory.descriptor) else {
            isStale = true
            return
        }
        times.remember(attributes)
    }

    private func lack(of room: AreaUsage) -> (SandboxError.Code, String, QuotaExcess)? {
        let held = used + promised
        if room.bytes > 0, (held + room).bytes > quota.bytes {
            return (
                .quotaBytes,
                "it is full: \(room.bytes) bytes needed, \(max(0, quota.bytes - held.bytes)) of \(quota.bytes) free"
                    + "\(Self.kept(promised.bytes)); remove files, or raise the area's quota",
                QuotaExcess(used: held.bytes, limit: quota.bytes, asked: room.bytes)
            )
        }
        if room.files > 0, (held + room).files > quota.files {
            return (
                .quotaFiles,
                "it is full: \(room.files) more files needed, room for \(max(0, quota.files - held.files)) of \(quota.files) "
                    + "left\(Self.kept(promised.files)); remove files, or raise the area's quota",
                QuotaExcess(used: held.files, limit: quota.files, asked: room.files)
            )
        }
        return nil
    }

    private static func kept(_ promised: Int64) -> String { promised > 0 ? ", \(promised) kept for uploads" : "" }
}

extension SandboxError {
    init(counting error: Errno, area: Area) {
        let isDeep = error == .tooManySymbolicLinkLevels
        self.init(
            isDeep ? .tooMany : Code(error), "count", area: area, path: "", errno: error,
            detail: isDeep ? "it has directories more than \(TreeWalk.depthLimit) deep; remove them" : nil)
    }
}
