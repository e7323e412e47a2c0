import CleatFiles
import CleatTestSupport
import SystemPackage
import Testing

/// Returns the error that a call throws.
func failure(_ call: () async throws -> Void) async throws -> FilesError {
    do {
        try await call()
    } catch let error as FilesError {
        return error
    }
    Issue.record("no error was thrown")
    throw FilesError(.failed, path: "", message: "no error was thrown")
}

@Suite(.tags(.board)) struct SandboxTests {
    let directory: TemporaryDirectory
    let sandbox: Sandbox

    init() throws {
        directory = try TemporaryDirectory()
        sandbox = try Sandbox(at: directory.text)
    }

    @Test func aFileIsWrittenReadAppendedAndRemoved() async throws {
        try await sandbox.makeDirectory("notes/old", withParents: true)
        #expect(try await !sandbox.exists("notes/a.txt"))
        try await sandbox.write([1, 2], to: "notes/a.txt", permissions: 0o600)
        try await sandbox.append([3], to: "notes/a.txt")
        #expect(try await sandbox.read("notes/a.txt") == [1, 2, 3])
        #expect(try await sandbox.read("notes/a.txt", from: 1, upTo: 1) == [2])
        #expect(try await failure { _ = try await sandbox.read("notes/a.txt", limit: 2) }.code == .tooLarge)
        #expect(try await sandbox.exists("notes/a.txt"))
        #expect(try await sandbox.isReadable("notes/a.txt"))
        #expect(try await sandbox.isWritable("notes/a.txt"))
        #expect(try await !sandbox.isReadable("notes/b.txt"))
        #expect(try await failure { try await sandbox.remove("notes") }.code == .notEmpty)
        try await sandbox.remove("notes/a.txt")
        try await sandbox.remove("notes/old")
        try await sandbox.remove("notes")
        #expect(try names(in: directory.text) == [])
    }

    @Test func typedPathsAreTheSameFilesAsTexts() async throws {
        let path = try FilesPath("a.txt")
        try await sandbox.write([1], to: path)
        #expect(try await sandbox.read("a.txt") == sandbox.read(path))
    }

    @Test func attributesAndPermissionsAreThoseOfTheFile() async throws {
        try await sandbox.write([1, 2, 3], to: "a")
        let before = try await sandbox.attributes(of: "a")
        #expect(before.type == .regular && before.size == 3 && before.permissions == 0o640)
        try await sandbox.setPermissions(0, of: "a")
        try await sandbox.setPermissions(0o604, of: "a")
        #expect(try await sandbox.attributes(of: "a").permissions == 0o604)
        #expect(try await sandbox.attributes(of: "a").modified == before.modified)
        try await sandbox.makeDirectory("d")
        try await sandbox.setPermissions(0o700, of: "d")
        #expect(try await sandbox.attributes(of: "d").permissions == 0o700)
        let error = try await failure { try await sandbox.setPermissions(0o4755, of: "a") }
        #expect(error.code == .denied && error.message == "04755 has bits that are not permissions")
        let real = try #require(try await sandbox.realPath(of: "a"))
        #expect(try bytes(of: .init(real)) == [1, 2, 3])
    }

    @Test func filesAreMovedCopiedAndRenamed() async throws {
        try await sandbox.write([1], to: "a.txt", permissions: 0o600)
        try await sandbox.makeDirectory("d")
        #expect(try await sandbox.changeExtension(of: "a.txt", to: "md").description == "a.md")
        #expect(try await sandbox.rename("a.md", to: "b.md").description == "b.md")
        #expect(try await failure { try await sandbox.rename("b.md", to: "d/b.md") }.code == .badPath)
        try await sandbox.copy("b.md", to: "d/c.md")
        #expect(try await failure { try await sandbox.move("b.md", to: "d/c.md") }.code == .exists)
        try await sandbox.move("b.md", to: "d/c.md", replacing: true)
        #expect(try await sandbox.read("d/c.md") == [1])
        #expect(try await sandbox.attributes(of: "d/c.md").permissions == 0o600)
        let other = try Sandbox(at: directory.appending("other"))
        try await sandbox.copy("d/c.md", into: other, as: "e")
        #expect(try await other.read("e") == [1])
    }

    @Test func aWriterCommitsAWholeFileOrNothing() async throws {
        try await sandbox.write([0], to: "a")
        let content = [UInt8](repeating: 7, count: 3 * FilesReader.partSize + 1)
        let writer = try await sandbox.writer("a")
        try await writer.write(content)
        #expect(try await sandbox.read("a") == [0])
        try await writer.commit()
        #expect(try await failure { try await writer.write([1]) }.code == .ended)
        #expect(try await failure { try await writer.commit() }.code == .ended)
        var read: [UInt8] = []
        for try await part in try await sandbox.reader("a").parts { read += part }
        #expect(read == content)
        var released: FilesWriter? = try await sandbox.writer("b")
        try await released?.write([1])
        #expect(try names(in: directory.text).count == 2)
        released = nil
        #expect(try names(in: directory.text) == ["a"])
    }

    @Test func countsOfAnySizeAreRead() async throws {
        try await sandbox.write([1, 2, 3], to: "a")
        let reader = try await sandbox.reader("a")
        for (offset, count, expected) in [
            (0, Int.max, [1, 2, 3]), (2, .max, [3]), (.max, .max, []), (0, 0, []),
        ] as [(Int64, Int, [UInt8])] {
            #expect(try await sandbox.read("a", from: offset, upTo: count) == expected)
            #expect(try await reader.read(from: offset, upTo: count) == expected)
        }
        #expect(try await sandbox.read("a", limit: .max) == [1, 2, 3])
        #expect(try await failure { _ = try await sandbox.read("a", limit: .min) }.code == .tooLarge)
        let page = try await sandbox.page(at: .root, recursive: true, after: nil, limit: .min)
        #expect(page.entries.count == 1)
    }

    @Test func aReaderKeepsItsFile() async throws {
        try await sandbox.write([1], to: "a")
        let reader = try await sandbox.reader("a")
        try await sandbox.write([2, 3], to: "a")
        #expect(try await reader.read(from: 0, upTo: 10) == [1])
    }

    @Test func aListingHasAllPagesInOrder() async throws {
        let count = FilesPage.limit + 5
        for number in 0..<count { try directory.write("", to: "\(10_000 + number)") }
        try RawFiles.make([0xFF], in: directory.text)
        var paths: [String] = []
        for try await entry in sandbox.list() { paths.append(entry.path.description) }
        #expect(paths == (0..<count).map { "\(10_000 + $0)" })
        let page = try await sandbox.page(at: .root, recursive: false, after: FilesPath("10001"), limit: 2)
        #expect(page.entries.map(\.path.description) == ["10002", "10003"] && page.hasMore && page.unnameable == 1)
    }

    @Test func allOperationsAreOfferedWithoutATask() throws {
        let count = try sandbox.sync { files in
            try await files.write([1], to: "a")
            var count = 0
            for try await _ in files.list() { count += 1 }
            return count
        }
        #expect(count == 1)
        let error = #expect(throws: FilesError.self) { try sandbox.sync { files in try await files.read("b") } }
        #expect(error?.code == .notFound)
    }

    @Test func aCancelledTaskChangesNothing() async throws {
        let sandbox = sandbox
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await failure { try await sandbox.write([1], to: "a") }.code
        }
        #expect(try await task.value == .cancelled)
        #expect(try await !sandbox.exists("a"))
    }

    @Test func theQuotaIsKept() async throws {
        let small = try await Sandbox.open(at: directory.appending("small"), quota: Quota(bytes: 10, files: 2))
        try await small.write([UInt8](repeating: 0, count: 10), to: "a")
        let error = try await failure { try await small.append([1], to: "a") }
        #expect(error.code == .quotaBytes && error.path == "a")
        #expect(error.remedy == "remove files, or raise the quota")
        try await small.write([], to: "b")
        #expect(try await failure { try await small.write([], to: "c") }.code == .quotaFiles)
    }
}
