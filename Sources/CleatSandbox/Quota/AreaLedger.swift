/// The numbers of an area's account, which are seen by one thread at a time.
struct AreaLedger: Sendable {
    let area: Area
    var quota: Quota
    var used: AreaUsage
    var promised = AreaUsage()
    /// Whether the numbers may be wrong, since a step failed or others changed the area.
    var isStale = false
    private(set) var recounts = 0
    private let count: @Sendable () throws(SandboxError) -> AreaUsage

    init(area: Area, quota: Quota, used: AreaUsage, count: @escaping @Sendable () throws(SandboxError) -> AreaUsage) {
        self.area = area
        self.quota = quota
        self.used = used
        self.count = count
    }

    /// Counts the area again where that is needed.
    mutating func refresh() throws(SandboxError) {
        guard isStale else { return }
        used = try count()
        isStale = false
        recounts += 1
    }

    /// Sees that there is room for something; what others have removed is noticed before it is refused.
    mutating func makeRoom(for room: AreaUsage, path: String) throws(SandboxError) {
        try refresh()
        guard lack(of: room) != nil else { return }
        isStale = true
        try refresh()
        if let (code, detail) = lack(of: room) {
            throw SandboxError(code, "make room for", area: area, path: path, detail: detail)
        }
    }

    private func lack(of room: AreaUsage) -> (SandboxError.Code, String)? {
        let after = used + promised + room
        let kept = promised.bytes > 0 || promised.files > 0 ? " and keeps \(promised.bytes) for uploads" : ""
        if room.bytes > 0, after.bytes > quota.bytes {
            return (
                .quotaBytes,
                "it needs \(room.bytes) bytes, and the area holds \(used.bytes)\(kept) of at most \(quota.bytes); "
                    + "remove files, or raise the area's quota"
            )
        }
        if room.files > 0, after.files > quota.files {
            return (
                .quotaFiles,
                "the area holds \(used.files + promised.files) of at most \(quota.files) files; "
                    + "remove files, or raise the area's quota"
            )
        }
        return nil
    }

    /// Writes down that something came to be, for which there was room.
    mutating func add(_ what: AreaUsage) { used = used + what }

    /// Writes down that something is gone.
    mutating func remove(_ what: AreaUsage) {
        used = used - what
        // More has gone than was known of: others have been here.
        if used.bytes < 0 || used.files < 0 { isStale = true }
    }
}
