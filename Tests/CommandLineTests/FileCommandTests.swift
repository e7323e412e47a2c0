import CleatAPI
import CleatJSON
import CleatTestSupport
import CleatVarlink
import CleatViews
import Synchronization
import SystemPackage
import Testing

@testable import cleat

/// The shorter verbs of `cleat file`, and what they are made of.
@Suite struct FileCommandTests {
    @Test(arguments: [
        ("documents", "documents", "", false), ("documents/", "documents", "", true),
        ("documents/a", "documents", "a", false), ("inbox/a/b/", "inbox", "a/b", true),
        ("inbox/a//", "inbox", "a", true), ("inbox//a", "inbox", "/a", false), ("x/../y", "x", "../y", false),
        ("ä/ö", "ä", "ö", false),
    ]) func targets(_ text: String, _ area: String, _ path: String, _ endsInSlash: Bool) throws {
        let target = try FileTarget(text)
        #expect(target == FileTarget(area: area, path: path, endsInSlash: endsInSlash))
        #expect(target.description == (path.isEmpty ? area : "\(area)/\(path)"))
        #expect(target.appending("n").path == (path.isEmpty ? "n" : "\(path)/n"))
    }

    @Test(arguments: ["", "/", "/a", "//"]) func noTargets(_ text: String) {
        #expect(throws: CommandError.self) { try FileTarget(text) }
    }

    @Test func theVerbs() async throws {
        let fake = FakeFiles([
            "documents/a": [1], "documents/d": nil, "documents/d/x": [1, 2], "documents/d/y": nil, "documents/z": [],
        ])
        try await CannedBoard.serving(fake.answers) { board in
            for (words, output) in [
                (["ls", "documents/a"], nil), (["ls"], nil), (["df"], nil),
                (["mv", "documents/a", "documents/d"], "documents/a -> documents/d/a\n"),
                (["mv", "documents/d/a", "inbox/b"], "documents/d/a -> inbox/b\n"),
                (["cp", "inbox/b", "documents/d/"], "inbox/b -> documents/d/b\n"),
                (["mkdir", "documents/new"], "documents/new/\n"),
                (["mkdir", "--parents", "documents/p/q"], "documents/p/q/\n"),
                (["mkdir", "-p", "documents/p/q/r"], "documents/p/q/r/\n"),
                (["chmod", "0600", "documents/z"], "documents/z: mode 0600\n"),
                (["exists", "documents/z", "--readable", "--writable"], ""),
                (["exists", "documents/d/", "-v"], "documents/d: exists, readable, writable\n"),
                (["rm", "documents/z", "inbox/b"], "removed documents/z\nremoved inbox/b\n"),
                (["rm", "-r", "documents/d"], "removed documents/d\n"),
            ] as [([String], String?)] {
                let result = try await board.cleat(["file"] + words)
                #expect(result.status == 0, "\(words): \(result.errorText)")
                if let output { #expect(result.output == output) } else { #expect(!result.output.isEmpty) }
            }
            #expect(
                fake.state.withLock { Set($0.files.keys) } == ["documents/new", "documents/p/q", "documents/p/q/r"])
        }
    }

    @Test func everyPageIsListed() async throws {
        var files: [String: [UInt8]?] = ["documents/d": nil]
        for number in 100..<131 { files["documents/d/\(number)"] = [0] }
        let fake = FakeFiles(files)
        try await CannedBoard.serving(fake.answers) { board in
            let text = try await board.cleat("file", "ls", "documents/d")
            #expect(text.output.split(separator: "\n").count == 32, "\(text)")
            let lines = try await board.cleat("file", "ls", "-r", "documents", "--output", "json-lines")
            #expect(lines.output.split(separator: "\n").count == 32)
            let json = try JSONReader.read(try await board.cleat("file", "ls", "documents/d", "--output=json").output)
            #expect(json["entries"]?.arrayValue?.count == 31)
        }
    }

