import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

/// A store with a second copy of generation 2, and generation 3 acknowledged but only in the write-ahead log.
func makeStoreWithCopy(in directory: TemporaryDirectory) throws -> GenerationRef {
    var store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
    try store.set(("system/hostname", "first"))
    try store.set(("system/hostname", "copied"), ("list", [1, 2]), ("odd/~0~1\"", 0.5))
    try store.close(stamp: stamp)
    store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
    try store.set(("system/hostname", "acknowledged"))
    return store.generation
}

@Suite(.tags(.board)) struct QuarantineTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open() throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
    }

    var main: String { directory.appending("settings.db") }
    var log: String { directory.appending("settings.db-wal") }

    /// A way for the main file to be no store any more.
    enum Damage: String, CaseIterable {
        case empty, text, short, random, otherProgram, noApplication, pages, tail

        func apply(to path: String) throws {
            var content = try bytes(path)
            switch self {
            case .empty: content = []
            case .text: content = Array("not a database\n".utf8)
            case .short: content = Array(content.prefix(60))
            case .random:
                var random = SeededGenerator(seed: 11)
                content = random.bytes(8192)
            case .otherProgram: content.replaceSubrange(68..<72, with: [1, 2, 3, 4])
            case .noApplication: content.replaceSubrange(68..<72, with: [0, 0, 0, 0])
            case .pages:
                for index in 1024..<content.count { content[index] = UInt8(truncatingIfNeeded: index &* 31) }
            case .tail: content = Array(content.prefix(1024))
            }
            try write(content, to: path)
        }
    }

    @Test(arguments: Damage.allCases)
    func aUselessMainFileIsQuarantinedWithItsLogAndTheCopyTakesItsPlace(damage: Damage) throws {
        let former = try makeStoreWithCopy(in: directory)
        try damage.apply(to: main)
        let (damaged, logged) = (try bytes(main), try bytes(log))
        #expect(logged.count > 5000)

        let store = try open()
        #expect(store.opening.isNew)
        try #require(store.opening.quarantined.map(\.file) == ["settings.db", "settings.db-wal"])
        let places = store.opening.quarantined.map(\.name)
        #expect(places[1] == places[0] + "-wal")
        #expect(try bytes(directory.appending(places[0])) == damaged)
        #expect(try bytes(directory.appending(places[1])) == logged)
        #expect(store.opening.restored == GenerationRef(store: former.store, generation: 2))
        #expect(store.opening.notes.count == 3)
        #expect(try store.values == ["system/hostname": "copied", "list": [1, 2], "odd/~0~1\"": 0.5])
        #expect(store.generation.generation == 4, "3 was acknowledged, and is given to no other")
        #expect(store.generation.store != former.store)
        #expect(try store.history.record(number: 4)?.state == .restored)
        #expect(try store.set(("after", 1)) == 5)
        #expect(
            #expect(throws: StoreError.self) { try store.history.differences(from: 2, to: 5) }?.code == .historyGone)
        #expect(try store.history.differences(from: 4, to: 5).map(\.path.text) == ["after"])
        let reference = store.generation
        try store.close(stamp: stamp)

        let again = try open()
        #expect(again.opening == StoreOpening())
        #expect(again.generation == reference)
        #expect(try bytes(directory.appending(places[0])) == damaged)
    }

    @Test func aSoundDatabaseWithTheMarkButWithoutTheTablesIsQuarantined() throws {
        _ = try makeStoreWithCopy(in: directory)
        try DirectoryListing.remove(main)
        try DirectoryListing.remove(log)
        try write([], to: main)
        let reason: String
        do {
            let database = try Database(path: main)
            try database.execute("PRAGMA application_id=\(StoreFormat.applicationID)")
            try database.execute("PRAGMA user_version=1000")
            try database.execute("CREATE TABLE other(a)")
            reason = try StoreFigures.read(database).reason
        }
        let store = try open()
        #expect(store.opening.quarantined.first?.file == "settings.db")
        #expect(!reason.isEmpty && store.opening.quarantined.first?.reason == reason)
        #expect(try store.values["system/hostname"] == "copied")
    }

    @Test func withoutACopyTheStoreStartsEmptyAndReportsIt() throws {
        _ = try makeStoreWithCopy(in: directory)
        try DirectoryListing.remove(directory.appending("settings.copy.json"))
        try Damage.empty.apply(to: main)
        let store = try open()
        #expect(store.generation.generation == 0)
        #expect(store.opening.restored == nil)
        #expect(store.opening.isFailsafe)
    }

    @Test func aMissingMainFileIsRestoredAndItsLogQuarantined() throws {
        _ = try makeStoreWithCopy(in: directory)
        try DirectoryListing.remove(main)
        let logged = try bytes(log)
        let store = try open()
        #expect(store.opening.quarantined.map(\.file) == ["settings.db-wal"])
        #expect(try bytes(directory.appending(store.opening.quarantined[0].name)) == logged)
        #expect(try store.values["system/hostname"] == "copied")
    }

    @Test func aMissingStoreIsRestoredFromItsCopyAlone() throws {
        _ = try makeStoreWithCopy(in: directory)
        try DirectoryListing.remove(main)
        try DirectoryListing.remove(log)
        let store = try open()
        #expect(store.opening.quarantined.isEmpty)
        #expect(store.opening.restored?.generation == 2)
        #expect(store.opening.notes.count == 1)
        #expect(try store.values["system/hostname"] == "copied")
    }

    @Test(arguments: [
        "", "{", "[]", "{\"cleat\":\"settings\",\"format\":2}",
        "{\"cleat\":\"settings\",\"format\":1,\"store\":\"x\",\"generation\":-1,\"boot_id\":\"\",\"boot_time\":0,\"settings\":{}}",
    ])
    func aCopyThatCannotBeReadIsQuarantinedToo(content: String) throws {
        _ = try makeStoreWithCopy(in: directory)
        try write(Array(content.utf8), to: directory.appending("settings.copy.json"))
        try Damage.random.apply(to: main)
        let store = try open()
        #expect(store.opening.quarantined.map(\.file) == ["settings.db", "settings.db-wal", "settings.copy.json"])
        #expect(try bytes(directory.appending(store.opening.quarantined[2].name)) == Array(content.utf8))
        #expect(store.generation.generation == 0)
        #expect(try store.values.isEmpty)
    }

    @Test func namesDoNotClash() throws {
        for round in 1...4 {
            _ = try makeStoreWithCopy(in: directory)
            try write(Array("round \(round)".utf8), to: main)
            _ = try open()
        }
        let aside = try names(in: directory.text).filter { $0.hasPrefix("quarantined-") && $0.hasSuffix(".db") }
        #expect(aside.count == 4)
        #expect(Set(try aside.map { try bytes(directory.appending($0)) }).count == 4)
    }

    @Test func journalsAndSharedMemoryGoAlong() throws {
        _ = try makeStoreWithCopy(in: directory)
        try Damage.empty.apply(to: main)
        try write([1], to: main + "-journal")
        try write([2], to: main + "-shm")
        let store = try open()
        #expect(
            store.opening.quarantined.map(\.file) == [
                "settings.db", "settings.db-wal", "settings.db-journal", "settings.db-shm",
            ])
        #expect(try store.set(("a", 1)) == 5)
    }

    @Test(arguments: [2000, 2001, 3005, 999, 0, -1, Int32.min])
    func anotherMajorVersionIsAnErrorThatTouchesNothing(version: Int32) throws {
        _ = try makeStoreWithCopy(in: directory)
        var content = try bytes(main)
        let number = UInt32(bitPattern: version)
        content.replaceSubrange(60..<64, with: (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
        try write(content, to: main)
        let before = try contents(in: directory.text)
        let error = #expect(throws: StoreError.self) { _ = try open() }
        #expect(error?.code == .otherVersion)
        #expect(error?.description.hasSuffix("it is unchanged; install the release that wrote it.") == true)
        #expect(try contents(in: directory.text) == before)
    }

    @Test func aReleaseNotesItselfForOneThatCannotReadItsStore() throws {
        let note = directory.appending("settings.release")
        func start(_ release: String?) throws {
            let file = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
            if let release { try file.note(release: release) }
            try file.close(stamp: nil)
        }
        try start(nil)
        #expect(!(try names(in: directory.text).contains("settings.release")))
        for release in ["9.8.7", "9.8.6"] {
            try start(release)
            #expect(try bytes(note) == Array("\(release)\n".utf8))
        }
        let written = FileStamp(note)
        try start("9.8.6")
        #expect(FileStamp(note) == written, "a note that is right is not written")

        var content = try bytes(main)
        content.replaceSubrange(60..<64, with: [0, 0, 7, 208])
        try write(content, to: main)
        for (text, words) in [
            ("9.8.6\n", "install Cleat 9.8.6, which has used it last, or a newer release."),
            ("\u{1B}[31m\n", "install the release that wrote it."), ("", "install the release that wrote it."),
        ] {
            try write(Array(text.utf8), to: note)
            let before = try contents(in: directory.text)
            let error = #expect(throws: StoreError.self) { try start("0.1.0") }
            #expect(error?.description.hasSuffix(words) == true, "\(error?.description ?? "none")")
            #expect(try contents(in: directory.text) == before)
        }
    }

    @Test func anotherMajorVersionThatOnlyTheLogHoldsIsSeenToo() throws {
        _ = try makeStoreWithCopy(in: directory)
        do {
            let database = try Database(path: main)
            try database.persistLog()
            try database.checkpointOnClose(false)
            try database.execute("PRAGMA locking_mode=EXCLUSIVE")
            try database.execute("PRAGMA user_version=2000")
        }
        let before = try contents(in: directory.text)
        let error = #expect(throws: StoreError.self) { _ = try open() }
        #expect(error?.code == .otherVersion)
        #expect(error?.description.contains("2.0") == true)
        #expect(try contents(in: directory.text) == before)
    }

    @Test func anotherMinorVersionIsReadWrittenAndLeftAsItIs() throws {
        _ = try makeStoreWithCopy(in: directory)
        do {
            let database = try Database(path: main)
            try database.persistLog()
            try database.execute("PRAGMA locking_mode=EXCLUSIVE")
            try database.execute("CREATE TABLE later(id INTEGER PRIMARY KEY, content BLOB)")
            try database.execute("INSERT INTO later VALUES(1, x'00ff')")
            try database.execute("ALTER TABLE generations ADD COLUMN armed INTEGER")
            try database.execute("UPDATE generations SET armed = 5")
            try database.execute("PRAGMA user_version=1007")
        }
        do {
            let store = try open()
            #expect(store.opening == StoreOpening())
            #expect(try store.values["system/hostname"] == "acknowledged")
            #expect(try store.set(("system/hostname", "older release")) == 4)
            try store.close(stamp: stamp)
        }
        let database = try Database(path: main)
        try database.persistLog()
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        #expect(try database.value("PRAGMA user_version", as: Int64.self) == 1007)
        #expect(try database.value("SELECT content FROM later", as: [UInt8].self) == [0, 255])
        #expect(try database.value("SELECT armed FROM generations WHERE number = 3", as: Int64.self) == 5)
        #expect(try database.value("SELECT count(*) FROM generations", as: Int64.self) == 4)
    }

    @Test func rowsThatThisReleaseCannotReadAreKeptAndNamed() throws {
        do {
            let store = try open()
            try store.set(("a", 1))
            try store.store.open().run("INSERT INTO settings VALUES('/bad path', '1', 1), ('bad/value', 'x', 1)")
        }
        try DirectoryListing.remove(directory.appending("settings.newest"))
        let store = try open()
        #expect(store.opening.notes.isEmpty)
        let state = try store.settings.state()
        #expect(state.unreadable == ["/bad path", "bad/value"])
        #expect(state.settings.map(\.path.text) == ["a"])
        try store.set(("b", 1))
        #expect(try store.settings.state().unreadable.count == 2)
    }
}
