import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

/// Changes of several callers that are stored in one transaction.
@Suite struct GroupCommitTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ limits: StoreLimits = smallLimits, hook: StorageHook? = nil) throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: limits, hook: hook)
    }

    /// Compares the figures in memory with what the tables hold.
    func expectCounted(_ store: StoreFile) throws {
        let (figures, _) = try StoreFigures.read(try store.store.open())
        let read = try #require(figures)
        let counted = store.store.figures
        #expect(read.number == counted.number && read.lastNumber == counted.lastNumber)
        #expect(read.settingsCount == counted.settingsCount && read.settingsSum == counted.settingsSum)
        #expect(read.historyCount == counted.historyCount && read.historyBytes == counted.historyBytes)
    }

    @Test func eachIsAGenerationOfItsOwnAndTheyShareAFlush() throws {
        var store = try open()
        try store.set(("a", 1), ("gone", 1))
        let before = try store.statistics()
        let first = try store.commits.commit(together: [
            try request("x", [("a", 2)], expect: store.generation, comment: "why"),
            try request("y", [("b/c", "new"), ("gone", nil)]), try request("z", [("d", [1, 2])]),
        ])
        #expect(first?.generation == 2 && store.generation.generation == 4)
        let after = try store.statistics()
        #expect(after.syncs - before.syncs == 1 && after.generations == 4)
        try expectCounted(store)
        try store.close(stamp: stamp)
        store = try open()
        #expect(store.opening.notes.isEmpty)
        #expect(try store.values == ["a": 2, "b/c": "new", "d": [1, 2]])
        let records = try store.history.generations(before: nil, limit: 10)
        #expect(records.map(\.id) == ["z", "y", "x", "set-1"] && records.map(\.number) == [4, 3, 2, 1])
        #expect(records[2].remarks == "why" && records[1].changes.map(\.path.text) == ["b/c", "gone"])
        #expect(try store.settings.state().settings.map(\.generation) == [2, 3, 4])
    }

    @Test("What cannot be stored together is not stored at all, and is no error", arguments: 0..<5)
    func refused(kind: Int) throws {
        let store = try open()
        try store.set(("a", 1))
        let second =
            switch kind {
            case 0: try request("y", [("b", 3)])
            case 1: try request("x", [("c", 3)])
            case 2: try request("set-1", [("a", 1)], hash: "hash of set-1")
            case 3: try request("y", [("a", 1)])
            default: try request("y", [("none", nil)])
            }
        let figures = store.store.figures
        #expect(try store.commits.commit(together: [try request("x", [("b", 2)]), second]) == nil)
        #expect(try store.values == ["a": 1] && store.store.figures.number == figures.number)
        try expectCounted(store)
    }

    @Test func limitsCountTheWholeGroup() throws {
        let store = try open(StoreLimits(settings: 3))
        try store.set(("a", 1))
        let group = try ["b", "c", "d"].map { try request($0, [($0, 1)]) }
        #expect(throws: StoreError.self) { try store.commits.commit(together: group) }
        #expect(try store.values.count == 1)
        #expect(try store.commits.commit(together: Array(group.dropLast()))?.generation == 2)
        try expectCounted(store)
    }

    @Test func aTrialAndAnotherGenerationRefuseAll() throws {
        let store = try open()
        try store.set(("a", 1))
        let former = store.generation
        try store.set(("a", 2))
        let group = [try request("x", [("b", 1)]), try request("y", [("c", 1)], expect: former)]
        #expect(throws: StoreError.self) { try store.commits.commit(together: group) }
        try store.arm("trial", [("a", 3)])
        #expect(throws: StoreError.self) { try store.commits.commit(together: Array(group.dropLast())) }
        #expect(try store.values == ["a": 2])
    }

    @Test func historyStaysWithinItsBounds() throws {
        let store = try open(StoreLimits(generations: 32, logFrames: 16))
        for round in 0..<20 {
            let group = try (0..<9).map { try request("\(round)-\($0)", [("k\($0)", .integer(Int64(round)))]) }
            #expect(try store.commits.commit(together: group)?.generation == Int64(round * 9 + 1))
            try expectCounted(store)
        }
        #expect(try store.statistics().generations <= 32)
        #expect(try store.values.values.allSatisfy { $0 == 19 })
    }

    @Test func theBytesOfTheHistoryStayWithinTheirBoundToo() throws {
        let store = try open(StoreLimits(generations: 1_000, historyBytes: 256 << 10, logFrames: 16))
        for number in 0..<400 { try store.set(("small", .integer(Int64(number)))) }
        let large = String(repeating: "v", count: 6_000)
        for round in 0..<12 {
            let group = try (0..<16).map {
                try request("\(round)-\($0)", [("k\($0)", .string(large + "\(round)"))])
            }
            #expect(try store.commits.commit(together: group) != nil)
            try expectCounted(store)
            // The small generations make way at once, also where a group adds more bytes than each of them had.
            let bytes = try store.statistics().historyBytes
            #expect(bytes <= 256 << 10, "round \(round)")
        }
    }

    @Test func whereSpaceIsShortAGroupDeletesMoreThanItAdds() throws {
        let store = try open()
        for number in 0..<300 { try store.set(("small", .integer(Int64(number)))) }
        store.limits = StoreLimits(freeBytes: .max, logFrames: 16)
        for round in 0..<3 {
            let before = try store.statistics().generations
            let group = try (0..<40).map { try request("\(round)-\($0)", [("k\($0)", .integer(Int64(round)))]) }
            #expect(try store.commits.commit(together: group) != nil)
            let after = try store.statistics().generations
            // Half of the history, at least, outlasts it.
            #expect(after < before && after > before / 2, "round \(round): \(before), \(after)")
            try expectCounted(store)
        }
    }

    @Test("A fault at any operation leaves the whole group or none of it", arguments: Faults.Kind.allCases)
    func fault(kind: Faults.Kind) throws {
        var (turn, failures) = (0, 0)
        while true {
            turn += turn == 0 ? 1 : TestMachine.rounds(1, briefly: 3)
            let place = try TemporaryDirectory()
            let device = Device()
            let store = try StoreFile(
                directory: place.path, stamp: stamp, limits: smallLimits,
                hook: { device.faults?.hook($0) ?? .proceed })
            try store.set(("a", 1))
            let group = try (0..<4).map {
                try request("\($0)", [("k\($0)", .string(String(repeating: "v", count: 2_000)))])
            }
            let faults = Faults(kind, at: turn)
            device.faults = faults
            do throws(StoreError) {
                #expect(try store.commits.commit(together: group) != nil)
            } catch {
                failures += 1
                #expect([.inputOutput, .diskFull, .outOfMemory].contains(error.code), "turn \(turn): \(error)")
                #expect(store.generation.generation == 1, "turn \(turn)")
                device.faults = nil
                #expect(try store.values.count == 1, "turn \(turn)")
                try expectCounted(store)
                // Each alone succeeds once the device does.
                for one in group { _ = try store.commits.commit(one) }
            }
            device.faults = nil
            #expect(try store.values.count == 5, "turn \(turn)")
            try expectCounted(store)
            guard faults.happened else { break }
        }
        // A full disk is tried once more after the log's content was moved.
        #expect(failures > (kind == .full || kind == .shortWrite ? -1 : 2) && turn > 6)
    }
}

/// A device whose faults begin when they are set.
private final class Device {
    var faults: Faults?
}
