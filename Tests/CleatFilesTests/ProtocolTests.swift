import CleatFiles
import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

/// Counts the reads of other files.
final class CountingFiles<Base: FilesReading>: FilesReading {
    let base: Base
    let reads = Mutex(0)

    init(_ base: Base) { self.base = base }

    var label: String { base.label }

    func read(at path: FilesPath, from offset: Int64, upTo count: Int) async throws(FilesError) -> [UInt8] {
        reads.withLock { $0 += 1 }
        return try await base.read(at: path, from: offset, upTo: count)
    }
}

/// Files in memory that can only be read.
struct MemoryFiles: FilesReading, FilesStatus {
    let label = "memory"
    let contents: [FilesPath: [UInt8]]

    private func content(_ path: FilesPath) throws(FilesError) -> [UInt8] {
        if let content = contents[path] { return content }
        throw FilesError(.notFound, path: "\(path)", message: "“\(path)” is not in memory", remedy: "add it")
    }

    func read(at path: FilesPath, from offset: Int64, upTo count: Int) async throws(FilesError) -> [UInt8] {
        Array(try content(path).dropFirst(Int(offset)).prefix(count))
    }

    func attributes(at path: FilesPath) async throws(FilesError) -> FileAttributes {
        let time = FileTime(seconds: 0, nanoseconds: 0)
        return FileAttributes(
            type: .regular, size: Int64(try content(path).count), permissions: 0o444,
            owner: FileOwner(user: 0, group: 0), modified: time, changed: time)
    }

    func isReadable(at path: FilesPath) async throws(FilesError) -> Bool { contents[path] != nil }
    func isWritable(at path: FilesPath) async throws(FilesError) -> Bool { false }
}

struct ProtocolTests {
    let content = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })

    private func memory() throws(FilesError) -> MemoryFiles {
        MemoryFiles(contents: [try FilesPath("notes/a"): content])
    }

    @Test func anImplementationOfReadingGetsTheRest() async throws {
        let files = try memory()
        #expect(try await files.read("notes/a") == content)
        #expect(try await files.read("notes/a", limit: .max) == content)
        #expect(try await files.exists("notes/a"))
        #expect(try await !files.exists("notes/b"))
        #expect(try await files.realPath(of: "notes/a") == nil)
        let error = try await failure { _ = try await files.read("notes/a", limit: 199_999) }
        #expect(error.code == .tooLarge)
        #expect(error.description == "“notes/a” in memory has more than 199999 bytes; read it in parts")
        #expect(try await failure { _ = try await files.read("../a") }.code == .badPath)
        var read: [UInt8] = []
        for try await part in try await files.reader("notes/a").parts { read += part }
        #expect(read == content)
    }

    @Test func aWrapperSeesEachRead() async throws {
        let files = CountingFiles(try memory())
        _ = try await files.read("notes/a")
        for try await _ in try await files.reader("notes/a").parts {}
        #expect(files.reads.withLock { $0 } == 1 + 5)
    }

    @Test func filesAreCopiedBetweenImplementations() async throws {
        let directory = try TemporaryDirectory()
        let sandbox = try Sandbox(at: directory.text)
        try await memory().copy("notes/a", into: sandbox, as: "b")
        #expect(try await sandbox.read("b") == content)
        let error = try await failure {
            try await memory().copy("notes/b", into: sandbox, as: "c")
        }
        #expect(error.code == .notFound)
        #expect(try names(in: directory.text) == ["b"])
    }

    /// The program in `Examples/Recorder`, whose output is in `docs/files-library.md`.
    @Test func theExampleShowsItsOutput() async throws {
        let directory = try TemporaryDirectory()
        let result = try await withLoop { loop in
            try await loop.run(.init(TestPlaces.program("recorder").string, [directory.appending("files")]))
        }
        #expect(result.isSuccess)
        #expect(
            result.outputText == """
                refused: the path “../etc/passwd” has a name “.” or “..”, which is not allowed; give a path of plain names
                request requests/1: list
                log/today.old 640 30 bytes
                summary.txt 600 21 bytes

                """)
    }
}
