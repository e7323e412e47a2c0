import CleatFiles
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@Suite(.tags(.board)) struct ArrivalsTests {
    let directory: TemporaryDirectory
    let sandbox: Sandbox

    init() throws {
        directory = try TemporaryDirectory()
        sandbox = try Sandbox(at: directory.appending("own"))
    }

    @Test func completeFilesArriveAndOthersDoNot() async throws {
        try await sandbox.makeDirectory("in")
        var arrivals = try await sandbox.arrivals(in: "in").makeAsyncIterator()
        // Another program writes a file, which is not complete before it is closed.
        let partial = try FileDescriptor.open(
            FilePath(directory.appending("own/in/partial")), .writeOnly, options: [.create, .closeOnExec],
            permissions: .ownerReadWrite)
        try partial.writeAll([1, 2, 3])
        try RawFiles.fifo(directory.appending("own/in/fifo"))
        try directory.makeDirectory("own/in/sub")
        try directory.write("moved", to: "moved")
        try RawFiles.move(directory.appending("moved"), to: directory.appending("own/in/moved"))
        #expect(try await file(arrivals.next()) == "in/moved")
        try await sandbox.write([1], to: "in/own")
        #expect(try await file(arrivals.next()) == "in/own")
        try partial.close()
        let entry = try await arrivals.next()
        #expect(try file(entry) == "in/partial")
        if case .file(let entry) = entry { #expect(entry.attributes.size == 3) }
        try RawFiles.make([0xFF], in: directory.appending("own/in"))
        guard case .refused(let error) = try await arrivals.next() else { throw Missing() }
        #expect(error.code == .badPath)
    }

    @Test("A file that is renamed after it was written arrives once, under its last name", .tags(.fault))
    func renamedFilesArriveOnce() async throws {
        var arrivals = try await sandbox.arrivals(in: FilesPath.root).makeAsyncIterator()
        // Other programs: one renames the file when it is closed, one before.
        try directory.write("closed", to: "own/a.tmp")
        try RawFiles.move(directory.appending("own/a.tmp"), to: directory.appending("own/a"))
        let file = try FileDescriptor.open(
            FilePath(directory.appending("own/b.tmp")), .writeOnly, options: [.create, .closeOnExec],
            permissions: .ownerReadWrite)
        try file.writeAll([1])
        try RawFiles.move(directory.appending("own/b.tmp"), to: directory.appending("own/b"))
        #expect(try await self.file(arrivals.next()) == "a")
        #expect(try await self.file(arrivals.next()) == "b")
        try file.close()
        let writer = try await sandbox.writer("c")
        try await writer.write([1])
        try await writer.commit()
        #expect(try await self.file(arrivals.next()) == "c")
        // It is reported again when it is written again.
        try directory.write("more", to: "own/b")
        #expect(try await self.file(arrivals.next()) == "b")
    }

    @Test func lostReportsAreAnElement() async throws {
        var arrivals = try await sandbox.arrivals(in: FilesPath.root).makeAsyncIterator()
        let limit = try contents(of: "/proc/sys/fs/inotify/max_queued_events")
        let count = try #require(Int(limit.prefix { $0.isNumber }))
        try directory.write("", to: "own/a")
        for _ in 0...count / 2 {
            try RawFiles.move(directory.appending("own/a"), to: directory.appending("own/b"))
            try RawFiles.move(directory.appending("own/b"), to: directory.appending("own/a"))
        }
        var found = false
        while !found, let arrival = try await arrivals.next() { found = arrival == .lost }
        #expect(found)
        // It continues after the loss.
        try await sandbox.write([], to: "c")
        #expect(try await file(arrivals.next()) == "c")
    }

    @Test func aRemovedOrMovedDirectoryEndsTheSequence() async throws {
        for name in ["removed", "moved", "replaced"] {
            try await sandbox.makeDirectory(name)
            var arrivals = try await sandbox.arrivals(in: name).makeAsyncIterator()
            try directory.write("", to: "own/\(name)/a")
            #expect(try await file(arrivals.next()) == "\(name)/a")
            if name == "removed" {
                try await sandbox.remove(name, recursive: true)
            } else {
                try await sandbox.move(name, to: "elsewhere-\(name)")
            }
            if name == "replaced" { try await sandbox.makeDirectory(name) }
            let code = try await failure { _ = try await arrivals.next() }.code
            #expect(code == (name == "replaced" ? .changed : .notFound))
            #expect(try await arrivals.next() == nil)
        }
        #expect(try await failure { _ = try await sandbox.arrivals(in: "missing") }.code == .notFound)
    }

    @Test func aCancelledTaskEndsTheSequence() async throws {
        let arrivals = try await sandbox.arrivals(in: FilesPath.root)
        let task = Task {
            var count = 0
            for try await _ in arrivals { count += 1 }
            return count
        }
        try await sandbox.write([], to: "a")
        task.cancel()
        #expect(try await task.value <= 1)
    }

    private func file(_ arrival: FilesArrival?) throws -> String {
        guard case .file(let entry) = arrival else { throw Missing() }
        return entry.path.description
    }

    private struct Missing: Error {}
}