    /// A service whose pages never end is not listened to for ever.
    @Test func aListThatGoesRound() async throws {
        let fake = FakeFiles(
            ["documents/a": []],
            after: { call, reply in
                var reply = reply
                if call.method == "List" { reply["next"] = "a" }
                return reply
            })
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await board.cleat("file", "ls", "documents", "--output", "json-lines")
            #expect(result.status == 1 && result.error == ["Reply", "speak"], "\(result)")
        }
    }

    @Test(
        arguments: [
            (FilesError.Kind.notFound, 65), (.invalidPath, 65), (.unknownArea, 65), (.unknownUpload, 65),
            (.tooLong, 65),
            (.refused, 1), (.quotaExceeded, 1), (.noSpace, 1), (.failed, 1), (.areaUnavailable, 1), (.hashMismatch, 1),
            (.changed, 75), (.uploadConflict, 75), (.tooManyUploads, 75), (.wrongOffset, 75),
        ] as [(FilesError.Kind, Int32)]) func itsErrors(_ kind: FilesError.Kind, _ status: Int32) async throws
    {
        let error = APIError.files(FilesError(kind, area: "documents", path: "a", message: "what it says"))
        let fake = FakeFiles(before: { _, _ in throw error.varlinkError })
        try await CannedBoard.serving(fake.answers) { board in
            let text = try await board.cleat("file", "mkdir", "documents/a")
            #expect(text.status == status && text.errorText.hasPrefix("cleat: what it says\n"), "\(text)")
            let json = try await board.cleat("file", "rm", "documents/a", "--output", "json")
            #expect(try JSONReader.read(json.errorText)["error"] == .string(error.name))
            #expect(json.status == status)
        }
    }

    @Test func whatDoesNotExist() async throws {
        let fake = FakeFiles(
            ["documents/a": [1], "documents/secret": [1]],
            before: { call, _ in
                let reasons = ["below/a": "not_directory", "link/a": "symbolic_link"]
                guard let path = call.parameters["path"]?.stringValue, let reason = reasons[path] else { return }
                throw APIError.files(FilesError(.refused, area: "documents", path: path, reason: reason, message: "no"))
                    .varlinkError
            },
            after: { call, reply in
                var reply = reply
                if call.parameters["area"] == "inbox" { (reply["readable"], reply["writable"]) = (nil, nil) }
                return reply
            })
        fake.state.withLock { $0.modes["documents/secret"] = "0000" }
        try await CannedBoard.serving(fake.answers) { board in
            for (words, status, output) in [
                (["documents/none"], 1, ""), (["documents/none", "-v"], 1, "documents/none: does not exist\n"),
                (["documents/below/a"], 1, ""), (["documents/a/"], 1, ""), (["documents/a"], 0, ""),
                (["documents/secret"], 0, ""), (["documents/secret", "--readable"], 1, ""),
                (
                    ["documents/secret", "--writable", "--verbose"], 1,
                    "documents/secret: exists, not readable, not writable\n"
                ),
                (["documents/link/a"], 2, ""), (["inbox"], 0, ""), (["inbox", "--readable"], 2, ""), (["/a"], 64, ""),
            ] as [([String], Int32, String)] {
                let result = try await board.cleat(["file", "exists"] + words)
                #expect(result.status == status && result.output == output, "\(words): \(result)")
                #expect(result.errorText.isEmpty == (status < 2), "\(words): \(result)")
            }
            let json = try await board.cleat("file", "exists", "documents/none", "--output", "json")
            #expect(try json.status == 1 && JSONReader.read(json.output)["exists"] == false, "\(json)")
        }
    }

    @Test(arguments: [
        ("4755", "4755: setuid cannot be set; give 0000 to 0777"), ("7000", "7000: setuid, setgid, sticky cannot be"),
        ("u+x", "u+x: give three or four octal digits"), ("17777", "17777: give three"), ("0", "0: give three"),
        ("+755", "+755: give three"), ("0o755", "0o755: give three"), ("", ": give three"),
        ("0888", "0888: give three"),
    ]) func modes(_ text: String, _ message: String) async throws {
        try await CannedBoard.serving([:]) { board in
            for words in [["chmod", text, "documents/a"], ["put", "--mode", text, "/dev/null", "documents/a"]] {
                let result = try await board.cleat(["file"] + words)
                #expect(result.status == 64 && result.errorText.contains(message), "\(words): \(result)")
            }
        }
    }

    @Test func completesPlaces() async throws {
        let fake = FakeFiles(["documents/certs": nil, "documents/certs/ca.pem": [], "documents/cx": []])
        try await CannedBoard.serving(fake.answers) { board in
            let found = try await board.script(
                #"for word in "" doc documents/c documents/certs/ /x; do "$CLEAT" ---completion file ls -- positional@0 2 ${#word} file ls "$word"; echo .; done"#
            )
            #expect(
                found.output.split(separator: "\n", omittingEmptySubsequences: true)
                    == [
                        "documents/", "inbox/", ".", "documents/", ".", "documents/certs/", "documents/cx", ".",
                        "documents/certs/ca.pem", ".", ".",
                    ], "\(found)")
            let files = try await board.script(
                #"cd "$1"; touch docs; "$CLEAT" ---completion file put -- positional@0 2 2 file put do"#,
                [board.directory.text])
            #expect(files.output.split(separator: "\n") == ["docs", "documents/"], "\(files)")
        }
    }
}

