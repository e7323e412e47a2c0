import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import Testing

@Suite(.tags(.board)) struct CommitTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ limits: StoreLimits = StoreLimits()) throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
    }

    @Test func aNewStoreIsEmptyAtGenerationZero() throws {
        let store = try open()
        #expect(store.generation.generation == 0)
        #expect(store.generation.store.count == 32)
        #expect(store.generation.store.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
        #expect(try store.settings.state().settings.isEmpty)
        #expect(try store.history.generations(before: nil, limit: 10).isEmpty)
        #expect(store.opening.isNew)
        #expect(store.opening.notes.isEmpty)
    }

    @Test(arguments: [
        JSONValue.bool(true), .integer(.max), .integer(.min), .number(0.1), .number(1e300), .string(""),
        .string("e\u{301}\u{0}\u{1F600}"), .array([]), .array([.integer(1), .object(["b": 1, "a": 2])]), .object([:]),
    ])
    func valuesComeBackAsTheyWereAfterReopening(value: JSONValue) throws {
        do {
            let store = try open()
            try store.set(("a/b", value))
            try store.close(stamp: nil)
        }
        let state = try open().settings.state()
        #expect(
            state.settings == [
                StoredSetting(path: try SettingPath("a/b"), value: value, generation: 1, author: "tester")
            ])
    }

    @Test func pathsAreSortedByTheirBytes() throws {
        let store = try open()
        try store.set(("b", 1), ("a/b", 1), ("a-b", 1), ("a", 1), ("é", 1), ("Z", 1))
        #expect(try store.settings.state().settings.map(\.path.text) == ["Z", "a", "a-b", "a/b", "b", "é"])
    }

    @Test func aCommitRecordsWhoWhenWhyAndWhat() throws {
        let store = try open()
        try store.set(("a", 1), ("b", 2))
        let outcome = try store.commits.commit(
            try request("second", [("a", nil), ("b", 3), ("c", "x"), ("d", nil)], hash: "h2", comment: "because"))
        let expected = [
            StoredChange(path: try SettingPath("a"), old: 1, new: nil),
            StoredChange(path: try SettingPath("b"), old: 2, new: 3),
            StoredChange(path: try SettingPath("c"), old: nil, new: "x"),
        ]
        #expect(outcome == .committed(GenerationRef(store: store.generation.store, generation: 2), expected))
        let record = try #require(try store.history.record(number: 2))
        #expect(record.changes == expected)
        #expect(record.id == "second")
        #expect(record.hash == "h2")
        #expect(record.author == "tester")
        #expect(record.comment == "because")
        #expect(record.stamp == stamp)
        #expect(record.state == .confirmed)
        #expect(try store.history.record(id: "second") == record)
        #expect(try store.history.record(id: "third") == nil)
        #expect(try store.values == ["b": 3, "c": "x"])
    }

    @Test func nullUnsets() throws {
        let store = try open()
        try store.set(("a", 1))
        try store.set(("a", .null))
        #expect(try store.values.isEmpty)
    }

    @Test func aCommitThatChangesNothingWritesNothing() throws {
        let store = try open()
        try store.set(("a", 1), ("b", ["x": 1, "y": 2]))
        let before = try store.statistics()
        let files = try contents(in: directory.text)
        for (index, changes) in [
            [], [("a", 1 as JSONValue?)], [("a", .number(1))], [("none", nil)], [("b", ["y": 2, "x": 1])],
        ].enumerated() as EnumeratedSequence<[[(String, JSONValue?)]]> {
            #expect(try store.commits.commit(try request("idle-\(index)", changes)) == .unchanged(store.generation))
        }
        let after = try store.statistics()
        #expect(after.bytesWritten == before.bytesWritten)
        #expect(after.syncs == before.syncs)
        #expect(after.commits == 1)
        #expect(try contents(in: directory.text) == files)
    }

    @Test func openingAndClosingAnUnchangedStoreWritesNothing() throws {
        do {
            let store = try open()
            try store.set(("a", 1))
            try store.close(stamp: stamp)
        }
        let files = try contents(in: directory.text)
        let store = try open()
        _ = try store.settings.state()
        #expect(try store.statistics().bytesWritten == 0)
        #expect(try store.statistics().syncs == 0)
        try store.close(stamp: stamp)
        #expect(try contents(in: directory.text) == files)
    }

    @Test func anExpectedStateThatIsGoneIsAConflict() throws {
        let store = try open()
        try store.set(("a", 1))
        let seen = store.generation
        _ = try store.commits.commit(try request("mine", [("a", 2)], expect: seen))
        let late = #expect(throws: StoreError.self) {
            try store.commits.commit(try request("late", [("a", 3)], expect: seen))
        }
        #expect(late?.code == .conflict)
        #expect(late?.generation == store.generation)
        let other = GenerationRef(store: String(repeating: "0", count: 32), generation: 2)
        #expect(
            #expect(throws: StoreError.self) { try store.commits.commit(try request("x", [("a", 3)], expect: other)) }?
                .code
                == .conflict)
        #expect(try store.values == ["a": 2])
        // Even what would change nothing was meant for another state.
        #expect(
            #expect(throws: StoreError.self) { try store.commits.commit(try request("y", [("a", 2)], expect: seen)) }?
                .code
                == .conflict)
    }

    @Test func aRetryGivesTheSameResult() throws {
        var store = try open()
        let asked = try request("mine", [("a", 2)], expect: store.generation)
        _ = try store.commits.commit(asked)
        try store.set(("a", 9))
        for _ in 0..<2 {
            guard case .repeated(let record) = try store.commits.commit(asked) else {
                Issue.record("a retry was not recognised")
                return
            }
            #expect(record.number == 1)
            #expect(record.changes == [StoredChange(path: try SettingPath("a"), old: nil, new: 2)])
            #expect(try store.values == ["a": 9])
            try store.close(stamp: nil)
            store = try open()
        }
    }

    @Test func anIdWithOtherChangesIsRefused() throws {
        let store = try open()
        _ = try store.commits.commit(try request("mine", [("a", 2)]))
        let error = #expect(throws: StoreError.self) {
            try store.commits.commit(try request("mine", [("a", 3)], hash: "another hash"))
        }
        #expect(error?.code == .idReused)
        #expect(error?.generation?.generation == 1)
        #expect(error?.subject == "mine")
        #expect(try store.values == ["a": 2])
    }

    @Test func limitsAreNamed() throws {
        let store = try open(StoreLimits(settings: 3))
        let cases: [(CommitRequest, String)] = [
            (try request("", [("a", 1)]), "1 to 64 bytes"),
            (try request(String(repeating: "i", count: 65), [("a", 1)]), "1 to 64 bytes"),
            (try request("c", [("a", 1)], comment: String(repeating: "c", count: 1025)), "1024 bytes"),
            (try request("h", [("a", 1)], hash: String(repeating: "h", count: 257)), "256 bytes"),
            (try request("v", [("a", .string(String(repeating: "v", count: 2 << 20)))]), "1048576 bytes"),
            (try request("n", (0...StoreLimits.changes).map { ("n/\($0)", 1) }), "131072 leaves"),
            (try request("s", [("a", 1), ("b", 1), ("c", 1), ("d", 1)]), "3 settings"),
        ]
        for (request, limit) in cases {
            let error = #expect(throws: StoreError.self) { try store.commits.commit(request) }
            #expect(error?.code == .limit)
            #expect(error?.description.contains(limit) == true, "\(error?.description ?? "")")
        }
        #expect(store.generation.generation == 0)
        try store.set(("a", 1), ("b", 1), ("c", 1))
        try store.set(("a", nil), ("d", 1))
        #expect(try store.statistics().settings == 3)
    }

    @Test func theSamePathTwiceChangesNothing() throws {
        let store = try open()
        #expect(throws: StoreError.self) { try store.commits.commit(try request("x", [("a", 1), ("a", 2)])) }
        #expect(try store.values.isEmpty)
        #expect(try store.set(("a", 1)) == 1)
    }

    @Test(arguments: [10, 1000, 10_000])
    func aCommitCostsOneFlushAndFewBytes(settings: Int) throws {
        let store = try open()
        _ = try store.commits.commit(
            try request("fill", (0..<settings).map { ("network/interfaces/eth\($0)/mtu", .integer(1500)) }))
        // Once round the log, so that growing it is behind us.
        for index in 0..<300 {
            try store.set(("network/interfaces/eth\(index % settings)/mtu", .integer(Int64(index))))
        }
        let before = try store.statistics()
        for index in 0..<500 {
            try store.set(("network/interfaces/eth\(index &* 7919 % settings)/mtu", .integer(Int64(2000 + index))))
        }
        let after = try store.statistics()
        #expect(after.syncs - before.syncs <= 515, "\(after.syncs - before.syncs) flushes of 500 commits")
        let bytes = (after.bytesWritten - before.bytesWritten) / 500
        // Among many settings the pages differ from commit to commit, and each goes to the main file once a round.
        #expect(bytes <= (settings > 1000 ? 7 : 6) << 10, "\(bytes) bytes a commit")
        #expect(after.logBytes == before.logBytes || settings > 1000)
    }

    @Test func aHundredSettingsAreOneFlush() throws {
        let store = try open()
        try store.set(("a", 1))
        let before = try store.statistics()
        _ = try store.commits.commit(try request("many", (0..<100).map { ("many/\($0)", .integer(Int64($0))) }))
        #expect(try store.statistics().syncs == before.syncs + 1)
    }

    @Test func wearIsCountedAcrossRestarts() throws {
        var store = try open(smallLimits)
        for index in 0..<50 { try store.set(("a", .integer(Int64(index)))) }
        let first = try store.statistics()
        #expect(first.commits == 50)
        #expect(first.totalBytesWritten == first.bytesWritten)
        try store.close(stamp: nil)
        store = try open(smallLimits)
        try store.set(("a", 100))
        let second = try store.statistics()
        #expect(second.commits == 1)
        #expect(second.bytesWritten < 20_000)
        #expect(second.totalBytesWritten > first.bytesWritten - 10_000)
        #expect(second.totalSyncs >= first.syncs)
    }
}
