import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

@Suite(.tags(.board)) struct OpeningTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    var place: FilePath { directory.path.appending("deep/er/store") }

    @Test func aStoreLooksAsItShould() throws {
        let store = try StoreFile(directory: place, stamp: stamp)
        try store.set(("a", 1))
        let head = try bytes(place.appending("settings.db").string)
        #expect(head[16...17] == [4, 0], "pages of 1,024 bytes")
        #expect(head[18...19] == [2, 2], "write-ahead log")
        #expect(head[60...63] == [0, 0, 3, 232], "format 1.0")
        #expect(head[68...71] == Array("Clea".utf8)[...], "the mark of the program")
        #expect(
            try names(in: place.string) == ["settings.db", "settings.db-wal", "settings.newest"], "no -shm, no -journal"
        )
        #expect(try DirectoryListing.mode(place.string) == 0o700)
        for name in try names(in: place.string) {
            #expect(try DirectoryListing.mode(place.appending(name).string) == 0o600)
        }
        let database = try store.store.open()
        #expect(try database.value("PRAGMA synchronous", as: Int64.self) == 2)
        #expect(try database.value("PRAGMA locking_mode", as: String.self) == "exclusive")
        #expect(try database.value("PRAGMA journal_mode", as: String.self) == "wal")
        #expect(try database.value("PRAGMA journal_size_limit", as: Int64.self) == -1)
        #expect(try database.value("PRAGMA mmap_size", as: Int64.self) == 0)
    }

    @Test func theLogIsKeptAndNeverGetsShorter() throws {
        var sizes: [Int64] = []
        for round in 0..<3 {
            let store = try StoreFile(directory: place, stamp: stamp, limits: smallLimits)
            for index in 0..<40 { try store.set(("a", .integer(Int64(round * 100 + index)))) }
            sizes.append(try store.statistics().logBytes)
            try store.close(stamp: stamp)
            sizes.append(Int64(try bytes(place.appending("settings.db-wal").string).count))
        }
        #expect(sizes[0] >= smallLimits.logBytes)
        #expect(Set(sizes).count == 1, "\(sizes)")
    }

    @Test func everyStoreHasAnIdOfItsOwn() throws {
        let first = try StoreFile(directory: directory.path.appending("a"), stamp: stamp)
        let second = try StoreFile(directory: directory.path.appending("b"), stamp: stamp)
        #expect(first.generation.store != second.generation.store)
    }

    @Test func aSecondInstanceIsRefused() throws {
        let store = try StoreFile(directory: place, stamp: stamp)
        let error = #expect(throws: StoreError.self) { _ = try StoreFile(directory: place, stamp: stamp) }
        #expect(error?.code == .inUse)
        #expect(error?.description.contains(place.string) == true)
        try store.set(("a", 1))
        try store.close(stamp: nil)
        let next = try StoreFile(directory: place, stamp: stamp)
        #expect(try next.values == ["a": 1])
    }

    @Test func aSecondProcessIsRefused() async throws {
        let result: ChildResult
        do {
            let store = try StoreFile(directory: place, stamp: stamp)
            try store.set(("a", 1))
            result = try await runWriter(["open", place.string])
            try store.set(("a", 2))
        }
        #expect(result.outputText.hasPrefix("error in_use"), "\(result.outputText)")
        #expect(try await runWriter(["open", place.string]).outputText == "open 2\ndone\n")
    }

    @Test func anotherProgramInTheFileIsNoDamage() throws {
        do {
            let store = try StoreFile(directory: place, stamp: stamp)
            try store.set(("a", 1))
            try store.close(stamp: nil)
        }
        let other = try Database(path: place.appending("settings.db").string)
        try other.persistLog()
        try other.execute("PRAGMA locking_mode=EXCLUSIVE")
        _ = try other.value("SELECT count(*) FROM settings", as: Int64.self)
        let error = #expect(throws: StoreError.self) { _ = try StoreFile(directory: place, stamp: stamp) }
        #expect(error?.code == .inUse)
        #expect(try names(in: place.string) == ["settings.db", "settings.db-wal", "settings.newest"])
    }

    @Test(.enabled(if: DirectoryListing.isRoot, "needs root, to run the writer as another user"))
    func aStoreOfAnotherUserIsLeftAlone() async throws {
        let nobody = ChildCommand.User(uid: 65534, gid: 65534)
        try DirectoryListing.setMode(directory.text, 0o755)
        do {
            let store = try StoreFile(directory: directory.path.appending("s"), stamp: stamp)
            try store.set(("a", 1))
        }
        try DirectoryListing.setMode(directory.appending("s"), 0o755)
        let before = try contents(in: directory.appending("s"))
        for arguments in [["open", directory.appending("s")], ["open", directory.appending("t")]] {
            let result = try await runWriter(arguments, user: nobody)
            #expect(result.outputText.hasPrefix("error access_denied"), "\(result.outputText)")
        }
        // A file that can only be read is no reason to make a new store either.
        try DirectoryListing.setOwner(directory.appending("s"), 65534)
        try DirectoryListing.setMode(directory.appending("s/settings.db"), 0o444)
        let result = try await runWriter(["open", directory.appending("s")], user: nobody)
        #expect(result.outputText.hasPrefix("error access_denied"), "\(result.outputText)")
        #expect(try contents(in: directory.appending("s")) == before)
    }

    @Test func tooManyOpenFilesAreNoDamage() async throws {
        do {
            let store = try StoreFile(directory: place, stamp: stamp)
            try store.set(("a", 1))
        }
        let before = try contents(in: place.string)
        // The directory, the main file, its log: each is one too many in turn.
        var refused = 0
        for limit in 4...7 {
            let result = try await runWriter(
                ["open", place.string], limits: [ResourceLimit(.openFiles, UInt64(limit))])
            // Below some limit the program itself cannot be loaded.
            guard result.outputText.hasPrefix("error ") else { continue }
            refused += 1
            #expect(result.outputText.hasPrefix("error too_many_files"), "\(limit): \(result.outputText)")
            #expect(try contents(in: place.string) == before)
        }
        #expect(refused >= 2)
        #expect(try await runWriter(["open", place.string]).outputText == "open 1\ndone\n")
    }

    @Test func whatIsNoFileIsLeftAlone() throws {
        try DirectoryListing.makeDirectory(directory.appending("s"))
        try DirectoryListing.makeDirectory(directory.appending("s/settings.db"))
        var error = #expect(throws: StoreError.self) {
            _ = try StoreFile(directory: directory.path.appending("s"), stamp: stamp)
        }
        #expect(error?.code == .invalidDirectory)
        try DirectoryListing.makeDirectory(directory.appending("l"))
        try DirectoryListing.makeLink(directory.appending("l/settings.db"), to: "/etc/passwd")
        error = #expect(throws: StoreError.self) {
            _ = try StoreFile(directory: directory.path.appending("l"), stamp: stamp)
        }
        #expect(error?.code == .invalidDirectory)
        try directory.write("x", to: "file")
        error = #expect(throws: StoreError.self) {
            _ = try StoreFile(directory: directory.path.appending("file"), stamp: stamp)
        }
        #expect(error?.code == .invalidDirectory)
    }

    @Test func leftoversOfAPowerCutAreRemoved() throws {
        do {
            let store = try StoreFile(directory: place, stamp: stamp)
            try store.set(("a", 1))
        }
        for name in [".cleat-new-settings.db", ".cleat-new-settings.db-wal", ".cleat-write-12"] {
            try write([1], to: place.appending(name).string)
        }
        let store = try StoreFile(directory: place, stamp: stamp)
        #expect(store.opening.swept == 3)
        #expect(try names(in: place.string) == ["settings.db", "settings.db-wal", "settings.newest"])
        #expect(try store.values == ["a": 1])
    }

    @Test(arguments: [
        (SQLiteCode.inputOutput, Errno.ioError, StoreError.Code.inputOutput), (.inputOutput, .noSpace, .diskFull),
        (.inputOutput, .diskQuotaExceeded, .diskFull), (.full, .noSpace, .diskFull),
        (.cannotOpen, .tooManyOpenFiles, .tooManyFiles), (.cannotOpen, .tooManyOpenFilesInSystem, .tooManyFiles),
        (.cannotOpen, .permissionDenied, .accessDenied), (.cannotOpen, .readOnlyFileSystem, .readOnly),
        (.readOnly, .readOnlyFileSystem, .readOnly), (.busy, .resourceTemporarilyUnavailable, .inUse),
        (.corrupt, .ioError, .corrupt), (.notADatabase, .ioError, .corrupt), (.outOfMemory, .noMemory, .outOfMemory),
        (.error, .ioError, .internalError),
    ])
    func causesAreReported(code: SQLiteCode, cause: Errno, expected: StoreError.Code) {
        let error = StoreError(SQLiteError(code: code, sql: "COMMIT", message: "m", cause: cause), "/s/settings.db")
        #expect(error.code == expected)
        #expect(error.description.contains("/s/settings.db"))
        #expect(error.description.contains("COMMIT"))
        #expect(error.description.hasSuffix(")."))
    }
}
