import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// Tests of operations on files that the service refuses, and of storage errors that it survives.
@Suite("Files that are refused", .serialized)
struct FileRefusalTests {
    private static let hello = Array("hello".utf8)
    private static let digest = JSONValue.string(SHA256.hexadecimal(of: hello))

    /// The parameters of a `Begin` that fits ``hello``.
    private static func begin(_ id: String, _ path: String = "f", area: String = "documents") -> JSONObject {
        ["id": .string(id), "area": .string(area), "path": .string(path), "size": 5, "sha256": digest]
    }

    @Test("Invalid parameters are named")
    func parameters() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.begin(Self.hello, at: "f", id: "x")
            let large = JSONValue.string(Base64.encode([UInt8](repeating: 0, count: 600 << 10)))
            let justLonger = JSONValue.string(Base64.encode([UInt8](repeating: 0, count: 512 << 10 | 1)))
            let valid = Self.begin("y")
            func changed(_ key: String, _ value: JSONValue) -> JSONObject {
                var object = valid
                object[key] = value
                return object
            }
            for (method, parameters, name) in [
                ("Begin", changed("id", ""), "id"), ("Begin", changed("id", "a b"), "id"),
                ("Begin", changed("id", .string(String(repeating: "x", count: 65))), "id"),
                ("Begin", changed("size", -1), "size"), ("Begin", changed("size", "5"), "size"),
                ("Begin", changed("sha256", "00"), "sha256"),
                ("Begin", changed("sha256", .string(String(repeating: "g", count: 64))), "sha256"),
                ("Begin", changed("unknown", 1), "unknown"),
                ("Write", ["id": "x", "offset": 0, "data": "!!!!"], "data"),
                ("Write", ["id": "x", "offset": 0, "data": "aGVsbG8"], "data"),
                ("Write", ["id": "x", "offset": 0, "data": "aGVs\nbG8="], "data"),
                ("Write", ["id": "x", "offset": 0], "data"),
                ("Commit", ["id": "x", "mode": "999"], "mode"), ("Commit", ["id": "x", "mode": "4755"], "mode"),
                ("Commit", ["id": "x", "mode": "-755"], "mode"), ("Commit", ["id": "x", "mode": ""], "mode"),
                ("Read", ["area": "documents", "path": "f", "offset": -1], "offset"),
                ("Append", ["area": "documents", "path": "f", "offset": -1, "data": ""], "offset"),
                ("Append", ["area": "documents", "path": "f", "offset": 0, "data": "!!!!"], "data"),
                ("Append", ["area": "documents", "path": "f", "offset": 0, "data": justLonger], "data"),
                ("SetMode", ["area": "documents", "path": "f", "mode": "4755"], "mode"),
                ("SetMode", ["area": "documents", "path": "f", "mode": "u+x"], "mode"),
                ("SetMode", ["area": "documents", "path": "f", "mode": "01777"], "mode"),
                ("List", ["area": "documents", "limit": 0], "limit"),
                ("List", ["area": "documents", "deep": true], "deep"),
            ] as [(String, JSONObject, String)] {
                let error = try await agent.refusal("dev.cleat.Files.\(method)", parameters)
                #expect(error.name == "org.varlink.service.InvalidParameter", "\(method) \(name): \(error)")
                #expect(error.parameters["parameter"]?.stringValue == name, "\(method) \(name): \(error)")
            }
            let long = try await agent.fileError("Write", ["id": "x", "offset": 0, "data": large])
            #expect(long.kind == .tooLong && long.limit == 512 << 10)
            let appended = try await agent.fileError(
                "Append", ["area": "documents", "path": "f", "offset": 0, "data": large])
            #expect(appended.kind == .tooLong && appended.limit == 512 << 10)
            let beyond = try await agent.fileError("Write", ["id": "x", "offset": 0, "data": "aGVsbG8h"])
            #expect(beyond.kind == .tooLong)
            let asked = try await agent.fileError(
                "Read", ["area": "documents", "path": "f", "offset": 0, "length": 524_289])
            #expect(asked.kind == .tooLong)
            // None of it is in the file.
            #expect(try await agent.begin(Self.hello, at: "f", id: "x") == 0)
        }
    }

    @Test("Another content than the announced one is dropped")
    func digests() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.put(Self.hello, at: "f")
            _ = try await agent.call("dev.cleat.Files.Begin", Self.begin("x"))
            _ = try await agent.call("dev.cleat.Files.Write", ["id": "x", "offset": 0, "data": "SEVMTE8="])
            let error = try await agent.fileError("Commit", ["id": "x"])
            #expect(error.kind == .hashMismatch && error.id == "x" && !error.message.isEmpty)
            #expect(try await agent.read("f") == Self.hello)
            #expect(try await agent.call(FilesInterface.Uploads.self, .init()).uploads.isEmpty)
            let left = try await board.script("ls -A $D/state/files/documents")
            #expect(left.output == "f\n")
        }
    }

    /// Every spelling of a way out, and everything that no path may hold.
    private static let paths: [String] =
        [
            "..", "../x", "a/../../x", "a/..", "./a", "a/.", "/etc/passwd", "//", "/", "a//b", "a/", "\u{0}", "a\u{0}b",
            "a\nb", "\u{1b}[2J", "\u{7f}", "\u{9b}x", ".cleat-upload-00", "a/.cleat-write-1", "link/passwd", "link",
            String(repeating: "x", count: 256), String(repeating: "x/", count: 16) + "x",
            String(repeating: String(repeating: "y", count: 200) + "/", count: 20) + "z",
        ]

    @Test("No path leads out of its area, in any request")
    func hostilePaths() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let made = try await board.script(
                "mkdir $D/outside; echo canary >$D/outside/passwd; ln -s ../../../outside $D/state/files/documents/link"
            )
            #expect(made.status == 0, "\(made)")
            try await agent.put(Self.hello, at: "good")
            for path in Self.paths {
                for (method, parameters) in Self.calls(about: .string(path)) {
                    // The link itself may be moved and removed: it is the object at the path.
                    if path == "link", parameters["path"] == "link", ["Remove", "Move"].contains(method) { continue }
                    let error = try await agent.fileError(method, parameters)
                    #expect([.invalidPath, .refused, .notFound].contains(error.kind), "\(method): \(error)")
                }
            }
            let outside = try await board.script("cat $D/outside/*; ls $D/outside $D/state/files/inbox")
            let place = board.directory.text
            #expect(
                outside.lines == ["canary", "\(place)/outside:", "passwd", "\(place)/state/files/inbox:"],
                "\(outside)")
            #expect(try await agent.read("good") == Self.hello)
            #expect(try await agent.call(FilesInterface.Uploads.self, .init()).uploads.isEmpty)
        }
    }

    /// Every call that takes a path, with this one.
    private static func calls(about path: JSONValue) -> [(String, JSONObject)] {
        func with(_ more: JSONObject) -> JSONObject {
            more.reduce(into: ["area": "documents", "path": path] as JSONObject) { $0[$1.key] = $1.value }
        }
        let good: JSONObject = ["area": "documents", "path": "good", "to_area": "documents", "to_path": path]
        return [
            ("Read", with(["offset": 0])), ("Hash", with([:])), ("List", with([:])),
            ("Begin", with(["id": "x", "size": 5, "sha256": digest])), ("Remove", with(["recursive": true])),
            ("Move", with(["to_area": "inbox", "to_path": "x"])), ("Copy", with(["to_area": "inbox", "to_path": "x"])),
            ("Append", with(["offset": 0, "data": "aGVsbG8="])), ("SetMode", with(["mode": "0777"])),
            ("MakeDirectory", with([:])), ("MakeDirectory", with(["parents": true])), ("Move", good), ("Copy", good),
        ]
    }

    @Test("FIFOs, sockets and links in an area are listed, and never opened")
    func specialFiles() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let made = try await board.script(
                """
                cd $D/state/files/documents; mkfifo pipe; ln -s /etc/passwd link; echo x >file; ln file $D/second
                """)
            #expect(made.status == 0, "\(made)")
            let entries = try await agent.call(FilesInterface.List.self, .init(area: "documents")).entries
            #expect(entries.map { "\($0.path) \($0.type)" } == ["file file", "link link", "pipe other"])
            for path in ["pipe", "link", "file"] {
                for (method, more) in [("Read", ["offset": 0]), ("Hash", [:])] as [(String, JSONObject)] {
                    let asked = more.reduce(into: ["area": "documents", "path": .string(path)] as JSONObject) {
                        $0[$1.key] = $1.value
                    }
                    let error = try await agent.fileError(method, asked)
                    #expect(error.kind == .refused && !error.reason.isEmpty, "\(path): \(error)")
                }
            }
        }
    }

    @Test("An area holds no more than its quota, which a reload can raise")
    func quotas() async throws {
        try await Board.with { board in
            try board.directory.write(
                #"{ files: { documents: { bytes: "100KiB", files: 3 }, inbox: { files: 0 } } }"#, to: "etc/cleatd.json5"
            )
            let agent = try await board.start()
            let large = Files.bytes(200_000)
            let error = try await agent.fileError(
                "Begin",
                [
                    "id": "x", "area": "documents", "path": "big", "size": 200_000,
                    "sha256": .string(SHA256.hexadecimal(of: large)),
                ])
            #expect(error.kind == .quotaExceeded && error.resource == "bytes" && error.limit == 102_400, "\(error)")
            #expect(error.area == "documents" && error.path == "big")
            // What an upload keeps for itself is asked for, too: its record.
            #expect(error.used == 0 && error.asked >= 200_000 && error.asked < 210_000, "\(error)")
            #expect(error.message.contains("\(error.asked) bytes") && error.message.contains("102400"), "\(error)")
            let none = try await agent.fileError("MakeDirectory", ["area": "inbox", "path": "d"])
            #expect(none.kind == .quotaExceeded && none.resource == "files", "\(none)")
            #expect((none.used, none.limit, none.asked) == (0, 0, 1), "\(none)")
            let append = try await board.script("head -c 200000 /dev/zero | $CLEAT file append documents/big")
            #expect(append.status == 1 && append.errorText.contains("0 of 200000 bytes were appended"), "\(append)")
            let put = try await board.script("head -c 200000 /dev/zero | $CLEAT file put - documents/big")
            #expect(put.status == 1 && put.errorText.contains("cleat file df"), "\(put)")
            #expect(put.errorText.contains("0 B of 100 KiB used"), "\(put)")

            try board.directory.write(#"{ files: { documents: { bytes: "1MiB" } } }"#, to: "etc/cleatd.json5")
            Signal.hangUp.send(to: try agent.pid)
            try await board.eventually("the new quota was in force") {
                try await agent.call(FilesInterface.Areas.self, .init()).areas.first?.quotaBytes == 1 << 20
            }
            try await agent.put(large, at: "big")
            let areas = try await agent.call(FilesInterface.Areas.self, .init()).areas
            #expect(areas.map(\.name) == ["documents", "inbox", "library", "temporary"])
            #expect(areas.first?.bytes == 200_000 && areas.first?.files == 1)
            #expect(areas.allSatisfy { $0.freeBytes > 0 && $0.problem == nil })
        }
    }

    @Test("There are at most 64 uploads in an area")
    func uploadLimit() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            for number in 0..<64 {
                _ = try await agent.call("dev.cleat.Files.Begin", Self.begin("id\(number)", "f\(number)"))
            }
            let error = try await agent.fileError("Begin", Self.begin("more"))
            #expect(error.kind == .tooManyUploads && error.limit == 64)
            #expect(try await agent.call(FilesInterface.Uploads.self, .init()).uploads.count == 64)
            _ = try await agent.call(FilesInterface.Abort.self, .init(id: "id7"))
            _ = try await agent.call("dev.cleat.Files.Begin", Self.begin("more"))
            _ = try await agent.call("dev.cleat.Files.Begin", Self.begin("else", area: "inbox"))
        }
    }

    @Test("An area that cannot be opened is reported, and the others are served")
    func brokenArea() async throws {
        try await Board.with { board in
            try SystemCalls.makeDirectory(board.state, mode: 0o700)
            try SystemCalls.makeDirectory(board.state + "/files")
            try board.directory.write("no directory", to: "state/files/inbox")
            let agent = try await board.start()
            let problems = try #require(try await agent.status().fileProblems)
            #expect(problems.count == 1 && problems[0].contains("inbox"), "\(problems)")
            let error = try await agent.fileError("List", ["area": "inbox"])
            #expect(error.kind == .areaUnavailable && error.area == "inbox", "\(error)")
            #expect(try await agent.fileError("Begin", Self.begin("x", area: "inbox")).kind == .areaUnavailable)
            #expect(try await agent.fileError("List", ["area": "../etc"]).kind == .unknownArea)
            let areas = try await agent.call(FilesInterface.Areas.self, .init()).areas
            #expect(areas.first { $0.name == "inbox" }?.problem?.isEmpty == false)
            try await agent.put(Self.hello, at: "f")
            let status = try await board.cleat("status")
            #expect(status.output.contains("inbox"), "\(status)")
        }
    }

    @Test(
        "On a full file system a put fails with a message; existing files stay",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func fullDisk() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                """
                mkdir -p $D/state/files/documents
                mount -t tmpfs -o size=2m,mode=750 none $D/state/files/documents
                """)
            let agent = try await board.start(space.options)
            try await agent.put(Self.hello, at: "old")
            let large = Files.bytes(4 << 20)
            let early = try await agent.fileError(
                "Begin",
                [
                    "id": "x", "area": "documents", "path": "big", "size": JSONValue(large.count),
                    "sha256": .string(SHA256.hexadecimal(of: large)),
                ])
            #expect(early.kind == .noSpace, "\(early)")
            // Another program uses the space after the start of the upload.
            let half = Files.bytes(1 << 20)
            try await agent.begin(half, at: "half", id: "half")
            try await space.script("head -c 1500000 /dev/zero >$D/state/files/documents/other")
            let late = await #expect(throws: VarlinkClientError.self) {
                try await agent.begin(half, at: "half", id: "half", sending: half.count)
            }
            guard case .files(let error)? = late?.remote.flatMap({ APIError($0) }) else {
                throw Failure("\(String(describing: late))")
            }
            #expect(error.kind == .noSpace && error.path == "half", "\(error)")
            #expect(try await agent.read("old") == Self.hello)
            // It continues once there is space.
            try await space.script("rm $D/state/files/documents/other")
            try await agent.begin(half, at: "half", id: "half", sending: half.count)
            _ = try await agent.call(FilesInterface.Commit.self, .init(id: "half"))
        }
    }

    @Test(
        "On a read-only file system files are read, and every change is refused",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func readOnly() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                """
                mkdir -p $D/state/files/documents; printf hello >$D/state/files/documents/f
                mount --bind $D/state/files/documents $D/state/files/documents
                mount -o remount,bind,ro $D/state/files/documents
                """)
            let agent = try await board.start(space.options)
            #expect(try await agent.read("f") == Self.hello)
            for (method, parameters) in [
                ("Begin", Self.begin("x", "g")), ("MakeDirectory", ["area": "documents", "path": "d"]),
                ("Remove", ["area": "documents", "path": "f"]),
                ("Copy", ["area": "documents", "path": "f", "to_area": "documents", "to_path": "g"]),
                ("Append", ["area": "documents", "path": "f", "offset": 5, "data": "eA=="]),
                ("Append", ["area": "documents", "path": "g", "offset": 0, "data": "eA=="]),
                ("SetMode", ["area": "documents", "path": "f", "mode": "0600"]),
            ] as [(String, JSONObject)] {
                let error = try await agent.fileError(method, parameters)
                #expect(error.kind == .refused && error.reason == "read_only", "\(method): \(error)")
            }
            let found = try await agent.call(FilesInterface.Stat.self, .init(area: "documents", path: "f"))
            #expect(found.readable == true && found.writable == false)
            try await agent.put(Self.hello, at: "f", in: "inbox")
        }
    }

    @Test("Links, devices and files with two names are neither appended to nor changed, and are not accessible")
    func otherThings() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let made = try await board.script(
                """
                cd $D/state/files/documents; printf hello >$D/secret; chmod 600 $D/secret
                ln -s ../../../secret link; ln $D/secret hard; mkfifo fifo; mkdir directory
                """)
            #expect(made.status == 0, "\(made)")
            for (path, reason) in [
                ("link", "symbolic_link"), ("hard", "hard_link"), ("fifo", "special_file"),
                ("directory", "is_directory"),
            ] {
                for (method, more) in [
                    ("Append", ["offset": 5, "data": "eA=="]), ("SetMode", ["mode": "0666"]),
                ] as [(String, JSONObject)] {
                    let asked = more.reduce(into: ["area": "documents", "path": .string(path)] as JSONObject) {
                        $0[$1.key] = $1.value
                    }
                    let error = try await agent.fileError(method, asked)
                    #expect(error.kind == .refused && error.reason == reason, "\(method) \(path): \(error)")
                }
                let found = try await agent.call(FilesInterface.Stat.self, .init(area: "documents", path: path))
                #expect(found.readable == (path == "directory") && found.writable == (path == "directory"), "\(found)")
                #expect(found.realPath == board.state + "/files/documents/" + path)
            }
            #expect(try await board.script("cat $D/secret; stat -c %a $D/secret").output == "hello600\n")
        }
    }
}
