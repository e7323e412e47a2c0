import CleatSandbox
import SystemPackage
import Testing

@Suite struct SandboxPathTests {
    static let good = [
        "a", "a/b", "a b", "-", "...", ".hidden", "a..b", "..a", "a.", "ä/ö", "\u{1F600}", "~", "a\\b", "*", ".cleat",
        "cleat-x",
        String(repeating: "n", count: 255), (1...16).map { "\($0)" }.joined(separator: "/"),
        Array(repeating: String(repeating: "n", count: 204), count: 5).joined(separator: "/"),
    ]

    @Test(arguments: good)
    func aPlainRelativePathIsTaken(text: String) throws {
        let path = try SandboxPath(text)
        #expect(path.text == text)
        #expect(path.names.joined(separator: "/") == text)
        #expect(path.depth == path.names.count)
        #expect(path.name == path.names.last)
        #expect(try path.parent.appending(path.name ?? "") == path)
        #expect(try SandboxPath(FilePath(text)) == path)
        #expect(try SandboxPath(bytes: text.utf8) == path)
    }

    /// Every spelling of a way out, and every name that a file should not have.
    static let bad: [(String, PathFault)] = [
        ("/", .absolute), ("/etc/passwd", .absolute), ("//a", .absolute),
        (".", .dots), ("..", .dots), ("../a", .dots), ("a/..", .dots), ("a/../b", .dots), ("a/./b", .dots),
        ("./a", .dots),
        ("a/../../etc", .dots), ("a/.", .dots),
        ("a/", .emptyName), ("a//b", .emptyName), ("a/b//", .emptyName),
        ("a\0b", .nul), ("\0", .nul), ("a/\0", .nul), ("..\0", .nul),
        ("a\nb", .control), ("\n", .control), ("a\u{1B}[2J", .control), ("a\u{7F}", .control), ("a\tb", .control),
        ("a\u{85}", .control), ("\u{9B}2J", .control), ("a\r", .control),
        (".cleat-write-1", .reserved), ("a/.cleat-upload-00/b", .reserved), (".cleat-", .reserved),
        (String(repeating: "n", count: 256), .longName), ("a/" + String(repeating: "n", count: 256) + "/b", .longName),
        ((1...17).map { "\($0)" }.joined(separator: "/"), .manyNames),
        (String(repeating: "ab/", count: 1365) + "a", .longPath), (String(repeating: "n", count: 4096), .longPath),
        (Array(repeating: String(repeating: "n", count: 204), count: 5).joined(separator: "/") + "n", .longPath),
    ]

    @Test(arguments: bad)
    func whatIsNoPathIsRefusedWithItsFault(text: String, fault: PathFault) throws {
        let error = try #require(throws: SandboxError.self) { try SandboxPath(text) }
        #expect(error.code == .badPath)
        #expect(error.detail == fault.rawValue)
        #expect(error.description.contains(fault.rawValue))
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(error.description.utf8.count < 600)
    }

    static let invalid: [[UInt8]] = [
        [0xFF], [0x61, 0x80], [0xC0, 0xAF], [0xC0, 0xAE, 0xC0, 0xAE, 0x2F], [0xED, 0xA0, 0x80],
        [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
    ]

    @Test(arguments: invalid)
    func bytesThatAreNotUTF8AreRefused(bytes: [UInt8]) throws {
        let error = try #require(throws: SandboxError.self) { try SandboxPath(bytes: bytes) }
        #expect(error.detail == PathFault.notUTF8.rawValue)
        let path = unsafe (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe FilePath(platformString: $0) }
        }
        #expect(throws: SandboxError.self) { try SandboxPath(#require(path)) }
    }

    @Test func aFilePathThatLeadsOutIsRefused() {
        for path in ["/a", "../a", "a/../../b", ".", "a/.."] as [FilePath] {
            #expect(throws: SandboxError.self, "\(path)") { try SandboxPath(path) }
        }
    }

    @Test func theRootIsAnEmptyPath() throws {
        let root = try SandboxPath("")
        #expect(root == .root && root.isRoot && root.names.isEmpty && root.depth == 0 && root.name == nil)
        #expect(root.parent == root)
        #expect(try root.appending("a") == SandboxPath("a"))
        #expect(throws: SandboxError.self) { try root.appending("") }
        #expect(throws: SandboxError.self) { try SandboxPath("a").appending("") }
        #expect(throws: SandboxError.self) { try SandboxPath("a").appending("..") }
    }

    @Test func pathsAreComparedByTheirBytes() throws {
        // One letter, and a letter with a combining mark: equal as text, two files on the disk.
        let (composed, decomposed) = (try SandboxPath("\u{E9}"), try SandboxPath("e\u{301}"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        let sorted = try ["b", "a/b", "a-b", "a", "a0"].map { try SandboxPath($0) }.sorted().map(\.text)
        #expect(sorted == ["a", "a-b", "a/b", "a0", "b"])
    }

    @Test(arguments: [
        ("a.txt", "md", "a.md"), ("a", "md", "a.md"), ("a.tar.gz", "xz", "a.tar.xz"), (".rc", "old", ".rc.old"),
        ("d.x/a", "y", "d.x/a.y"), ("a.txt", nil, "a"), ("a.txt", "", "a"), (".rc", nil, ".rc"), ("a.", "b", "a.b"),
    ])
    func theExtensionIsChanged(text: String, fileExtension: String?, result: String) throws {
        #expect(try SandboxPath(text).withExtension(fileExtension).text == result)
    }

    @Test(arguments: ["a/b", "/", "b/../c", "\0", "\n", String(repeating: "n", count: 255)])
    func anExtensionThatMakesNoNameIsRefused(fileExtension: String) throws {
        #expect(throws: SandboxError.self) { try SandboxPath("a.txt").withExtension(fileExtension) }
    }

    @Test func whatLiesInADirectoryIsReported() throws {
        let directory = try SandboxPath("a/b")
        #expect(try SandboxPath("a/b/c").isWithin(directory))
        #expect(directory.isWithin(directory) && directory.isWithin(.root))
        #expect(try !SandboxPath("a/bc").isWithin(directory))
        #expect(try !SandboxPath("a").isWithin(directory))
    }
}
