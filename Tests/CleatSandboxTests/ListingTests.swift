import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

@Suite(.tags(.board)) struct ListingTests {
    private let all = ["a", "a-b", "a/b", "a/b/c", "a/b-c", "a/c", "a0", "b", "b/a"]

    private func area(_ kind: ResolverKind) throws -> TestArea {
        let area = try TestArea(kind)
        for directory in ["a", "a/b", "b"] { try area.files.makeDirectory(SandboxPath(directory)) }
        for file in ["a-b", "a/b/c", "a/b-c", "a/c", "a0", "b/a"] { try area.files.write([1], to: SandboxPath(file)) }
        return area
    }

    @Test(arguments: ResolverKind.available)
    func aDirectoryIsListedInTheOrderOfBytes(kind: ResolverKind) throws {
        let area = try area(kind)
        let listing = try area.files.list()
        #expect(listing.entries.map(\.path.text) == ["a", "a-b", "a0", "b"])
        #expect(listing.entries.map(\.attributes.type) == [.directory, .regular, .regular, .directory])
        #expect(!listing.hasMore)
        #expect(try area.files.list(SandboxPath("a")).entries.map(\.path.text) == ["a/b", "a/b-c", "a/c"])
        let sorted = try all.map { try SandboxPath($0) }.sorted().map(\.text)
        #expect(try area.files.list(recursive: true).entries.map(\.path.text) == sorted)
        #expect(
            try area.files.list(SandboxPath("a"), recursive: true).entries.map(\.path.text)
                == sorted.filter { $0.hasPrefix("a/") })
    }

    @Test(arguments: ResolverKind.available, 1...10)
    func pagesTogetherAreTheWhole(kind: ResolverKind, limit: Int) throws {
        let area = try area(kind)
        for recursive in [false, true] {
            var found: [String] = []
            var after: SandboxPath?
            repeat {
                let page = try area.files.list(recursive: recursive, limit: limit, after: after)
                #expect(page.entries.count <= limit)
                #expect(page.hasMore == (page.entries.count + found.count < (recursive ? 9 : 4)))
                found += page.entries.map(\.path.text)
                after = page.hasMore ? page.entries.last?.path : nil
            } while after != nil
            #expect(try found == area.files.list(recursive: recursive).entries.map(\.path.text))
        }
    }

    @Test(arguments: 0..<10)
    func pagesOfARandomTreeAreTheWholeSorted(seed: UInt64) throws {
        let area = try TestArea()
        var random = SeededGenerator(seed: seed)
        var made: Set<SandboxPath> = []
        var directories: [SandboxPath] = [.root]
        let count = TestMachine.slowness > 1 ? 20 : 60
        for _ in 0..<count {
            let name = String(
                (0..<Int.random(in: 1...3, using: &random)).map { _ in "a-/b0".randomElement(using: &random) ?? "a" })
            guard let directory = directories.randomElement(using: &random),
                let path = try? directory.appending(name), path.parent == directory, !made.contains(path)
            else { continue }
            if Bool.random(using: &random) {
                try area.files.makeDirectory(path)
                directories.append(path)
            } else {
                try area.files.write([], to: path)
            }
            made.insert(path)
        }
        var found: [SandboxPath] = []
        var hasMore = true
        while hasMore {
            let page = try area.files.list(
                recursive: true, limit: Int.random(in: 1...5, using: &random), after: found.last)
            found += page.entries.map(\.path)
            hasMore = page.hasMore
        }
        #expect(found == made.sorted())
    }

    @Test(arguments: ResolverKind.available)
    func namesThatAnAreaMayNotHaveAreCountedAndLeftOut(kind: ResolverKind) throws {
        let area = try area(kind)
        try SandboxListing.makeFile([0xFF, 0xFE], in: area.directory.string)
        try SandboxListing.makeFile(Array("new\nline".utf8), in: area.directory.string)
        try area.files.write([1], to: SandboxPath("z"))
        try SandboxListing.makeFile(Array(".cleat-upload-1".utf8), in: area.directory.string)
        let listing = try area.files.list()
        #expect(listing.entries.map(\.path.text) == ["a", "a-b", "a0", "b", "z"])
        #expect(listing.unnameable == 2)
    }

    @Test(arguments: ResolverKind.available)
    func linksAreListedAndNotFollowed(kind: ResolverKind) throws {
        let area = try area(kind)
        try SandboxListing.makeLink(area.place("b/up"), to: "../..")
        let entries = try area.files.list(SandboxPath("b"), recursive: true).entries
        #expect(entries.map(\.path.text) == ["b/a", "b/up"])
        #expect(entries.last?.attributes.type == .symbolicLink)
        #expect(try code { _ = try area.files.list(SandboxPath("b/up")) } == .symbolicLink)
        #expect(try code { _ = try area.files.list(SandboxPath("a0")) } == .notDirectory)
        #expect(try code { _ = try area.files.list(SandboxPath("none")) } == .notFound)
    }

    @Test func aPageHasNoMoreThanItsLimit() throws {
        let area = try TestArea()
        let count = SandboxedDirectory.pageLimit + 5
        for index in 0..<count { try SandboxListing.makeFile(Array("\(index)".utf8), in: area.directory.string) }
        let page = try area.files.list(limit: .max)
        #expect(page.entries.count == SandboxedDirectory.pageLimit && page.hasMore)
        #expect(page.entries.map(\.path) == page.entries.map(\.path).sorted())
        #expect(try area.files.list(limit: 0).entries.count == 1)
        #expect(try area.files.list(after: page.entries.last?.path).entries.count == 5)
    }
}
