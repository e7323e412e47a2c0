import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import Synchronization
import SystemPackage
import Testing

@testable import cleat

/// Tests of the calls of `cleat file put`.
@Suite struct FilePutTests {
    private static let pieces = SeededBytes.of(APILimits.piece * 2 + 12_345)

    /// The pieces as a file of a board's directory.
    private static func write(_ bytes: [UInt8], to name: String, in board: CannedBoard, mode: UInt16 = 0o644) throws {
        try board.directory.write("", to: name, mode: mode)
        let file = try FileDescriptor.open(board.directory.path.appending(name), .writeOnly)
        _ = try file.closeAfter { try file.writeAll(bytes) }
    }

    @Test func sendsInPieces() async throws {
        let fake = FakeFiles()
        try await CannedBoard.serving(fake.answers) { board in
            try Self.write(Self.pieces, to: "big.bin", in: board, mode: 0o750)
            let result = try await board.cleat("file", "put", board.directory.appending("big.bin"), "documents/")
            #expect(result.status == 0, "\(result.errorText)")
            #expect(fake.contents("documents/big.bin") == Self.pieces)
            #expect(fake.state.withLock { $0.largestPiece } == APILimits.piece)
            #expect(fake.state.withLock { $0.modes["documents/big.bin"] } == "0750")
            // There is no progress without a terminal.
            #expect(result.errorText.isEmpty)
            #expect(result.output.hasSuffix("-> documents/big.bin  1.0 MiB\n"))
        }
    }

    @Test func continuesWhereItEnded() async throws {
        // The connection breaks at the second piece, once.
        let fake = FakeFiles(before: { call, number in
            if call.method == "Write", number == 2 { call.disconnect() }
        })
        try await CannedBoard.serving(fake.answers) { board in
            try Self.write(Self.pieces, to: "big.bin", in: board)
            let words = ["file", "put", board.directory.appending("big.bin"), "documents/a.bin", "--output", "json"]
            let broken = try await board.cleat(words)
            #expect(broken.status != 0 && broken.output.isEmpty)
            let held = fake.state.withLock { $0.uploads.values.first?.bytes.count ?? 0 }
            #expect(held >= APILimits.piece && held < Self.pieces.count)
            let listed = try await board.cleat("file", "uploads")
            #expect(listed.output.contains("documents/"), "\(listed.output)")

            let again = try await board.cleat(words)
            #expect(again.status == 0, "\(again.errorText)")
            let file = try JSONReader.read(again.output)["files"]?[0]
            #expect(file?["resumed_at"]?.intValue == held)
            #expect(fake.contents("documents/a.bin") == Self.pieces)
            // What was there was not sent again.
            #expect(fake.count("Write") == 2 + (Self.pieces.count - held + APILimits.piece - 1) / APILimits.piece)
        }
    }

    @Test func theIDSaysWhatIsSent() {
        let target = FileTarget(area: "documents", path: "a")
        let id = UploadID.make(for: target, size: 1, sha256: "aa")
        #expect(APILimits.isValidID(id))
        #expect(id == UploadID.make(for: target, size: 1, sha256: "aa"))
        let others = [
            UploadID.make(for: FileTarget(area: "inbox", path: "a"), size: 1, sha256: "aa"),
            UploadID.make(for: FileTarget(area: "documents", path: "b"), size: 1, sha256: "aa"),
            UploadID.make(for: target, size: 2, sha256: "aa"),
            UploadID.make(for: target, size: 1, sha256: "ab"),
        ]
        #expect(!others.contains(id) && Set(others).count == others.count)
    }

