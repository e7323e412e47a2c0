import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

@Suite struct SnapshotTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ limits: StoreLimits = smallLimits, hook: StorageHook? = nil) throws(StoreError) -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: limits, hook: hook)
    }

    /// So many files of `/etc`, of half a kilobyte each.
    func files(_ count: Int) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map {
                ("file:/etc/many/\($0)", "\($0) " + String(repeating: "x", count: 500))
            })
    }

    @Test func aSnapshotHoldsWhatWasAndStaysWhenAllElseChanges() throws {
        let first = StoredSnapshotFacts(generation: 1, settings: 2, resources: 2)
        do {
            let store = try open()
            #expect(try store.snapshots.all().isEmpty)
            try store.set(("a", 1), ("b", "two"))
            let made = try store.take("first", ["file:/etc/hostname": "board", "file:/etc/motd": "hello"])
            #expect(StoredSnapshotFacts(made) == first)
            #expect(made.comment == "of first" && made.author == "tester" && made.stamp == stamp)
            #expect(made.bytes > 0 && made.ownBytes == made.bytes && made.damage == nil)
            try store.set(("a", 2), ("b", nil), ("c", 3))
            try store.take("second", ["file:/etc/hostname": "other", "file:/etc/motd": "hello"])
            try store.close(stamp: nil)
        }
        let store = try open()
        #expect(try store.snapshots.all().map(\.name) == ["first", "second"])
        #expect(
            try store.snapshotView("first")
                == SnapshotView(
                    generation: GenerationRef(store: store.generation.store, generation: 1),
                    settings: [
                        SnapshotSetting(path: "a", value: "1"), SnapshotSetting(path: "b", value: "\"two\""),
                    ], resources: ["file:/etc/hostname": "board", "file:/etc/motd": "hello"]))
        #expect(
            try store.snapshotView("second").resources == ["file:/etc/hostname": "other", "file:/etc/motd": "hello"])
        #expect(try store.snapshotView("second").settings.map(\.path) == ["a", "c"])
    }

    private struct StoredSnapshotFacts: Equatable {
        var generation: Int64
        var settings: Int
        var resources: Int

        init(generation: Int64, settings: Int, resources: Int) {
            self.generation = generation
            self.settings = settings
            self.resources = resources
        }

        init(_ snapshot: StoredSnapshot) {
            self.init(
                generation: snapshot.generation.generation, settings: snapshot.settings, resources: snapshot.resources)
        }
    }

    @Test func noHistoryIsLongEnoughToTakeASnapshotAway() throws {
        let store = try open(StoreLimits(generations: 4, logFrames: 16))
        try store.set(("a", 0))
        try store.take("kept", ["file:/etc/hostname": "board"])
        let view = try store.snapshotView("kept")
        for index in 1...40 as ClosedRange<Int64> { try store.set(("a", .integer(index))) }
        try store.history.prune()
        #expect(try store.history.record(number: 1) == nil)
        #expect(try store.snapshotView("kept") == view)
        try store.close(stamp: nil)
        #expect(try open().snapshotView("kept") == view)
    }

    @Test func theSecondSnapshotCostsWhatDiffers() throws {
        let store = try open(StoreLimits())
        for page in 0..<10 as Range<Int64> {
            let changes: [(String, JSONValue?)] = (0..<100).map { ("many/\(page)/\($0)", .integer($0)) }
            _ = try store.commits.commit(try request("fill-\(page)", changes))
        }
        var files = files(500)
        let first = try store.take("first", files)
        #expect(first.bytes > 280_000)
        let second = try store.take("second", files)
        #expect(second.ownBytes == 0 && second.bytes == first.bytes)
        files["file:/etc/many/7"] = "changed"
        try store.set(("many/3/33", 1000))
        let before = try store.statistics()
        let third = try store.take("third", files)
        let after = try store.statistics()
        // One memento, one page of resources, one of settings.
        #expect(third.ownBytes > 7 && third.ownBytes < 20_000, "\(third.ownBytes)")
        #expect(after.syncs - before.syncs <= 4)
        #expect(after.bytesWritten - before.bytesWritten < 68 << 10, "\(after.bytesWritten - before.bytesWritten)")
        files["file:/etc/many/new"] = "new"
        files["file:/etc/many/8"] = nil
        #expect(try store.take("fourth", files).ownBytes < 40_000)
        let objects = try store.objects()
        #expect(objects.bytes == (try store.snapshots.totals().bytes))
        #expect(try store.snapshotView("fourth").resources == files)
        let own = try store.snapshots.all().map(\.ownBytes)
        #expect(own[0] == 0 && own[1] == 0 && own[3] > 0)
    }

    @Test func deletingOneLeavesTheOthersAndTheLastOneNothing() throws {
        let store = try open()
        try store.set(("a", 1))
        var files = files(40)
        try store.take("first", files)
        files["file:/etc/many/1"] = "changed"
        try store.take("second", files)
        try store.set(("a", 2))
        try store.take("third", files)
        let views = try store.snapshotViews()
        let own = try #require(try store.snapshots.all().first { $0.name == "second" }).ownBytes
        #expect(try store.snapshots.delete("second") == own)
        #expect(try store.snapshotViews() == views.filter { $0.key != "second" })
        let again = try store.take("second", files)
        #expect(again.ownBytes == 0)
        for name in ["third", "second", "first"] { #expect(try store.snapshots.delete(name) >= 0) }
        #expect(try store.objects() == (0, 0))
        #expect(try store.snapshots.totals().count == 0)
        #expect(try store.snapshots.totals().bytes == 0)
        try store.close(stamp: nil)
        #expect(try open().snapshots.all().isEmpty)
    }

    @Test func aBadNameOrATakenOneChangesNothing() throws {
        let store = try open()
        try store.set(("a", 1))
        for name in ["", String(repeating: "n", count: 65), "tab\there", "line\n", "\u{7f}", "c1\u{85}", "\0"] {
            let error = #expect(throws: StoreError.self) { try store.take(name) }
            #expect(error?.code == .invalidName, "\(name)")
        }
        #expect(try store.statistics().commits == 1)
        for name in [String(repeating: "n", count: 64), "vor dem Update ä", " ", "-x", "../etc/passwd"] {
            try store.take(name)
            #expect(try store.snapshots.content(name).snapshot.name == name)
        }
        let taken = #expect(throws: StoreError.self) { try store.take("-x") }
        #expect(taken?.code == .exists)
        for missing in ["nothing", "", "x\0"] {
            for error in [
                #expect(throws: StoreError.self) { try store.snapshots.content(missing) },
                #expect(throws: StoreError.self) { try store.snapshots.delete(missing) },
            ] { #expect(error?.code == .unknownSnapshot) }
        }
        #expect(try store.snapshots.all().count == 5)
    }

    @Test func nothingOnTrialComesIntoASnapshot() throws {
        let store = try open()
        try store.set(("a", 1))
        try store.take("before")
        let view = try store.snapshotView("before")
        try store.arm("mine", [("a", 2)])
        let error = #expect(throws: StoreError.self) { try store.take("during") }
        #expect(error?.code == .pending && error?.subject == "mine")
        try store.snapshots.delete("before")
        try store.undo()
        let stale = #expect(throws: StoreError.self) {
            try store.snapshots.create(
                SnapshotRequest(
                    name: "stale", generation: GenerationRef(store: store.generation.store, generation: 1),
                    resources: [],
                    author: "tester", stamp: stamp))
        }
        #expect(stale?.code == .conflict)
        try store.take("after")
        #expect(try store.snapshotView("after").settings == view.settings)
    }

    @Test func eachLimitNamesItsFiguresAndTheRemedy() throws {
        var limits = smallLimits
        limits.snapshots = 2
        limits.snapshotBytes = 4000
        let store = try open(limits)
        try store.set(("a", 1))
        func refusal(_ name: String, _ files: [String: String]) throws -> StoreError? {
            let before = try store.snapshotViews()
            let error = #expect(throws: StoreError.self) { try store.take(name, files) }
            #expect(try store.snapshotViews() == before)
            #expect(error?.description.contains("cleat snapshot delete") == true, "\(error?.description ?? "")")
            return error
        }
        try store.take("first", ["file:/a": String(repeating: "x", count: 3000)])
        let large = try refusal("large", ["file:/b": String(repeating: "y", count: 1500)])
        #expect(large?.code == .limit && large?.description.contains("4000 bytes") == true)
        try store.take("second", ["file:/a": String(repeating: "x", count: 3000)])
        let many = try refusal("third", [:])
        #expect(many?.code == .limit && many?.description.contains("the limit is 2") == true)
        store.limits.snapshots = 8
        store.limits.freeBytes = .max
        let full = try refusal("third", [:])
        #expect(full?.code == .diskFull)
        store.limits.freeBytes = 0
        try store.take("third")
        let long = #expect(throws: StoreError.self) {
            try store.take("fourth", ["file:/c": String(repeating: "z", count: StoreLimits.mementoBytes + 1)])
        }
        #expect(long?.code == .limit && long?.description.contains("file:/c") == true)
    }

    @Test func aDamagedObjectIsNamedAndTheOthersStay() throws {
        let store = try open()
        try store.set(("a", 1))
        try store.take("bad", ["file:/etc/hostname": "board", "file:/etc/motd": "hello"])
        try store.set(("a", 2))
        try store.take("good", ["file:/etc/motd": "hello"])
        let good = try store.snapshotView("good")
        let database = try store.store.open()
        let board = ObjectHash(of: Array("board".utf8))
        try database.run(
            "UPDATE objects SET bytes = ? WHERE hash = ?", [.blob(Array("bored".utf8)), .blob(board.bytes)])
        let error = #expect(throws: StoreError.self) { try store.snapshotView("bad") }
        #expect(error?.code == .damaged && error?.subject == "\(board)")
        #expect(error?.description.contains("file:/etc/hostname") == true)
        #expect(try store.snapshotView("good") == good)
        // The list of what a snapshot holds, damaged.
        let page = try #require(try store.snapshots.record("bad")).settingPages[0]
        try database.run("UPDATE objects SET bytes = x'53' WHERE hash = ?", [.blob(page.bytes)])
        #expect(try store.snapshots.all().first?.damage?.contains("\(page)") == true)
        #expect(try store.snapshots.all().last?.damage == nil)
        let second = #expect(throws: StoreError.self) { try store.snapshots.content("bad") }
        #expect(second?.subject == "\(page)")
        // Its objects are unknown, so none is deleted.
        #expect(try store.snapshots.delete("good") == 0)
        #expect(try store.snapshots.delete("bad") > 0)
        #expect(try store.objects().count == 0)
    }

    @Test func anImportRewritesWhatIsDamagedOrMissing() throws {
        let store = try open()
        try store.set(("a", 1))
        let texts = ["file:/a": "board", "file:/b": "hello", "file:/c": "whole"]
        try store.take("mine", texts)
        let (mine, before) = (try store.snapshotView("mine"), try store.objects())
        let database = try store.store.open()
        func object(_ text: String) -> SQLiteValue { .blob(ObjectHash(of: Array(text.utf8)).bytes) }
        try database.run("UPDATE objects SET bytes = ? WHERE hash = ?", [.blob(Array("bored".utf8)), object("board")])
        try database.run("DELETE FROM objects WHERE hash = ?", [object("hello")])
        store.snapshots.known = nil
        #expect(throws: StoreError.self) { try store.snapshotView("mine") }
        // Captured here, it is not read again.
        try store.take("second", texts)
        #expect(throws: StoreError.self) { try store.snapshotView("second") }

        let imported = try store.snapshots.create(
            SnapshotRequest(
                name: "imported", generation: GenerationRef(store: "elsewhere", generation: 3),
                settings: mine.settings,
                resources: texts.map {
                    .init(resource: $0.key, adapter: "file", isSecret: false, state: .init(Array($0.value.utf8)))
                }, author: "tester", stamp: stamp))
        #expect(imported.snapshot?.ownBytes == 10, "what was damaged and what was missing, and nothing else")
        for name in ["mine", "second", "imported"] { #expect(try store.snapshotView(name).resources == texts) }
        #expect(try store.objects() == before)
        #expect(try store.snapshots.totals().bytes == before.bytes)
        store.snapshots.known = nil
        #expect(try store.snapshots.totals().bytes == before.bytes)
    }

    @Test func aMissingObjectAndAChangedRecordAreNamed() throws {
        let store = try open()
        try store.set(("a", 1))
        try store.take("mine", ["file:/etc/hostname": "board"])
        let database = try store.store.open()
        let board = ObjectHash(of: Array("board".utf8))
        try database.run("DELETE FROM objects WHERE hash = ?", [.blob(board.bytes)])
        let error = #expect(throws: StoreError.self) { try store.snapshotView("mine") }
        #expect(error?.subject == "\(board)" && error?.code == .damaged)
        #expect(error?.description.contains("missing") == true)
        try database.run("UPDATE snapshots SET generation = 7")
        let second = #expect(throws: StoreError.self) { try store.snapshots.content("mine") }
        #expect(second?.code == .damaged)
        #expect(try store.snapshots.all().first?.damage?.contains("record") == true)
        try store.snapshots.delete("mine")
        #expect(try store.objects().count == 0)
    }

    @Test func aSnapshotCanReferToWhatTheStoreHas() throws {
        let store = try open()
        try store.set(("a", 1))
        try store.take("first", ["file:/etc/hostname": "board", "file:/etc/motd": "hello"])
        let board = SnapshotRequest.State(Array("board".utf8))
        func second(_ name: String, size: Int64 = board.size) throws -> SnapshotOutcome {
            try store.outcome(
                name,
                [
                    .init(
                        resource: "file:/etc/hostname", adapter: "file", isSecret: false,
                        state: .init(storedAs: board.hash, size: size)),
                    .init(resource: "file:/etc/motd", adapter: "file", isSecret: false, state: .init([1, 2])),
                ])
        }
        #expect(try second("second").snapshot != nil)
        #expect(try store.snapshotView("second").resources["file:/etc/hostname"] == "board")
        // It keeps the object when the first one is deleted, and then nothing has it.
        try store.snapshots.delete("first")
        #expect(try store.snapshotView("second").resources["file:/etc/hostname"] == "board")
        try store.snapshots.delete("second")
        let before = try store.objects()
        #expect(try second("third") == .lacking([board.hash]) && before == store.objects())
        #expect(try store.snapshots.all().isEmpty)
        // One of another size is damaged.
        try store.take("first", ["file:/etc/hostname": "board"])
        #expect(try second("third", size: board.size + 1) == .lacking([board.hash]))
    }

    @Test func whatWasLeftOutOfAnExportStaysLeftOut() throws {
        let store = try open()
        _ = try store.snapshots.create(
            SnapshotRequest(
                name: "imported", generation: GenerationRef(store: "elsewhere", generation: 12),
                settings: [
                    SnapshotSetting(path: "a", value: "1"), SnapshotSetting(path: "secret", value: nil),
                ],
                resources: [
                    .init(resource: "file:/etc/key", adapter: "file", isSecret: true, state: nil),
                    .init(
                        resource: "file:/etc/motd", adapter: "file", isSecret: false, state: .init(Array("hello".utf8))),
                ], author: "tester", stamp: stamp))
        let content = try store.snapshots.content("imported")
        #expect(content.snapshot.generation == GenerationRef(store: "elsewhere", generation: 12))
        #expect(content.settings.map(\.value) == ["1", nil])
        #expect(content.resources.map(\.isSecret) == [true, false])
        #expect(content.resources.map { $0.hash == nil } == [true, false])
        #expect(try store.snapshots.state(of: content.resources[0], in: "imported") == nil)
    }
}
