import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Reading and writing, whichever way paths are opened.
@Suite(.tags(.board)) struct FileAccessTests {
    @Test(arguments: ResolverKind.available, [0, 1, 4096, 100_000])
    func whatIsWrittenIsRead(kind: ResolverKind, size: Int) throws {
        let area = try TestArea(kind)
        var random = SeededGenerator(seed: 3)
        try area.files.makeDirectory(SandboxPath("a"))
        for path in [try SandboxPath("file"), try SandboxPath("a/file")] {
            for _ in 0..<2 {
                let content = random.bytes(size)
                try area.files.write(content, to: path)
                #expect(try area.files.read(path) == content)
                #expect(try area.files.read(path, at: 1, upTo: 10) == Array(content.dropFirst(1).prefix(10)))
                #expect(try area.files.read(path, at: Int64(size), upTo: 10).isEmpty)
                #expect(try area.files.attributes(of: path).size == Int64(size))
            }
        }
        #expect(try area.names() == ["a", "file"])
        #expect(try area.root.account.usage() == AreaUsage(bytes: Int64(2 * size), files: 3))
    }

    @Test(arguments: ResolverKind.available)
    func aStreamIsSeenOnlyWhenItIsCommitted(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        let path = try SandboxPath("file")
        try area.files.write([9], to: path)
        let writer = try area.files.writer(path)
        try writer.write([1, 2])
        try writer.write([3])
        #expect(try area.files.read(path) == [9])
        try writer.commit()
        #expect(try area.files.read(path) == [1, 2, 3])
        #expect(try area.names() == ["file"])
    }

    @Test func aStreamThatIsReleasedLeavesNothing() throws {
        let area = try TestArea()
        let path = try SandboxPath("file")
        do {
            let writer = try area.files.writer(path)
            try writer.write([1, 2])
            #expect(try area.root.account.usage() == AreaUsage(bytes: 2, files: 0))
        }
        #expect(try area.names().isEmpty)
        #expect(try area.root.account.usage() == AreaUsage())
        #expect(area.root.account.reserved == AreaUsage())
    }

    @Test(arguments: ResolverKind.available)
    func bytesAreAddedAtTheEnd(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        let path = try SandboxPath("file")
        try area.files.append([1], to: path)
        try area.files.append([], to: path)
        try area.files.append([2, 3], to: path)
        #expect(try area.files.read(path) == [1, 2, 3])
        #expect(try area.root.account.usage() == AreaUsage(bytes: 3, files: 1))
        #expect(try area.counted() == AreaUsage(bytes: 3, files: 1))
    }

    @Test func aLargerFileThanAllowedIsNotRead() throws {
        let area = try TestArea()
        let path = try SandboxPath("file")
        try area.files.write([1, 2, 3], to: path)
        #expect(try area.files.read(path, limit: 3) == [1, 2, 3])
        #expect(try code { _ = try area.files.read(path, limit: 2) } == .tooLarge)
        #expect(try code { _ = try area.files.read(path, limit: 0) } == .tooLarge)
    }

    @Test func permissionsAreKeptOrSet() throws {
        let area = try TestArea()
        let path = try SandboxPath("file")
        try area.files.write([1], to: path)
        #expect(try SandboxListing.status(area.place("file")).mode == 0o640)
        try area.files.write([2], to: path, permissions: [.ownerReadWrite, .otherRead])
        #expect(try SandboxListing.status(area.place("file")).mode == 0o604)
        try area.files.write([3], to: path)
        #expect(try SandboxListing.status(area.place("file")).mode == 0o604)
    }
}
