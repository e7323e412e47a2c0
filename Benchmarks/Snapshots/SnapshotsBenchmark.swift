import CleatAPI
import CleatStore
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Measures what a snapshot of 500 managed files costs of which one has changed: the store's part.
///
/// usage: BenchSnapshots DIRECTORY [ROUNDS]
@main enum SnapshotsBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else {
            print("usage: BenchSnapshots DIRECTORY [ROUNDS]")
            exit(64)
        }
        let rounds = arguments.count > 2 ? Int(arguments[2]) ?? 50 : 50
        let store = try StoreFile(directory: FilePath(arguments[1]))
        var files = (0..<500).map { Array("file \($0)\n".utf8) + [UInt8](repeating: 0x78, count: 500) }
        _ = try store.createSnapshot(request("first", files, store))
        var times: [Double] = []
        let before = try store.statistics()
        for round in 0..<rounds {
            files[round % 500][0] = UInt8(truncatingIfNeeded: 65 + round / 500)
            let snapshot = request("round \(round)", files, store)
            let start = nanoseconds()
            _ = try store.createSnapshot(snapshot)
            times.append(Double(nanoseconds() - start) / 1e6)
        }
        let after = try store.statistics()
        times.sort()
        print("ms: \(times[rounds / 2]) (\(times[0]) to \(times[rounds - 1]))")
        print("bytes written: \((after.bytesWritten - before.bytesWritten) / Int64(rounds))")
        print("flushes: \(Double(after.syncs - before.syncs) / Double(rounds))")
        try store.close(stamp: nil)
    }

    static func request(_ name: String, _ files: [[UInt8]], _ store: StoreFile) -> SnapshotRequest {
        SnapshotRequest(
            name: name, generation: store.generation,
            resources: files.enumerated().map { index, bytes in
                .init(resource: "file:/etc/managed/\(index)", adapter: "file", isSecret: false, state: bytes)
            }, author: "bench", stamp: .init(time: 0, bootID: "boot", bootTime: 0, synchronised: false))
    }

    static func nanoseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