@Suite struct TransferProgressTests {
    @Test(arguments: [
        (0, 100, 0, 0, "put a [....................] 0%  0 B"),
        (50, 100, 50, 400, "put a [##########..........] 50%  50 B"),
        (100, 100, 100, 1000, "put a [####################] 100%  100 B  100 B/s"),
        (0, 0, 0, 0, "put a [####################] 100%  0 B"),
        (3 << 30, 4 << 30, 1 << 30, 2000, "put a [###############.....] 75%  3.0 GiB  512.0 MiB/s"),
        (200, 100, 200, 0, "put a [####################] 100%  200 B"),
    ]) func aLine(_ done: Int64, _ total: Int64, _ moved: Int64, _ milliseconds: Int, _ text: String) {
        #expect(
            TransferProgress.text(
                verb: "put", name: "a", done: done, total: total, moved: moved, elapsed: .milliseconds(milliseconds))
                == text)
    }

    @Test func staysInItsLine() {
        let text = TransferProgress.text(
            verb: "get", name: "documents/\u{1b}[2J" + String(repeating: "x", count: 300), done: 1, total: 3,
            moved: 1, elapsed: .seconds(1))
        #expect(text.count == 78 && !text.contains("\u{1b}"))
        #expect(text.contains("…xxx"))
    }

    /// It writes at most ten times a second, the end always, and takes away what it wrote.
    @Test func writesSeldom() {
        var written: [String] = []
        var now = ContinuousClock.now
        let progress = TransferProgress(isShown: true, now: { now }, write: { written.append($0) })
        progress.begin("put", "a", total: 1000)
        for done in 1...1000 {
            now += .milliseconds(1)
            progress.advance(to: Int64(done))
        }
        #expect(written.count == 11, "\(written.count)")
        #expect(written.last?.contains("100%  1000 B") == true)
        progress.clear()
        progress.clear()
        #expect(written.count == 12 && written.last?.allSatisfy { $0 == " " || $0 == "\r" } == true)
    }

    @Test func isSilentWithoutATerminal() {
        var written = 0
        let progress = TransferProgress(isShown: false, write: { _ in written += 1 })
        progress.begin("put", "a", total: 10)
        progress.advance(to: 10)
        progress.clear()
        #expect(written == 0)
    }
}

@Suite struct TerminalSinkTests {
    @Test(arguments: [
        ("a\n\tb\n", "a\n\tb\n"), ("\u{1b}[2J", "\\x1b[2J"), ("é\u{9b}x", "é\\x9bx"), ("\r\n", "\\r\n"), ("", ""),
        ("\u{202e}", "\\u{202e}"),
    ]) func escapes(_ text: String, _ shown: String) {
        #expect(TerminalSink.printable(Array(text.utf8)[...]) == shown)
    }
}

@Suite struct ShownBytesTests {
    @Test(
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1_048_575, "1023 KiB"), (1 << 20, "1.0 MiB"),
            (1_500_000, "1.4 MiB"), ((1 << 30) - 1, "1023.9 MiB"), (1 << 30, "1.0 GiB"), (1 << 40, "1.0 TiB"),
            (.max, "8388607.9 TiB"), (-5, "-5 B"),
        ] as [(Int64, String)]) func sizes(_ bytes: Int64, _ text: String)
    {
        #expect(bytes.shownBytes == text)
    }
}