    @Test func standardInput() async throws {
        let fake = FakeFiles()
        try await CannedBoard.serving(fake.answers) { board in
            try Self.write(Self.pieces, to: "big.bin", in: board)
            let script = #"""
                set -e
                cat "$1" | "$CLEAT" file put - documents/pipe
                "$CLEAT" file put - documents/file <"$1"
                # Who has read the beginning leaves the rest.
                { head -c 100000 >/dev/null; "$CLEAT" file put - documents/rest; } <"$1"
                "$CLEAT" file put - documents/empty </dev/null
                mkfifo "$1.fifo"; cat "$1" >"$1.fifo" & "$CLEAT" file put "$1.fifo" documents/fifo; wait
                "$CLEAT" file put --id mine --mode 0600 - documents/named </dev/null
                """#
            let result = try await board.script(script, [board.directory.appending("big.bin")])
            #expect(result.status == 0, "\(result.errorText)")
            #expect(fake.contents("documents/pipe") == Self.pieces)
            #expect(fake.contents("documents/file") == Self.pieces)
            let rest = try #require(fake.contents("documents/rest"))
            #expect(Self.pieces.hasSuffix(rest) && rest.count < Self.pieces.count)
            #expect(fake.contents("documents/empty") == [])
            #expect(fake.contents("documents/fifo") == Self.pieces)
            #expect(fake.state.withLock { $0.calls.contains("Commit mine") && $0.modes["documents/named"] == "0600" })
        }
    }

    /// The temporary file for data from a pipe is in the named directory, and is removed.
    @Test func aPipeIsKeptOnlyWhileItIsNeeded() async throws {
        let fake = FakeFiles()
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await board.script(
                #"mkdir "$1"; printf abc | TMPDIR="$1" "$CLEAT" file put - documents/a; ls -A "$1""#,
                [board.directory.appending("spool")])
            #expect(result.status == 0 && result.output == "- -> documents/a  3 B\n", "\(result)")
            let nowhere = try await board.script(#"printf abc | TMPDIR=/nowhere "$CLEAT" file put - documents/b"#)
            #expect(nowhere.status == 1 && nowhere.errorText.contains("TMPDIR"), "\(nowhere.errorText)")
        }
    }

    @Test func aDirectoryGoesWithoutItsLinks() async throws {
        let fake = FakeFiles()
        try await CannedBoard.serving(fake.answers) { board in
            let script = #"""
                set -e
                mkdir -p "$1/site/css/deep" "$1/secret"; cd "$1"
                echo a >site/index.html; echo b >site/css/a.css; echo c >site/css/deep/c; echo secret >secret/key
                ln -s ../secret site/out; ln -s ../../secret/key site/css/key; mkfifo site/pipe
                "$CLEAT" file put -r site library/
                """#
            let result = try await board.script(script, [board.directory.text])
            #expect(result.status == 0, "\(result.errorText)")
            #expect(
                result.output == """
                    site/css/a.css -> library/site/css/a.css  2 B
                    site/css/deep/c -> library/site/css/deep/c  2 B
                    skipped site/css/key: a symbolic link, which is not followed
                    site/index.html -> library/site/index.html  2 B
                    skipped site/out: a symbolic link, which is not followed
                    skipped site/pipe: neither a file nor a directory

                    """)
            #expect(fake.contents("library/site/css/deep/c") == Array("c\n".utf8))
            #expect(!fake.state.withLock { $0.files.values.contains(Array("secret\n".utf8)) })
            let json = try await board.script(
                #"cd "$1"; "$CLEAT" file put -r --output json site library/other"#, [board.directory.text])
            let value = try JSONReader.read(json.output)
            #expect(value["files"]?.arrayValue?.count == 3 && value["skipped"]?.arrayValue?.count == 3)
            #expect(value["bytes"] == 6)
        }
    }

    @Test func aDirectoryIsRefusedWithWhatTakesIt() async throws {
        try await CannedBoard.serving(FakeFiles().answers) { board in
            let put = try await board.script(
                #"mkdir "$1"; "$CLEAT" file put "$1" documents/x"#, [board.directory.appending("site")])
            #expect(put.status == 1 && put.errorText.contains("`cleat file put -r`"), "\(put)")
            // Settings are read from files only.
            let applied = try await board.script(
                #""$CLEAT" apply "$1" --output json"#, [board.directory.appending("site")])
            #expect(applied.status == 1 && applied.error == ["LocalFile", "local"], "\(applied)")
            #expect(applied.errorText.contains(board.directory.appending("site")), "\(applied)")
            #expect(!applied.errorText.contains("put"), "\(applied)")
        }
    }

    @Test func manyFilesGoIntoADirectory() async throws {
        let fake = FakeFiles()
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await board.script(
                #"cd "$1"; echo 1 >a; echo 2 >b; "$CLEAT" file put a b documents/x"#, [board.directory.text])
            #expect(result.output == "a -> documents/x/a  2 B\nb -> documents/x/b  2 B\n", "\(result.errorText)")
        }
    }

    @Test func aFileThatChangesMeanwhileIsNotPut() async throws {
        let directory = try TemporaryDirectory()
        let fake = FakeFiles(before: { call, _ in
            guard call.method == "Write" else { return }
            let file = try FileDescriptor.open(directory.path.appending("log"), .writeOnly, options: .append)
            _ = try file.closeAfter { try file.writeAll("more".utf8) }
        })
        try await CannedBoard.serving(fake.answers) { board in
            try directory.write("begin", to: "log")
            let result = try await board.cleat(
                "file", "put", directory.appending("log"), "documents/log", "--output", "json")
            #expect(result.status == 1 && result.error == ["LocalFile", "local"], "\(result)")
            #expect(result.errorText.contains(directory.appending("log")), "\(result)")
            #expect(fake.count("Commit") == 0)
        }
    }

    @Test(arguments: [
        ("put", "Write", "offset", JSONValue.integer(3)), ("put", "Begin", "offset", .integer(-1)),
        ("put", "Begin", "offset", .integer(99)),
    ]) func anAnswerThatGoesAstray(_ verb: String, _ method: String, _ field: String, _ value: JSONValue) async throws {
        let fake = FakeFiles(after: { call, reply in
            var reply = reply
            if call.method == method { reply[field] = value }
            return reply
        })
        try await CannedBoard.serving(fake.answers) { board in
            let file = try board.directory.write("hello", to: "a")
            let result = try await board.cleat("file", verb, file, "documents/a", "--output", "json")
            #expect(result.status == 1 && result.error == ["Reply", "speak"], "\(result)")
            #expect(result.errorText.contains("byte \(value.integerValue ?? 0)"), "\(result)")
        }
    }

    @Test func whatCannotBeSent() async throws {
        let fake = FakeFiles()
        try await CannedBoard.serving(fake.answers) { board in
            let here = board.directory.text
            for (words, status) in [
                (["\(here)/nothing", "documents/a"], 1), ([here, "documents/a"], 1), (["-", "documents/"], 64),
                (["-", "documents"], 64), (["\(here)/nothing"], 64), (["-", "/documents/a"], 64), (["-", ""], 64),
                (["--id", "x", "-r", here, "documents/a"], 64),
                (["--mode", "4755", "/etc/hostname", "documents/a"], 64),
                (["--mode", "rw", "/etc/hostname", "documents/a"], 64),
                (["--id", "x", "a", "b", "documents/a"], 64),
            ] as [([String], Int32)] {
                let result = try await board.script(
                    #"exec "$CLEAT" file put "$@" </dev/null"#, words)
                #expect(result.status == status, "\(words): \(result.errorText)")
                #expect(result.output.isEmpty && !result.errorText.isEmpty)
            }
            #expect(fake.state.withLock { $0.files.isEmpty })
        }
    }
}

/// Bytes that look like nothing in particular, the same in every run.
enum SeededBytes {
    static func of(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x2545_f491_4f6c_dd1d
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for index in 0..<count {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                unsafe buffer[index] = UInt8(truncatingIfNeeded: state >> 33)
            }
            filled = count
        }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ other: [UInt8]) -> Bool { suffix(other.count) == other[...] }
}
