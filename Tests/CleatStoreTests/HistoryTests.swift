import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import Testing

@Suite struct HistoryTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ limits: StoreLimits = StoreLimits()) throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
    }

    @Test func pagesGoFromTheNewestToTheOldest() throws {
        let store = try open()
        for index in 1...25 { try store.set(("a", .integer(Int64(index)))) }
        var seen: [Int64] = []
        var before: Int64?
        while true {
            let page = try store.history.generations(before: before, limit: 10)
            guard let last = page.last else { break }
            #expect(page.count <= 10)
            seen += page.map(\.number)
            before = last.number
        }
        #expect(seen == Array((1...25).reversed()))
    }

    @Test func largeGenerationsMakeAPageShorterButNeverEmpty() throws {
        let store = try open()
        for index in 1...4 {
            try store.set(("a", .string(String(repeating: "\(index)", count: 200_000))))
        }
        let page = try store.history.generations(before: nil, limit: 100)
        #expect(page.map(\.number) == [4])
        #expect(try store.history.generations(before: 2, limit: 100).map(\.number) == [1])
        #expect(try store.history.generations(before: nil, limit: .min).count == 1)
    }

    @Test func differencesAreThoseBetweenTheTwoEnds() throws {
        let store = try open()
        try store.set(("a", 1), ("b", 1))
        try store.set(("a", 2), ("c", 1))
        try store.set(("a", 3), ("b", nil), ("c", nil))
        func differences(_ from: Int64, _ to: Int64) throws -> [String] {
            try store.history.differences(from: from, to: to).map {
                "\($0.path) \($0.old?.description ?? "-") \($0.new?.description ?? "-")"
            }
        }
        #expect(try differences(0, 3) == ["a - 3"])
        #expect(try differences(1, 3) == ["a 1 3", "b 1 -"])
        #expect(try differences(3, 1) == ["a 3 1", "b - 1"])
        #expect(try differences(1, 2) == ["a 1 2", "c - 1"])
        #expect(try differences(2, 2) == [])
        for (from, to) in [(0, 4), (4, 0), (-1, 2)] as [(Int64, Int64)] {
            let error = #expect(throws: StoreError.self) { try store.history.differences(from: from, to: to) }
            #expect(error?.code == .unknownGeneration)
        }
    }

    @Test func pathsThatFollowEachOtherInAnyOrderKeepTheirEnds() throws {
        let store = try open()
        var states: [[String: Int64]] = [[:]]
        var number: UInt32 = 7
        for turn in 0..<Int64(150) {
            // Runs of one path, then pairs that repeat, then any order.
            number = number &* 1_664_525 &+ 1_013_904_223
            let path = "a/p" + (turn < 50 ? "\(turn / 10)" : turn < 100 ? "\(turn % 2)" : "\(number >> 28)")
            try store.set((path, .integer(turn)))
            states.append(states[states.count - 1].merging([path: turn]) { $1 })
        }
        for (from, to) in [(0, 150), (20, 150), (45, 120), (100, 150), (150, 45)] {
            let found = try store.history.differences(from: Int64(from), to: Int64(to))
            let paths = Set(states[to].keys).union(states[from].keys).filter { states[from][$0] != states[to][$0] }
            #expect(found.map(\.path.text) == paths.sorted())
            for change in found {
                #expect(change.old == states[from][change.path.text].map { .integer($0) })
                #expect(change.new == states[to][change.path.text].map { .integer($0) })
            }
        }
    }

    @Test func aLongRangeIsComparedByTheBytesOfItsPaths() throws {
        var limits = StoreLimits()
        limits.generations = 2_000
        let store = try open(limits)
        // Both names are the same text for Unicode, and two settings.
        let names = ["caf\u{e9}/volume", "cafe\u{301}/volume"]
        for turn in 0..<1_200 { try store.set((names[turn % 2], .integer(Int64(turn)))) }
        for (from, to) in [(Int64(1), Int64(1_200)), (1_200, 1)] {
            let found = try store.history.differences(from: from, to: to)
            let ends: [(JSONValue?, JSONValue?)] = [(0, 1_198), (nil, 1_199)]
            #expect(found.map(\.path.text).sorted { $0.utf8.count < $1.utf8.count } == names)
            for (name, end) in zip(names, ends) {
                let change = try #require(found.first { $0.path.text.utf8.elementsEqual(name.utf8) })
                #expect(change.old == (from < to ? end.0 : end.1))
                #expect(change.new == (from < to ? end.1 : end.0))
            }
        }
    }

    @Test func whatWasBeforeTheNewestChangePassesOverWhatWasUndone() throws {
        let store = try open()
        #expect(try store.history.newestChange(of: nil)?.before == nil)
        try store.arm("first", [("a", 1)])
        #expect(try store.history.newestChange(of: nil)?.before == 0, "it is in force while it is on trial")
        try store.undo()
        #expect(try store.history.newestChange(of: nil)?.before == nil)
        try store.set(("a", 1))
        #expect(try store.history.newestChange(of: nil)?.before == 2)
        try store.set(("a", 2))
        for name in ["x", "y"] {
            try store.arm(name, [("a", 3)])
            try store.undo()
            #expect(try store.history.newestChange(of: nil)?.before == 3)
            #expect(try store.compare(store.generation.generation, 3) == ["a 2 1"])
        }
        try store.arm("kept", [("a", 4)])
        _ = try store.trials.confirm(id: "kept")
        #expect(try store.history.newestChange(of: nil)?.before == 8)
        #expect(try store.compare(store.generation.generation, 8) == ["a 4 2"])
    }

    @Test func whatIsBeforeTheHistoryIsNoChangeToGoBackBefore() throws {
        let store = try open(StoreLimits(generations: 1))
        for index in 1...20 { try store.set(("a", .integer(Int64(index)))) }
        #expect(try store.history.newestChange(of: nil)?.before == 19)
        for index in 1...20 {
            try store.arm("t\(index)", [("a", 0)])
            try store.undo()
        }
        #expect(
            try store.history.generations(before: nil, limit: 100).allSatisfy {
                $0.hash.isEmpty || $0.state == .reverted
            })
        #expect(try store.history.newestChange(of: nil)?.before == nil)
        #expect(try store.set(("a", 21)) == 61)
        #expect(try store.history.newestChange(of: nil)?.before == 60)
        #expect(try store.compare(61, 60) == ["a 21 20"])
    }

    @Test func historyIsBoundedByCount() throws {
        let store = try open(StoreLimits(generations: 40))
        for index in 1...200 {
            try store.set(("a", .integer(Int64(index))))
            #expect(try store.statistics().generations <= 40)
        }
        let statistics = try store.statistics()
        #expect(statistics.generations >= 35)
        #expect(statistics.oldestGeneration == 201 - Int64(statistics.generations))
        #expect(store.generation.generation == 200)
        let error = #expect(throws: StoreError.self) { try store.history.differences(from: 1, to: 200) }
        #expect(error?.code == .historyGone)
        let first = try #require(error?.generation?.generation)
        #expect(try store.history.differences(from: first, to: 200).count == 1)
        try store.close(stamp: nil)
        let again = try open(StoreLimits(generations: 40))
        #expect(try again.statistics().generations == statistics.generations)
        #expect(try again.statistics().historyBytes == statistics.historyBytes)
        #expect(try again.set(("a", 0)) == 201)
    }

    @Test func historyIsBoundedByBytes() throws {
        let store = try open(StoreLimits(historyBytes: 100_000))
        for index in 1...60 {
            try store.set(("a", .string(String(repeating: "x", count: 2000 + index))))
            #expect(try store.statistics().historyBytes <= 100_000)
        }
        #expect(try store.statistics().generations >= 20)
        #expect(try store.statistics().fileBytes + 0 < 400_000)
        #expect(try store.values.count == 1)
    }

    @Test func littleFreeSpaceMakesHistoryShorter() throws {
        let store = try open()
        for index in 1...50 { try store.set(("a", .integer(Int64(index)))) }
        store.limits.freeBytes = .max
        for index in 51...100 { try store.set(("a", .integer(Int64(index)))) }
        #expect(try store.statistics().generations <= 5)
        #expect(store.generation.generation == 100)
    }

    @Test func aLoweredBoundIsKept() throws {
        let store = try open()
        for index in 1...300 { try store.set(("a", .integer(Int64(index)))) }
        store.limits.generations = 10
        try store.history.prune()
        #expect(try store.statistics().generations <= 10)
        #expect(try store.history.generations(before: nil, limit: 1).map(\.number) == [300])
        store.limits.generations = 0
        store.limits.historyBytes = 0
        try store.history.prune()
        #expect(try store.statistics().generations == StoreLimits.fewestGenerations)
        #expect(try store.set(("a", 0)) == 301)
        var before = try store.statistics()
        try store.history.prune()
        let after = try store.statistics()
        // Other programs write to the same file system meanwhile.
        before.freeBytes = after.freeBytes
        #expect(after == before)
    }

    @Test func pruningCostsNoFlushOfItsOwn() throws {
        let store = try open(StoreLimits(generations: 50))
        for index in 1...300 { try store.set(("a", .integer(Int64(index)))) }
        let before = try store.statistics()
        for index in 1...300 { try store.set(("a", .integer(Int64(-index)))) }
        let after = try store.statistics()
        #expect(after.syncs - before.syncs <= 312)
        #expect((after.bytesWritten - before.bytesWritten) / 300 <= 8 << 10)
    }

    @Test(arguments: 1...5)
    func differencesAgreeWithTheSettingsThatWere(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try open()
        var states: [[String: JSONValue]] = [[:]]
        for _ in 0..<60 {
            let count = Int.random(in: 1...4, using: &random)
            let paths = (0..<8).map { "p/\($0)" }.shuffled(using: &random).prefix(count)
            let changes = paths.map { path -> (String, JSONValue?) in
                (path, Bool.random(using: &random) ? .integer(Int64.random(in: 0...3, using: &random)) : nil)
            }
            if case .committed = try store.commits.commit(try request("c-\(states.count)-\(random.next())", changes)) {
                states.append(try store.values)
            }
        }
        for _ in 0..<100 {
            let from = Int.random(in: 0..<states.count, using: &random)
            let to = Int.random(in: 0..<states.count, using: &random)
            var state = states[from]
            for difference in try store.history.differences(from: Int64(from), to: Int64(to)) {
                #expect(state[difference.path.text] == difference.old)
                #expect(difference.old != difference.new)
                state[difference.path.text] = difference.new
            }
            #expect(state == states[to], "seed \(seed), from \(from) to \(to)")
        }
    }
}
