import CleatJSON
import CleatSettings
import CleatStore
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Measures the writes of the store, and one block that is written and flushed in the same rounds.
///
/// usage: BenchStore DIRECTORY [ROUNDS]
@main enum StoreBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let rounds = Int(arguments.count > 2 ? arguments[2] : "100"), rounds > 0 else {
            print("usage: BenchStore DIRECTORY [ROUNDS]")
            exit(64)
        }
        let directory = FilePath(arguments[1])
        let file = try FileDescriptor.open(
            directory.appending("plain"), .readWrite, options: [.create], permissions: .ownerReadWrite)
        _ = try file.writeAll([UInt8](repeating: 1, count: 4096))
        var rows = [
            Row("4 KB written in place, fdatasync") { round in
                {
                    _ = try file.writeAll(toAbsoluteOffset: 0, [UInt8](repeating: UInt8(round % 256), count: 4096))
                    guard fdatasync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
                }
            }
        ]
        for length in [10, 100, 1000, 10_000] {
            let store = try filled(directory.appending("history-\(length)"), length)
            rows.append(commits("1 setting, \(length) generations before", 1, store))
        }
        rows.append(
            commits("100 settings, 1000 generations before", 100, try filled(directory.appending("many"), 1000)))
        for settings in [10, 1000, 10_000] {
            rows.append(try copies(settings, directory.appending("copy-\(settings)")))
        }
        rows.append(try snapshots(StoreFile(directory: directory.appending("snapshots"))))
        for round in 0..<rounds {
            for index in rows.indices { try rows[index].sample(round) }
        }
        print("median ms (smallest), in plain writes, bytes, flushes")
        for row in rows { print(row.line(plain: rows[0].median)) }
    }

    /// A store whose history holds so many generations, all of them.
    static func filled(_ directory: FilePath, _ length: Int) throws -> StoreFile {
        let store = try StoreFile(
            directory: directory, limits: StoreLimits(generations: 100_000, historyBytes: 1 << 30))
        // What comes before is not what is measured.
        try store.database?.execute("PRAGMA synchronous=OFF")
        for number in 0..<length { _ = try store.commits.commit(request(1, number)) }
        try store.database?.execute("PRAGMA synchronous=FULL")
        return store
    }

    /// Commits so many settings at once; the first ones have the log grown to its size.
    static func commits(_ name: String, _ settings: Int, _ store: StoreFile) -> Row {
        Row(name, store) { round in
            let request = request(settings, 1_000_000 + round)
            return { _ = try store.commits.commit(request) }
        }
    }

    /// The second copy of so many settings, which is made an hour after a commit at most.
    static func copies(_ settings: Int, _ directory: FilePath) throws -> Row {
        let store = try StoreFile(directory: directory, limits: StoreLimits(copyInterval: 0))
        _ = try store.commits.commit(request(settings, 0))
        return Row("second copy of \(settings) settings", store) { round in
            _ = try store.commits.commit(request(2, 1_000_000 + round))
            let stamp = CommitStamp(
                time: 0, bootID: stamp.bootID, bootTime: Int64(round + 1) * 7_200_000, synchronised: false)
            return { guard try store.copies.writeIfDue(stamp) else { throw Errno.invalidArgument } }
        }
    }

    /// A snapshot of 500 files, of which one has changed since the last one.
    static func snapshots(_ store: StoreFile) throws -> Row {
        var files = (0..<500).map { Array("file \($0)\n".utf8) + [UInt8](repeating: 0x78, count: 500) }
        _ = try store.snapshots.create(snapshot("first", files, store))
        return Row("snapshot of 500 files, one changed", store) { round in
            files[round % 500][0] = UInt8(truncatingIfNeeded: 65 + round / 500)
            // A store holds 64 of them.
            if round >= 50 { _ = try store.snapshots.delete("round \(round - 50)") }
            let request = snapshot("round \(round)", files, store)
            return { _ = try store.snapshots.create(request) }
        }
    }

    static let stamp = CommitStamp(time: 0, bootID: "boot", bootTime: 0, synchronised: false)

    static func request(_ settings: Int, _ number: Int) -> CommitRequest {
        CommitRequest(
            changes: (0..<settings).compactMap { index in
                (try? SettingPath("bench/n\(settings == 1 ? number % 100 : index)")).map {
                    StoredChange(path: $0, old: nil, new: .integer(Int64(number)))
                }
            }, id: "commit-\(number)", hash: "hash", author: "bench", stamp: stamp)
    }

    static func snapshot(_ name: String, _ files: [[UInt8]], _ store: StoreFile) -> SnapshotRequest {
        SnapshotRequest(
            name: name, generation: store.generation,
            resources: files.enumerated().map { index, bytes in
                .init(resource: "file:/etc/managed/\(index)", adapter: "file", isSecret: false, state: .init(bytes))
            }, author: "bench", stamp: stamp)
    }
}
