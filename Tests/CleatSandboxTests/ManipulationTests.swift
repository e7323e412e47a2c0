import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Names, directories and their accounts, whichever way paths are opened.
@Suite(.tags(.board)) struct ManipulationTests {
    /// An area with `a/b/file` (3 bytes), `a/other` (5) and `top` (7).
    private func area(_ kind: ResolverKind, quota: Quota = .unlimited) throws -> TestArea {
        let area = try TestArea(kind, quota: quota)
        let paths = TextPaths(area.files)
        try paths.makeDirectory("a/b", withParents: true)
        try paths.write("123", to: "a/b/file")
        try paths.write("12345", to: "a/other")
        try paths.write("1234567", to: "top")
        return area
    }

    private func expectAccount(_ area: TestArea, _ usage: AreaUsage, line: Int = #line) throws {
        let here = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        let recounts = area.root.account.recounts
        #expect(try area.root.account.usage() == usage, sourceLocation: here)
        #expect(area.root.account.recounts == recounts, "the account is exact by itself", sourceLocation: here)
        #expect(try area.root.account.usage(recounting: true) == usage, sourceLocation: here)
        #expect(area.root.account.reserved == AreaUsage(), sourceLocation: here)
    }

    @Test(arguments: ResolverKind.available)
    func filesAreDeleted(kind: ResolverKind) throws {
        let area = try area(kind)
        let paths = TextPaths(area.files)
        try expectAccount(area, AreaUsage(bytes: 15, files: 5))
        try paths.delete("a/b/file")
        try paths.delete("top")
        try expectAccount(area, AreaUsage(bytes: 5, files: 3))
        #expect(try code { try paths.delete("top") } == .notFound)
        #expect(try code { try paths.delete("a") } == .isDirectory)
        #expect(try code { try area.files.delete(.root) } == .isDirectory)
        #expect(try area.names("a") == ["b", "other"])
    }

    @Test func whatIsNoFileCanBeDeletedAndNothingBehindIt() throws {
        let area = try TestArea()
        try area.outside.write("kept", to: "kept")
        try SandboxListing.makeLink(area.place("link"), to: "../kept")
        try SandboxListing.makeFIFO(area.place("fifo"))
        try SandboxListing.makeHardLink(area.place("hard"), to: area.outside.appending("kept"))
        area.root.account.recordForeignChange()
        #expect(try area.root.account.usage() == AreaUsage(bytes: 4, files: 3))
        for name in ["link", "fifo", "hard"] { try area.files.delete(SandboxPath(name)) }
        #expect(try area.names().isEmpty)
        #expect(try area.outside.read("kept") == "kept")
        try expectAccount(area, AreaUsage())
    }

    @Test(arguments: ResolverKind.available)
    func filesAndDirectoriesAreRenamed(kind: ResolverKind) throws {
        let area = try area(kind)
        let paths = TextPaths(area.files)
        try paths.rename("top", to: "a/b/top")
        try paths.rename("a/b", to: "b")
        #expect(try paths.text(of: "b/top") == "1234567")
        #expect(try area.names() == ["a", "b"])
        #expect(try area.names("b") == ["file", "top"])
        try expectAccount(area, AreaUsage(bytes: 15, files: 5))

        #expect(try code { try paths.rename("b/top", to: "b/file") } == .exists)
        #expect(try paths.text(of: "b/file") == "123")
        try paths.rename("b/top", to: "b/file", replacing: true)
        #expect(try paths.text(of: "b/file") == "1234567")
        try expectAccount(area, AreaUsage(bytes: 12, files: 4))

        #expect(try code { try paths.rename("none", to: "x") } == .notFound)
        #expect(try code { try paths.rename("b", to: "none/b") } == .notFound)
        #expect(try code { try paths.rename("b", to: "a", replacing: true) } == .isDirectory)
        #expect(try code { try paths.rename("b", to: "a/other", replacing: true) } == .notDirectory)
        #expect(try code { try paths.rename("b", to: "b/b") } != nil)
        #expect(try code { try area.files.rename(.root, to: SandboxPath("x")) } == .isDirectory)
        #expect(try code { try area.files.rename(SandboxPath("b"), to: .root) } == .isDirectory)
        #expect(try code { try paths.rename("b/file", to: "b/file") } == .exists)
        try paths.rename("b/file", to: "b/file", replacing: true)
        #expect(try paths.text(of: "b/file") == "1234567")
        try expectAccount(area, AreaUsage(bytes: 12, files: 4))
    }

    @Test func whatIsNoPlainFileIsNotRenamed() throws {
        let area = try TestArea()
        try area.outside.write("kept", to: "kept")
        try SandboxListing.makeLink(area.place("link"), to: "../kept")
        try SandboxListing.makeFIFO(area.place("fifo"))
        try SandboxListing.makeHardLink(area.place("hard"), to: area.outside.appending("kept"))
        try area.files.write([1], to: SandboxPath("file"))
        for (name, expected) in [
            ("link", SandboxError.Code.symbolicLink), ("fifo", .specialFile), ("hard", .hardLink),
        ] {
            #expect(try code { try area.files.rename(SandboxPath(name), to: SandboxPath("x")) } == expected)
            if name == "hard" { continue }
            #expect(
                try code { try area.files.rename(SandboxPath("file"), to: SandboxPath(name), replacing: true) }
                    == expected)
        }
        #expect(try area.names() == ["fifo", "file", "hard", "link"])
    }

    @Test func aDirectoryIsNotPutSoDeepThatItsFilesHaveNoPath() throws {
        let area = try TestArea()
        let paths = TextPaths(area.files)
        let deep = (1...14).map { "\($0)" }.joined(separator: "/")
        try paths.makeDirectory(deep, withParents: true)
        try paths.makeDirectory("d/e", withParents: true)
        try paths.rename("d", to: deep + "/d")
        #expect(try paths.attributes(of: deep + "/d/e").type == .directory)
        try paths.makeDirectory("f/g", withParents: true)
        try paths.write("x", to: "f/g/h")
        #expect(try code { try paths.rename("f", to: deep + "/f") } == .badPath)
        let long = String(repeating: "n", count: 255)
        try paths.makeDirectory([long, long, long].joined(separator: "/"), withParents: true)
        try paths.rename("f/g/h", to: "f/g/" + long)
        #expect(try code { try paths.rename("f", to: [long, long, long, "f"].joined(separator: "/")) } == .badPath)
        #expect(try paths.exists("f/g/" + long))
    }

    @Test(arguments: ResolverKind.available)
    func directoriesAreMadeAndRemoved(kind: ResolverKind) throws {
        let area = try area(kind)
        let paths = TextPaths(area.files)
        #expect(try SandboxListing.status(area.place("a")).mode == 0o750)
        try area.files.makeDirectory(SandboxPath("w"), permissions: FilePermissions(rawValue: 0o777))
        #expect(try SandboxListing.status(area.place("w")).mode == 0o777)
        #expect(try code { try paths.makeDirectory("a") } == .exists)
        #expect(try code { try paths.makeDirectory("top") } == .exists)
        #expect(try code { try paths.makeDirectory("top/x", withParents: true) } != nil)
        #expect(try code { try paths.makeDirectory("none/x") } == .notFound)
        try paths.makeDirectory("a/b", withParents: true)
        try area.files.makeDirectory(.root, withParents: true)
        try expectAccount(area, AreaUsage(bytes: 15, files: 6))

        #expect(try code { try paths.removeDirectory("a") } == .notEmpty)
        #expect(try code { try paths.removeDirectory("top") } == .notDirectory)
        #expect(try code { try paths.removeDirectory("top", recursive: true) } == .notDirectory)
        #expect(try code { try paths.removeDirectory("none", recursive: true) } == .notFound)
        #expect(try code { try area.files.removeDirectory(.root, recursive: true) } == .isDirectory)
        try paths.removeDirectory("w")
        try paths.removeDirectory("a", recursive: true)
        #expect(try area.names() == ["top"])
        try expectAccount(area, AreaUsage(bytes: 7, files: 1))
    }

    @Test(arguments: ResolverKind.available)
    func aRemovalTakesWhatIsInsideAndNothingElse(kind: ResolverKind) throws {
        let area = try area(kind)
        try area.outside.write("kept", to: "kept")
        try SandboxListing.makeDirectory(area.outside.appending("beside"))
        try area.outside.write("kept", to: "beside/kept")
        try SandboxListing.makeLink(area.place("a/link"), to: "../../beside")
        try SandboxListing.makeLink(area.place("a/b/file-link"), to: area.outside.appending("kept"))
        try SandboxListing.makeFIFO(area.place("a/fifo"))
        try SandboxListing.makeFile(Array("a/b/not-\u{1}".utf8) + [0xFF], in: area.directory.string)
        try SandboxListing.makeLink(area.place("away"), to: "../beside")
        #expect(try code { try area.files.removeDirectory(SandboxPath("away"), recursive: true) } != nil)
        #expect(try code { try area.files.removeDirectory(SandboxPath("away")) } == .symbolicLink)
        try area.files.removeDirectory(SandboxPath("a"), recursive: true)
        #expect(try area.names() == ["away", "top"])
        #expect(try area.outside.read("kept") == "kept")
        #expect(try area.outside.read("beside/kept") == "kept")
        #expect(try area.root.account.usage(recounting: true) == AreaUsage(bytes: 7, files: 2))
    }

    @Test(arguments: ResolverKind.available)
    func filesMoveBetweenAreas(kind: ResolverKind) throws {
        let area = try area(kind)
        let other = try AreaRoot.open(
            area.outside.path.appending("other"), area: .inbox, quota: Quota(bytes: 10, files: 3),
            resolver: area.root.resolver)
        let (from, to) = (TextPaths(area.files), TextPaths(other))
        #expect(try code { try from.move("a", to: to, as: "moved") } == .quotaFiles)
        #expect(try area.names("a") == ["b", "other"])
        other.account.quota = Quota(bytes: 10, files: 4)
        try from.move("a", to: to, as: "moved")
        #expect(try to.text(of: "moved/b/file") == "123")
        #expect(try area.names() == ["top"])
        try expectAccount(area, AreaUsage(bytes: 7, files: 1))
        #expect(try other.account.usage() == AreaUsage(bytes: 8, files: 4))
        other.account.quota = Quota(bytes: 10, files: 10)
        #expect(try code { try from.move("top", to: to, as: "top") } == .quotaBytes)
        #expect(try from.text(of: "top") == "1234567")
        other.account.quota = .unlimited
        #expect(try code { try from.move("top", to: to, as: "moved/other") } == .exists)
        try from.move("top", to: to, as: "moved/other", replacing: true)
        #expect(try to.text(of: "moved/other") == "1234567")
        #expect(try other.account.usage() == AreaUsage(bytes: 10, files: 4))
        #expect(try other.account.usage(recounting: true) == AreaUsage(bytes: 10, files: 4))
        try expectAccount(area, AreaUsage())
        try to.move("moved", to: to, as: "again")
        #expect(try to.exists("again/b/file"))
    }
}
