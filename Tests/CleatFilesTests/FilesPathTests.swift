import CleatFiles
import Testing

struct FilesPathTests {
    @Test func pathsAreRelative() throws {
        let path = try FilesPath("notes/2024/a.txt")
        #expect(path.names == ["notes", "2024", "a.txt"] && path.name == "a.txt")
        #expect(path.parent.description == "notes/2024" && path.isWithin(FilesPath.root))
        #expect(try path.withExtension("md").description == "notes/2024/a.md")
        #expect(try path.parent.appending("b").description == "notes/2024/b")
    }

    @Test(arguments: ["/etc", "../a", "a/../b", "a//b", "a/", "a\u{0}b", ".cleat-write-x", "a/\u{1B}"])
    func otherPathsAreRefusedWithReasonAndRemedy(text: String) throws {
        let error = try #require(throws: FilesError.self) { try FilesPath(text) }
        #expect(error.code == .badPath && error.remedy?.isEmpty == false)
    }

    @Test func anErrorNamesThePathTheReasonAndTheRemedy() throws {
        let error = try #require(throws: FilesError.self) { try FilesPath("/etc/passwd") }
        #expect(error.path == "/etc/passwd")
        #expect(error.description == "the path “/etc/passwd” is absolute; omit the leading slash")
    }
}
