import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Copies by shared blocks, in the kernel, and by bytes.
@Suite(.tags(.board)) struct CopyTests {
    enum Way: String, CaseIterable { case asTheFileSystemCan, range, bytes }

    private func area(_ way: Way, _ calls: FaultyFileCalls, quota: Quota = .unlimited) throws -> TestArea {
        calls.decide { call, _ in
            switch (way, call) {
            case (.range, .clone), (.bytes, .clone): .fails(.notSupported)
            case (.bytes, .copy): .fails(.improperLink)
            default: .works
            }
        }
        return try TestArea(quota: quota, calls: calls)
    }

    @Test(
        arguments: Way.allCases, [0, 1, 4097, FileCopy.partLimit - 1, FileCopy.partLimit, 2 * FileCopy.partLimit + 3])
    func aCopyIsTheSame(way: Way, size: Int) throws {
        let calls = FaultyFileCalls()
        let area = try area(way, calls)
        var random = SeededGenerator(seed: 5)
        let content = random.bytes(size)
        let (from, to) = (try SandboxPath("from"), try SandboxPath("to"))
        try area.files.write(content, to: from, permissions: [.ownerReadWrite, .otherRead])
        try area.files.copy(from, to: area.files, as: to)
        #expect(try area.files.read(to, limit: size) == content)
        #expect(try SandboxListing.status(area.place("to")).mode == 0o604)
        #expect(try area.root.account.usage() == AreaUsage(bytes: Int64(2 * size), files: 2))
        #expect(area.root.account.recounts == 0 && area.root.account.reserved == AreaUsage())
        #expect(try code { try area.files.copy(from, to: area.files, as: to) } == .exists)
        try area.files.write([1], to: from)
        try area.files.copy(from, to: area.files, as: to, replacing: true)
        #expect(try area.files.read(to) == [1])
        #expect(try area.root.account.usage() == AreaUsage(bytes: 2, files: 2))
        #expect(try area.names() == ["from", "to"])
    }

    @Test func blocksAreSharedWhereTheFileSystemCan() throws {
        let calls = FaultyFileCalls()
        calls.sharesBlocks = true
        let area = try TestArea(calls: calls)
        let (from, to) = (try SandboxPath("from"), try SandboxPath("to"))
        try area.files.write([1, 2, 3], to: from)
        try area.files.copy(from, to: area.files, as: to)
        #expect(try area.files.read(to) == [1, 2, 3])
        #expect(calls.made.filter { $0 == .clone }.count == 1)
        #expect(!calls.made.contains(.copy))
        #expect(try area.root.account.usage() == AreaUsage(bytes: 6, files: 2))
    }

    @Test func aCopyIsMadeInPartsAndSeenAtTheEnd() throws {
        let calls = FaultyFileCalls()
        let area = try area(.bytes, calls)
        let (from, to) = (try SandboxPath("from"), try SandboxPath("to"))
        try area.files.write([UInt8](repeating: 7, count: 3 * FileCopy.partLimit), to: from)
        let copy = try FileCopy(from, in: area.root, to: to, in: area.root, replacing: false)
        var counts: [Int64] = []
        while try !copy.step() {
            #expect(try !area.files.exists(to))
            if counts.last != copy.count { counts.append(copy.count) }
        }
        #expect(counts.filter { $0 > 0 }.allSatisfy { $0.isMultiple(of: Int64(FileCopy.partLimit)) })
        try copy.commit()
        #expect(try area.files.attributes(of: to).size == Int64(3 * FileCopy.partLimit))
    }

    @Test(arguments: Way.allCases)
    func aCopyThatIsReleasedLeavesNothing(way: Way) throws {
        let calls = FaultyFileCalls()
        let area = try area(way, calls)
        let from = try SandboxPath("from")
        try area.files.write([1, 2, 3], to: from)
        do {
            let copy = try FileCopy(from, in: area.root, to: SandboxPath("to"), in: area.root, replacing: false)
            _ = try copy.step()
        }
        #expect(try area.names() == ["from"])
        #expect(try area.root.account.usage() == AreaUsage(bytes: 3, files: 1))
        #expect(area.root.account.reserved == AreaUsage())
    }

    @Test func aCopyThatDoesNotFitIsRefusedBeforeItBegins() throws {
        let calls = FaultyFileCalls()
        let area = try area(.bytes, calls, quota: Quota(bytes: 5, files: 2))
        try area.files.write([1, 2, 3], to: SandboxPath("from"))
        #expect(
            try code { try area.files.copy(SandboxPath("from"), to: area.files, as: SandboxPath("to")) } == .quotaBytes)
        #expect(!calls.made.contains(.copy))
        area.root.account.quota = Quota(bytes: 100, files: 1)
        #expect(
            try code { try area.files.copy(SandboxPath("from"), to: area.files, as: SandboxPath("to")) } == .quotaFiles)
        #expect(try area.names() == ["from"])
    }

    @Test func aFileThatShrinksMeanwhileIsCopiedAsFarAsItGoes() throws {
        let calls = FaultyFileCalls()
        let area = try area(.bytes, calls)
        try area.files.write([UInt8](repeating: 7, count: 2 * FileCopy.partLimit), to: SandboxPath("from"))
        let copy = try FileCopy(
            SandboxPath("from"), in: area.root, to: SandboxPath("to"), in: area.root, replacing: false)
        let file = try FileDescriptor.open(FilePath(area.place("from")), .writeOnly)
        defer { try? file.close() }
        try file.resize(to: 10)
        while try !copy.step() {}
        try copy.commit()
        #expect(try area.files.attributes(of: SandboxPath("to")).size == 10)
    }

    @Test func aMoveToAnotherFileSystemCopiesAndDeletes() throws {
        let calls = FaultyFileCalls()
        let area = try area(.asTheFileSystemCan, calls)
        let other = try AreaRoot.open(area.outside.path.appending("other"), area: .inbox)
        let paths = TextPaths(area.files)
        try paths.write("123", to: "file")
        try paths.makeDirectory("directory")
        calls.decide { call, _ in call == .move ? .fails(.improperLink) : .works }
        try paths.move("file", to: TextPaths(other), as: "moved")
        #expect(try area.names() == ["directory"])
        #expect(try TextPaths(other).text(of: "moved") == "123")
        #expect(try code { try paths.move("directory", to: TextPaths(other), as: "directory") } == .isDirectory)
        #expect(try other.account.usage() == AreaUsage(bytes: 3, files: 1))
        #expect(try area.root.account.usage() == AreaUsage(bytes: 0, files: 1))
    }
}
