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

    @Test(arguments: ResolverKind.available)
    func bytesAreAddedOnlyAtTheExpectedEnd(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        let path = try SandboxPath("file")
        #expect(try code { try area.files.append([1], to: path, at: 1) } == .notFound)
        #expect(try area.names().isEmpty)
        try area.files.append([1, 2], to: path, at: 0)
        for offset in [.min, -1, 0, 1, 3, .max] as [Int64] {
            #expect(try code { try area.files.append([9], to: path, at: offset) } == .changed)
            #expect(try code { try area.files.append([], to: path, at: offset) } == .changed)
        }
        try area.files.append([], to: path, at: 2)
        try area.files.append([3], to: path, at: 2)
        #expect(try area.files.read(path) == [1, 2, 3])
        #expect(try area.root.account.usage() == AreaUsage(bytes: 3, files: 1))
    }

    @Test(.tags(.fault), arguments: ResolverKind.available)
    func aFileThatAnotherProgramMakesDuringAnAppendStays(kind: ResolverKind) throws {
        let calls = FaultyFileCalls()
        let area = try TestArea(kind, calls: calls)
        let outside = area.outside
        calls.decide { call, _ in
            if call == .create { _ = try? outside.write("other", to: "area/file") }
            return .works
        }
        #expect(try code { try area.files.append([1], to: SandboxPath("file")) } == .exists)
        #expect(try area.files.read(SandboxPath("file")) == Array("other".utf8))
        #expect(try area.names() == ["file"])
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

    @Test(arguments: ResolverKind.available, [0o000, 0o400, 0o644, 0o777] as [CModeT])
    func permissionsAreChangedDurably(kind: ResolverKind, bits: CModeT) throws {
        let calls = FaultyFileCalls()
        let area = try TestArea(kind, calls: calls)
        let path = try SandboxPath("file")
        try area.files.write([1], to: path, permissions: FilePermissions(rawValue: 0o6755))
        calls.work()
        try area.files.setPermissions(FilePermissions(rawValue: bits), of: path)
        #expect(calls.made.filter(\.changes) == [.setPermissions, .flushDirectory])
        #expect(try SandboxListing.status(area.place("file")).mode == UInt32(bits))
    }

    @Test func permissionsThatCannotBeSetOrFlushedAreAnError() throws {
        let calls = FaultyFileCalls()
        let area = try TestArea(calls: calls)
        let path = try SandboxPath("file")
        try area.files.write([1], to: path)
        calls.set(.every(.setPermissions, .notPermitted))
        #expect(try code { try area.files.setPermissions([.ownerRead], of: path) } == .denied)
        #expect(try SandboxListing.status(area.place("file")).mode == 0o640)
        calls.set(.every(.flushDirectory, .ioError))
        #expect(try code { try area.files.setPermissions([.ownerRead], of: path) } == .inputOutput)
    }

    @Test(arguments: ResolverKind.available)
    func permissionsOfOtherThingsAreNotSet(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        try area.outside.write("", to: "target", mode: 0o600)
        try area.files.makeDirectory(SandboxPath("directory"))
        try SandboxListing.makeLink(area.place("link"), to: "../target")
        try SandboxListing.makeFIFO(area.place("fifo"))
        try SandboxListing.makeHardLink(area.place("hard"), to: area.outside.appending("target"))
        for (name, wanted) in [
            ("link", .symbolicLink), ("fifo", .specialFile), ("hard", .hardLink), ("none", .notFound),
            ("link/x", .symbolicLink),
        ] as [(String, SandboxError.Code)] {
            let path = try SandboxPath(name)
            #expect(try code { try area.files.setPermissions([.otherWrite], of: path) } == wanted, "\(name)")
        }
        try area.files.setPermissions(FilePermissions(rawValue: 0o700), of: SandboxPath("directory"))
        #expect(try SandboxListing.status(area.place("directory")).mode == 0o700)
        #expect(try SandboxListing.status(area.outside.appending("target")).mode == 0o600)
    }
}
