import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import Synchronization
import SystemPackage
import Testing

@testable import cleat

/// Tests of the local files that `cleat file get` writes, and of those that it does not change.
@Suite struct FileGetTests {
    private static let pieces = SeededBytes.of(APILimits.piece * 2 + 12_345)
    private static let hello = Array("hello\n".utf8)

    /// Runs a script in the board's directory.
    private static func run(_ board: CannedBoard, _ script: String) async throws -> CannedBoard.Finished {
        try await board.script("cd \"$1\"\n" + script, [board.directory.text])
    }

    @Test func replacesAFile() async throws {
        let fake = FakeFiles(["documents/a.bin": Self.pieces, "documents/e": []])
        fake.state.withLock { $0.modes["documents/a.bin"] = "0640" }
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(
                board,
                #"""
                set -e
                umask 022
                mkdir out; echo old >out/there; chmod 600 out/there; ln -s there out/link; cat out/there >before
                "$CLEAT" file get documents/a.bin
                "$CLEAT" file get documents/a.bin out
                "$CLEAT" file get documents/a.bin out/link
                "$CLEAT" file get documents/e new
                cmp a.bin out/there; cmp a.bin out/a.bin; test -L out/link; test -e new; test ! -s new
                stat -c '%a %n' a.bin out/there; ls -A . out | grep -c cleat-write || true
                """#)
            #expect(result.status == 0, "\(result.errorText)")
            #expect(
                result.output == """
                    documents/a.bin -> a.bin  1.0 MiB
                    documents/a.bin -> out/a.bin  1.0 MiB
                    documents/a.bin -> \(board.directory.appending("out"))/there  1.0 MiB
                    documents/e -> new  0 B
                    640 a.bin
                    600 out/there
                    0

                    """)
            let sum = try await Self.run(board, "cat a.bin")
            #expect(sum.status == 0)
        }
    }

    /// The pieces that were requested ahead do not follow a piece that is shorter than requested.
    @Test(arguments: [1, 7, 100_000, APILimits.piece - 1]) func aServiceThatGivesLessIsAskedAgain(_ most: Int)
        async throws
    {
        let bytes = most < 1000 ? Array(Self.pieces.prefix(50 * most)) : Self.pieces
        let fake = FakeFiles(
            ["documents/a.bin": bytes],
            after: { call, reply in
                var reply = reply
                if call.method == "Read", let piece = reply["data"]?.stringValue.flatMap(Base64.decode) {
                    reply["data"] = .string(Base64.encode(piece.prefix(most)))
                }
                return reply
            })
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(board, #""$CLEAT" file get documents/a.bin a"#)
            #expect(result.status == 0, "\(result.errorText)")
            let found = try FileDescriptor.open(FilePath(board.directory.appending("a")), .readOnly)
            let came = try found.closeAfter {
                var all = [UInt8](repeating: 0, count: bytes.count + 1)
                let count = try unsafe all.withUnsafeMutableBytes { try unsafe found.read(into: $0) }
                return Array(all.prefix(count))
            }
            #expect(came == bytes)
        }
    }

    /// An interrupted get continues where it ended, as a put does; a file never has parts of two contents.
    @Test(.tags(.fault), arguments: ["same", "changed", "spoiled", "link", "long", "busy"])
    func aGetContinues(_ between: String) async throws {
        let fake = FakeFiles(
            ["documents/a.bin": Self.pieces],
            // The third piece is asked for when the first one is written.
            before: { call, number in if call.method == "Read", number == 3 { call.disconnect() } })
        try await CannedBoard.serving(fake.answers) { board in
            let cut = try await Self.run(
                board, #"echo old >a; "$CLEAT" file get documents/a.bin a; echo $?; cat a; stat -c %s .cleat-get-*"#)
            #expect(cut.output.hasPrefix("69\nold\n"), "\(cut)")
            let size = cut.output.split(separator: "\n").last.flatMap { Int($0) } ?? 0
            #expect(size > 0 && size.isMultiple(of: APILimits.piece), "\(cut)")
            if between == "changed" {
                fake.state.withLock { $0.files["documents/a.bin"] = Array(Self.pieces.reversed()) }
            }
            let meanwhile = [
                "spoiled": "printf x | dd of=$part conv=notrunc status=none",
                "link": "echo own >mine; ln -sf mine $part",
                "long": "cat a.bin a.bin >>$part", "busy": "exec 9<$part; flock -n 9",
            ]
            let result = try await Self.run(
                board,
                #"""
                "$CLEAT" file get documents/a.bin a.bin >/dev/null; part=$(ls .cleat-get-a-*)
                \#(meanwhile[between] ?? "")
                "$CLEAT" file get documents/a.bin a; echo $?
                cmp -s a a.bin; echo $?; ls -A | grep -c cleat-get; test ! -e mine || cat mine
                """#)
            let (status, differs, parts) =
                switch between {
                case "spoiled": (1, 1, 0)
                case "link", "busy": (0, 0, 1)
                default: (0, 0, 0)
                }
            let end = "\(status)\n\(differs)\n\(parts)\n" + (between == "link" ? "own\n" : "")
            #expect(result.output.hasSuffix(end), "\(result)")
            #expect(result.output.contains("were there") == (between == "same"), "\(result)")
        }
    }

    /// If the digest or the content differs, the old file is unchanged, and no other file remains.
    @Test(arguments: ["digest", "changed"]) func anOldFileStays(_ failure: String) async throws {
        let fake = FakeFiles(
            ["documents/a.bin": Self.pieces],
            before: { call, number in
                if failure == "changed", call.method == "Read", number == 2 {
                    throw APIError.files(FilesError(.changed, area: "documents", path: "a.bin", message: "changed"))
                }
            },
            after: { call, reply in
                var reply = reply
                if failure == "digest", call.method == "Hash" {
                    reply["sha256"] = .string(String(repeating: "0", count: 64))
                }
                return reply
            })
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(
                board, #"echo old >a; "$CLEAT" file get documents/a.bin a; echo $?; cat a; ls -A | tr '\n' ' '"#)
            let status = failure == "changed" ? 75 : 1
            #expect(result.output.hasPrefix("\(status)\nold\n"), "\(result)")
            #expect(!result.output.contains(".cleat"), "\(result.output)")
            #expect(!result.errorText.isEmpty)
        }
    }

    @Test func standardOutputAndPipes() async throws {
        let fake = FakeFiles(["documents/a.bin": Self.pieces, "documents/h": Self.hello])
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(
                board,
                #"""
                set -e
                "$CLEAT" file get documents/a.bin good >/dev/null
                "$CLEAT" file get documents/a.bin - | cmp - good
                "$CLEAT" file get documents/a.bin /dev/stdout | cmp - good
                "$CLEAT" file cat documents/h documents/h
                # What a shell has opened is not replaced by another file.
                echo first >log; "$CLEAT" file get documents/h - >>log; "$CLEAT" file get documents/h /dev/stdout >>log; cat log
                mkfifo fifo; cat fifo >came & "$CLEAT" file get documents/a.bin fifo; wait; cmp came good; test -p fifo
                # A reader that has had enough is no failure.
                "$CLEAT" file cat documents/a.bin | head -c 5 >/dev/null
                """#)
            #expect(result.status == 0, "\(result.errorText)")
            #expect(
                result.output
                    == "hello\nhello\nfirst\nhello\nhello\ndocuments/a.bin -> fifo  1.0 MiB\n", "\(result.output)")
            #expect(result.errorText.isEmpty, "\(result.errorText)")
        }
    }

    private static let canMount = TestMachine.has("unshare", "mount")

    /// Seen before: a get into /dev/null that put a file in its place.
    @Test(.enabled("needs root, to mount in a namespace of its own") { canMount && Namespace.isAvailable })
    func aDeviceIsNeverReplaced() async throws {
        let fake = FakeFiles(["documents/h": Self.hello])
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(
                board,
                #"""
                exec unshare --mount sh -ec '
                    touch null; mount --bind /dev/null null; ln -s null link
                    "$CLEAT" file get documents/h null; "$CLEAT" file get documents/h link
                    test -c null; test -L link; ls -A' 2>&1
                """#)
            #expect(result.status == 0, "\(result)")
            #expect(
                result.output == """
                    documents/h -> null  6 B
                    documents/h -> link  6 B
                    errors
                    link
                    null
                    socket

                    """)
        }
    }

    @Test func whatCannotBeWritten() async throws {
        let fake = FakeFiles(["documents/h": Self.hello, "documents/d": nil])
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(
                board,
                #"""
                ln -s nowhere dangling
                for local in dangling missing/ missing/file socket; do
                    "$CLEAT" file get documents/h $local; echo "$? $local"
                done
                "$CLEAT" file get documents/d; echo "$?"
                "$CLEAT" file get documents/none; echo "$?"
                "$CLEAT" file get -r documents/d -; echo "$?"
                ls
                """#)
            #expect(
                result.output == """
                    1 dangling
                    1 missing/
                    1 missing/file
                    1 socket
                    64
                    65
                    64
                    dangling
                    errors
                    socket

                    """, "\(result)")
        }
    }

    @Test func aDirectoryComesWithAllThatItHolds() async throws {
        let fake = FakeFiles([
            "documents/certs": nil, "documents/certs/a": Self.hello, "documents/certs/deep": nil,
            "documents/certs/deep/b": Self.pieces, "documents/certs/deep/empty": nil, "documents/other": Self.hello,
        ])
        fake.state.withLock {
            $0.madeUp = [
                FileInfo(path: "certs/link", type: .link, mode: "0777", modified: "t"),
                FileInfo(path: "certs/pipe", type: .other, mode: "0600", modified: "t"),
            ]
        }
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(
                board,
                #"""
                "$CLEAT" file get -r documents/certs; "$CLEAT" file get -r documents/certs/ copy >/dev/null
                diff -r certs copy; find certs | sort; test ! -e other
                """#)
            #expect(
                result.output == """
                    documents/certs/a -> certs/a  6 B
                    documents/certs/deep/b -> certs/deep/b  1.0 MiB
                    skipped documents/certs/link: a symbolic link, which is not followed
                    skipped documents/certs/pipe: neither a file nor a directory
                    certs
                    certs/a
                    certs/deep
                    certs/deep/b
                    certs/deep/empty

                    """, "\(result)")
            let whole = try await Self.run(board, #""$CLEAT" file get -r documents all >/dev/null; cat all/other"#)
            #expect(whole.output == "hello\n", "\(whole)")
        }
    }

    /// The entries that a hostile service lists stay in the target directory.
    @Test(arguments: [
        "../evil", "certs/../../evil", "certs/../evil", "/tmp/evil", "certs//evil", "certs/", "certs", "", "other/evil",
        "certs/.", "certs/..", "certs/./evil", "certsevil", "certs/a\u{0}b", "certs/a\nb", "certs/\u{1b}[2J",
        "certs/.cleat-write-1",
    ]) func hostileNames(_ path: String) async throws {
        let fake = FakeFiles(["documents/certs": nil])
        fake.state.withLock { $0.madeUp = [FileInfo(path: path, type: .file, size: 6, mode: "0644", modified: "t")] }
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(
                board,
                #"""
                mkdir -p in/here; cd in/here; "$CLEAT" file get -r documents/certs --output json-lines; echo $?
                cd ../..; find . -type f
                """#)
            #expect(result.output.hasPrefix("1\n"), "\(result)")
            #expect(result.output.split(separator: "\n").count == 2, "\(result)")
            #expect(result.error == ["Reply", "speak"], "\(result.errorText)")
            #expect(!result.errorText.unicodeScalars.contains("\u{1b}"))
        }
    }

    /// Local links are not followed into directories, and not written through.
    @Test func linksOnThisSide() async throws {
        let fake = FakeFiles([
            "documents/certs": nil, "documents/certs/deep": nil, "documents/certs/deep/b": Self.hello,
        ])
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(
                board,
                #"""
                mkdir outside certs; ln -s ../outside certs/deep
                "$CLEAT" file get -r documents/certs; echo $?
                rm certs/deep; mkdir certs/deep; ln -s ../../outside/b certs/deep/b
                "$CLEAT" file get -r documents/certs; echo $?
                ls outside
                """#)
            #expect(result.output == "1\n1\n", "\(result)")
        }
    }

    @Test(arguments: [
        ("data", JSONValue.string("Zg")), ("data", ""), ("data", "Zm9vYmFyYmF6"), ("size", 3), ("size", -1),
    ]) func aPieceThatGoesAstray(_ field: String, _ value: JSONValue) async throws {
        let fake = FakeFiles(
            ["documents/h": Self.hello],
            after: { call, reply in
                var reply = reply
                if call.method == "Read" { reply[field] = value }
                return reply
            })
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await Self.run(board, #""$CLEAT" file get documents/h --output json; echo $?; ls"#)
            #expect(result.output == "1\nerrors\nsocket\n", "\(result)")
            #expect(result.error == ["Reply", "speak"], "\(result)")
        }
    }

    /// A signal in the middle leaves what has come, and the old file as it was.
    @Test(arguments: ["INT", "TERM", "HUP"]) func aSignalLeavesWhatHasCome(_ signal: String) async throws {
        let directory = try TemporaryDirectory()
        let fake = FakeFiles(
            ["documents/a.bin": Self.pieces],
            before: { call, number in
                // When the second piece is asked for, the first one is written.
                guard call.method == "Read", number == 2 else { return }
                #expect(try names(in: directory.text).contains { $0.hasPrefix(".cleat-get-a-") })
                let pid = try directory.read("pid").filter(\.isNumber)
                let loop = try EventLoop()
                let kill = ChildCommand(
                    program: .path("/bin/sh"), arguments: ["-c", "kill -\(signal) \(pid)"],
                    timeout: .seconds(60).onThisMachine)
                #expect(try loop.block { try await loop.run(kill) }.isSuccess)
                call.disconnect()
            })
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await board.script(
                #"""
                cd "$1"; echo old >a
                sh -c 'echo $$ >pid; exec "$CLEAT" file get documents/a.bin a' || echo $?
                cat a; ls -A | sed s/-[0-9a-f]*$//
                """#, [directory.text])
            let number = ["INT": 130, "TERM": 143, "HUP": 129][signal] ?? 0
            #expect(result.output == "\(number)\nold\n.cleat-get-a\na\npid\n", "\(result)")
        }
    }
}
