import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

/// The format has one version; a newer minor one of the same major is read and written, and keeps what it has added.
@Suite struct FormatTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open() throws(StoreError) -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
    }

    func version(of store: StoreFile) throws -> Int64? {
        try store.store.open().value("PRAGMA user_version", as: Int64.self)
    }

    @Test func aNewStoreHasAllTablesAndNothingAddsOthers() throws {
        let store = try open()
        let names = StoreFormat.tables.map(\.name).sorted()
        func tables() throws -> [String] {
            let rows = try store.store.open().prepare(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            var names: [String] = []
            while try rows.step() { names.append(try rows.column(0)) }
            return names
        }
        #expect(try tables() == names)
        try use(store, from: 0)
        #expect(try tables() == names)
        #expect(try version(of: store) == 1000)
    }

    /// Does everything that writes to a table.
    private func use(_ store: StoreFile, from number: Int64) throws {
        #expect(try store.set(("a", .integer(number + 1))) == number + 1)
        try store.arm(
            "kept-\(number)", [("b", .integer(number)), ("documents/x", .string("sha256:" + document.hash))],
            mementos: [memento("r")], origins: [memento("r\(number)")], contents: [document])
        try store.trials.awaitConfirm(
            deadline: deadline(1),
            fingerprints: [StoredFingerprint(resource: "r", adapter: "file", wanted: "w", found: "f")], results: "[]")
        _ = try store.trials.confirm(id: "kept-\(number)", note: .confirmedBy(probes: "link:lo"))
        try store.arm("undone-\(number)", [("a", nil)], mementos: [memento("r")])
        #expect(try store.undo() == number + 4)
        try store.take("snapshot-\(number)", ["file:/a": "b"])
        #expect(try store.values["a"] == .integer(number + 1))
    }

    @Test func aNewerMinorVersionIsReadAndWrittenAndKeepsWhatItHasAdded() throws {
        do {
            let store = try open()
            try use(store, from: 0)
            let database = try store.store.open()
            for table in StoreFormat.tables {
                try database.execute("ALTER TABLE \(table.name) ADD COLUMN added TEXT")
            }
            try database.execute("UPDATE generations SET added = 'kept'")
            try database.execute("CREATE TABLE added(id INTEGER PRIMARY KEY, content BLOB)")
            try database.execute("INSERT INTO added VALUES(1, x'00ff')")
            try database.execute("PRAGMA user_version=1007")
            try store.close(stamp: nil)
        }
        let store = try open()
        #expect(store.opening == StoreOpening())
        try use(store, from: 4)
        #expect(try store.snapshotView("snapshot-0").resources == ["file:/a": "b"])
        #expect(try store.history.record(reverting: 3)?.number == 4)
        #expect(try store.contents.content(document.hash) == document.bytes)
        #expect(try version(of: store) == 1007)
        let database = try store.store.open()
        #expect(try database.value("SELECT content FROM added", as: [UInt8].self) == [0, 255])
        #expect(try database.value("SELECT count(*) FROM generations WHERE added = 'kept'", as: Int64.self) == 4)
    }
}
