import CleatEmbedded

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SettingKey<Int> { static var count: Self { .init("bench/count", default: 5) } }
extension SettingKey<Bool> { static var isOn: Self { .init("bench/on", default: false) } }
extension SettingKey<[String]> { static var names: Self { .init("bench/names", default: ["a", "b"]) } }

/// Measures reads and edits of a store in the program, in one alternating run.
///
/// usage: BenchEmbedded DIRECTORY [ROUNDS]
@main enum EmbeddedBenchmark {
    static let reads = 1_000_000
    static let edits = 200

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else {
            print("usage: BenchEmbedded DIRECTORY [ROUNDS]")
            exit(64)
        }
        let store = try await EmbeddedStore.open(at: arguments[1], declaring: .count, .isOn, .names)
        try await store.cleat.set(.isOn, to: true)
        var (counts, switches, lists, updates): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for _ in 0..<(arguments.count > 2 ? Int(arguments[2]) ?? 10 : 10) {
            var sum = 0
            counts.append(try time(reads) { sum &+= try store[.count] })
            switches.append(try time(reads) { sum &+= try store[.isOn] ? 1 : 0 })
            lists.append(try time(reads / 10) { sum &+= try store[.names].count })
            precondition(sum > 0)
            let start = nanoseconds()
            for _ in 0..<edits { try await store.cleat.update(.count) { $0 += 1 } }
            updates.append(Double(nanoseconds() - start) / Double(edits) / 1000)
        }
        line("read of an Int", counts, "ns")
        line("read of a Bool", switches, "ns")
        line("read of a [String]", lists, "ns")
        line("durable update", updates, "µs")
        try await store.close()
    }

    static func time(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = nanoseconds()
        for _ in 0..<count { try body() }
        return Double(nanoseconds() - start) / Double(count)
    }

    static func nanoseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    static func line(_ name: String, _ samples: [Double], _ unit: String) {
        let sorted = samples.sorted()
        let rounded = [sorted[sorted.count / 2], sorted[0], sorted[sorted.count - 1]].map {
            "\(Double(Int($0 * 10)) / 10)"
        }
        print("\(name): \(rounded[0]) \(unit) (\(rounded[1]) to \(rounded[2]))")
    }
}
