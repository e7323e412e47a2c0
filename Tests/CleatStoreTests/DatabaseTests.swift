import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatStore

@Suite(.tags(.board)) struct DatabaseTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("", to: "test.db")
    }

    func open(_ hook: StorageHook? = nil) throws -> Database {
        try Database(path: directory.appending("test.db"), hook: hook)
    }

    /// With a journal in memory and hardly any cache, pages are written to the file and read from it all the time.
    @Test func pagesReadAheadAreThoseOfTheFile() throws {
        let reads = Mutex(0)
        let database = try open { operation in
            if operation.kind == .read { reads.withLock { $0 += 1 } }
            return .proceed
        }
        database.setReadingAhead(true)
        try database.execute("PRAGMA page_size=1024")
        try database.execute("PRAGMA journal_mode=MEMORY")
        try database.execute("PRAGMA cache_size=8")
        try database.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
        var random = SeededGenerator(seed: 5)
        var expected: [Int64: String] = [:]
        for turn in 0..<2_000 {
            let key = Int64.random(in: 0..<400, using: &random)
            if turn < 400 || turn % 3 == 0 {
                let text = String(repeating: "\(turn) ", count: Int.random(in: 1...60, using: &random))
                try database.run("INSERT OR REPLACE INTO t VALUES(?, ?)", [.integer(key), .text(text)])
                expected[key] = text
            } else {
                #expect(try database.value("SELECT b FROM t WHERE a = \(key)") == expected[key])
            }
        }
        #expect(try database.value("PRAGMA integrity_check", as: String.self) == "ok")
        #expect(reads.withLock { $0 } > 2_000, "the hook is asked for each page")
        database.setReadingAhead(false)
        #expect(try database.value("SELECT count(*) FROM t") == Int64(expected.count))
    }

    @Test func columnsKeepTheirTypes() throws {
        let database = try open()
        try database.execute("CREATE TABLE t(a, b, c, d)")
        try database.run(
            "INSERT INTO t VALUES(?, ?, ?, ?)", [.integer(.min), .text("e\u{301}\0x"), .blob([0, 255]), .null])
        try database.run("INSERT INTO t VALUES(?, ?, ?, ?)", [.integer(1), .text(""), .blob([]), .integer(7)])
        let rows = try database.prepare("SELECT * FROM t ORDER BY rowid")
        #expect(try rows.step())
        #expect(try rows.column(0, as: Int64.self) == .min)
        #expect(try Array(rows.column(1, as: String.self).utf8) == Array("e\u{301}\0x".utf8))
        #expect(try rows.column(2, as: [UInt8].self) == [0, 255])
        #expect(try rows.column(3, as: Int64?.self) == nil)
        #expect(try rows.step())
        #expect(try rows.column(1, as: String.self) == "")
        #expect(try rows.column(2, as: [UInt8].self) == [])
        #expect(try rows.column(3, as: Int64?.self) == 7)
        #expect(try !rows.step())
    }

    @Test func aColumnOfAnotherTypeIsAnErrorAndNoConversion() throws {
        let database = try open()
        let row = try database.prepare("SELECT '12', 12, NULL")
        #expect(try row.step())
        let errors = [
            #expect(throws: SQLiteError.self) { try row.column(0, as: Int64.self) },
            #expect(throws: SQLiteError.self) { try row.column(1, as: String.self) },
            #expect(throws: SQLiteError.self) { try row.column(2, as: String.self) },
            #expect(throws: SQLiteError.self) { try row.column(1, as: [UInt8].self) },
        ]
        for error in errors {
            #expect(error?.code == .mismatch)
            #expect(error?.sql == "SELECT '12', 12, NULL")
        }
    }

    @Test func errorsCarryTheExtendedCodeTheSQLAndTheRemedy() throws {
        let database = try open()
        try database.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE)")
        try database.run("INSERT INTO t VALUES(1, 2)")
        let unique = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO t VALUES(2, 2)") }
        #expect(unique?.code.rawValue == 2067)
        #expect(unique?.code.primary.rawValue == 19)
        #expect(unique?.sql == "INSERT INTO t VALUES(2, 2)")
        let syntax = #expect(throws: SQLiteError.self) { try database.execute("SELEC 1") }
        #expect(syntax?.code.primary == .error)
        #expect(syntax?.sql == "SELEC 1")
        #expect(#expect(throws: SQLiteError.self) { try database.execute("") }?.code == .error)
        #expect(throws: SQLiteError.self) { try database.run("INSERT INTO t VALUES(?, ?)", [.null, .null, .null]) }
    }

    @Test(arguments: [
        (SQLiteCode.full, "free space"), (.busy, "other program"), (.corrupt, "second copy"), (.readOnly, "writable"),
        (.cannotOpen, "permissions"), (.inputOutput, "kernel's log"),
    ])
    func remediesSayWhatToDo(code: SQLiteCode, remedy: String) {
        let error = SQLiteError(code: SQLiteCode(rawValue: code.rawValue | 3 << 8), sql: "COMMIT", message: "no")
        #expect(error.description.contains(remedy))
    }

    @Test func aFailedTransactionLeavesNothing() throws {
        let database = try open()
        try database.execute("CREATE TABLE t(a UNIQUE)")
        #expect(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in
                try database.run("INSERT INTO t VALUES(1)")
                try database.run("INSERT INTO t VALUES(1)")
            }
        }
        #expect(try database.value("SELECT count(*) FROM t", as: Int64.self) == 0)
        try database.transaction { () throws(SQLiteError) in try database.run("INSERT INTO t VALUES(1)") }
        #expect(try database.value("SELECT count(*) FROM t", as: Int64.self) == 1)
    }

    @Test func aFileThatIsMissingIsNotMade() throws {
        let error = #expect(throws: SQLiteError.self) { try Database(path: directory.appending("none.db")) }
        #expect(error?.code.primary == .cannotOpen)
        #expect(error?.cause == .noSuchFileOrDirectory)
        #expect(try names(in: directory.text) == ["test.db"])
    }

    @Test func bytesAndFlushesAreCounted() throws {
        let database = try open()
        #expect(database.bytesWritten == 0)
        #expect(database.syncs == 0)
        try database.execute("CREATE TABLE t(a)")
        #expect(database.bytesWritten >= 4096 * 2)
        #expect(database.syncs >= 2)
        let before = (database.bytesWritten, database.syncs)
        _ = try database.value("SELECT count(*) FROM t", as: Int64.self)
        #expect(before == (database.bytesWritten, database.syncs))
    }

    @Test func theHookSeesEachOperationAndMayFailIt() throws {
        var kinds: Set<StorageOperation.Kind> = []
        var failing: StorageOperation.Kind?
        let database = try open { operation in
            kinds.insert(operation.kind)
            return operation.kind == failing ? .fail(SQLiteCode(rawValue: 10 | 3 << 8)) : .proceed
        }
        try database.execute("CREATE TABLE t(a)")
        #expect(kinds.isSuperset(of: [.open, .write, .sync]))
        failing = .write
        let error = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO t VALUES(1)") }
        #expect(error?.code.primary == .inputOutput)
        failing = nil
        #expect(try database.value("SELECT count(*) FROM t", as: Int64.self) == 0)
    }
}
