import CleatStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One thing that is measured, round after round.
struct Row {
    private let name: String
    private let store: StoreFile?
    private let prepare: (Int) throws -> () throws -> Void
    private var times: [Double] = []
    private var bytes: Int64 = 0
    private var flushes: Int64 = 0

    /// Takes what prepares a round and gives what of it is measured, and the store whose bytes and flushes count.
    init(_ name: String, _ store: StoreFile? = nil, _ prepare: @escaping (Int) throws -> () throws -> Void) {
        self.name = name
        self.store = store
        self.prepare = prepare
    }

    /// Does it once.
    mutating func sample(_ round: Int) throws {
        let work = try prepare(round)
        let before = try store?.statistics()
        let start = Self.milliseconds()
        try work()
        times.append(Self.milliseconds() - start)
        if let before, let after = try store?.statistics() {
            bytes += after.bytesWritten - before.bytesWritten
            flushes += after.syncs - before.syncs
        }
    }

    /// The time in the middle, in milliseconds.
    var median: Double { times.sorted()[times.count / 2] }

    /// A line for a person.
    func line(plain: Double) -> String {
        func rounded(_ value: Double, _ places: Double) -> String { String((value * places).rounded() / places) }
        let counts =
            store == nil
            ? "4096, 1"
            : "\(bytes / Int64(times.count)), \(rounded(Double(flushes) / Double(times.count), 100))"
        return "\(name): \(rounded(median, 1000)) (\(rounded(times.min() ?? 0, 1000))), "
            + "\(rounded(median / plain, 100)) x, \(counts)"
    }

    private static func milliseconds() -> Double {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) * 1e3 + Double(now.tv_nsec) / 1e6
    }
}
