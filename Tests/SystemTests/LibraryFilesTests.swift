import Cleat
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Files of the board in the library for Swift programs", .serialized)
struct LibraryFilesTests {
    private static func connect(_ board: Board, timeout: Duration = Board.patience) async throws -> Cleat {
        try await Cleat.connect(to: board.socket, waitsForService: true, timeout: timeout)
    }

    /// Returns the error that a call has to throw.
    private static func failure(
        _ location: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
    ) async throws -> FilesError {
        do {
            try await call()
        } catch let error as FilesError {
            return error
        }
        throw Failure("no error was thrown at \(location)")
    }

    @Test("Each operation, with the files that the service has then")
    func operations() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let area = try await Self.connect(board).files.area("documents")
            let place = "\(board.state)/files/documents"
            #expect(area.label == "documents")
            try await area.makeDirectory("notes/old", withParents: true)
            try await area.makeDirectory("notes/old", withParents: true)
            #expect(try await Self.failure { try await area.makeDirectory("notes/old") }.code == .exists)
            try await area.write([1, 2], to: "notes/a.txt", permissions: 0o600)
            try await area.append([3], to: "notes/a.txt")
            try await area.append([9], to: "notes/new.txt")
            #expect(try await area.read("notes/a.txt") == [1, 2, 3])
            #expect(try await area.read("notes/a.txt", from: 1, upTo: 1) == [2])
            #expect(try await area.read("notes/a.txt", from: 7, upTo: 1) == [])
            #expect(try await Self.failure { _ = try await area.read("notes/a.txt", limit: 2) }.code == .tooLarge)
            let attributes = try await area.attributes(of: "notes/a.txt")
            #expect(attributes.type == .regular && attributes.size == 3 && attributes.permissions == 0o600)
            #expect(attributes.owner.user == ProcessSelf.uid && attributes.modified.seconds > 0)
            #expect(try await area.realPath(of: "notes/a.txt") == "\(place)/notes/a.txt")
            for path in ["notes/a.txt", "notes", ""] {
                #expect(try await area.exists(path))
                #expect(try await area.isReadable(path))
                #expect(try await area.isWritable(path))
            }
            #expect(try await !area.exists("notes/a.txt/b"))
            #expect(try await !area.isReadable("missing"))
            #expect(try await !area.isWritable("missing"))
            #expect(try await area.changeExtension(of: "notes/a.txt", to: "md") == FilesPath("notes/a.md"))
            #expect(try await area.rename("notes/a.md", to: "b.md").name == "b.md")
            try await area.copy("notes/b.md", to: "c.md")
            #expect(try await Self.failure { try await area.copy("notes/b.md", to: "c.md") }.code == .exists)
            try await area.copy("notes/b.md", to: "c.md", replacing: true)
            try await area.setPermissions(0o640, of: "c.md")
            #expect(try await area.attributes(of: "c.md").permissions == 0o640)
            var listed: [String] = []
            for try await entry in area.list(recursive: true) {
                listed.append("\(entry.path) \(entry.attributes.type) \(entry.attributes.size)")
            }
            #expect(
                listed == [
                    "c.md regular 3", "notes directory 0", "notes/b.md regular 3", "notes/new.txt regular 1",
                    "notes/old directory 0",
                ])
            try await area.move("notes/b.md", to: "notes/old/b.md")
            try await area.remove("notes/old/b.md")
            #expect(try await Self.failure { try await area.remove("notes") }.code == .notEmpty)
            try await area.remove("notes", recursive: true)
            #expect(try names(in: place) == ["c.md"])
            // Files of another implementation, in parts.
            let own = try await Sandbox.open(at: board.directory.appending("own"))
            let content = Files.bytes(3_000_001)
            try await own.write(content, to: "big")
            try await own.copy("big", into: area, as: "big")
            #expect(try await area.read("big", limit: .max - 1) == content)
            try await area.copy("big", into: own, as: "back")
            #expect(try await own.read("back", limit: 1 << 22) == content)
        }
    }

    @Test("Many entries are listed page by page")
    func pages() async throws {
        try await Board.with { board in
            _ = try await board.start()
            _ = try await board.script(
                "cd $D/state/files/library; i=1000; while [ $i -lt 1600 ]; do : >f$i; i=$((i + 1)); done")
            let area = try await Self.connect(board).files.area("library")
            var listed: [String] = []
            for try await entry in area.list() { listed.append("\(entry.path)") }
            #expect(listed == (1000..<1600).map { "f\($0)" })
        }
    }

    @Test("An upload and a download continue after the service is killed in the middle of them")
    func killed() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            let content = Files.bytes(12 << 20)
            let area = try await Self.connect(board).files.area("documents")
            let directory = "\(board.state)/files/documents"
            let writer = try await area.writer("big", permissions: 0o600)
            for start in stride(from: 0, to: content.count, by: 4 << 20) {
                let upload = board.loop.task { try await writer.write(Array(content[start..<start + 4 << 20])) }
                try await board.eventually("a part has arrived") { try Self.partialSize(in: directory) > start }
                try await agent.stop(.kill)
                #expect(try !names(in: directory).contains("big"))
                agent = try await board.start()
                try await upload.value
            }
            try await writer.commit()
            #expect(try names(in: directory) == ["big"])
            #expect(try await area.attributes(of: "big").permissions == 0o600)
            var (found, parts) = ([UInt8](), 0)
            for try await part in try await area.reader("big").parts {
                found += part
                parts += 1
                if parts == 60 || parts == 120 {
                    try await agent.stop(.kill)
                    agent = try await board.start()
                }
            }
            #expect(found == content)
        }
    }

    private static func partialSize(in directory: String) throws -> Int64 {
        let name = try names(in: directory).first { $0.hasPrefix(".cleat-upload-") && !$0.hasSuffix(".about") }
        guard let name else { return 0 }
        let file = try FileDescriptor.open(FilePath("\(directory)/\(name)"), .readOnly, options: .closeOnExec)
        return try file.closeAfter { try file.seek(offset: 0, from: .end) }
    }

    @Test("A released writer leaves nothing; a file that changes while it is read is reported")
    func released() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let area = try await Self.connect(board).files.area("documents")
            let directory = "\(board.state)/files/documents"
            try await area.write([1], to: "a")
            do {
                let writer = try await area.writer("a")
                try await writer.write([2, 3])
                #expect(try names(in: directory).count == 3)
            }
            try await board.eventually("the upload was discarded") { try names(in: directory) == ["a"] }
            #expect(try await area.read("a") == [1])
            let writer = try await area.writer("b")
            try await writer.commit()
            #expect(try await area.read("b") == [])
            #expect(try await Self.failure { try await writer.write([1]) }.code == .ended)
            #expect(try await Self.failure { try await writer.commit() }.code == .ended)

            let reader = try await area.reader("a")
            #expect(try await reader.read(from: 0, upTo: 10) == [1])
            try await area.write([4], to: "a")
            #expect(try await Self.failure { _ = try await reader.read(from: 0, upTo: 10) }.code == .changed)
        }
    }

    @Test("Each operation reports a service that does not come back")
    func gone() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let cleat = try await Self.connect(board, timeout: .milliseconds(300))
            let inbox = try await cleat.files.area("inbox")
            let area = try await cleat.files.area("documents")
            try await area.write([1, 2, 3], to: "a")
            let (reader, writer) = (try await area.reader("a"), try await area.writer("b"))
            try await writer.write([1])
            try await agent.stop(.kill)
            let calls: [(String, () async throws -> Void)] = [
                ("area", { _ = try await cleat.files.area("documents") }),
                ("attributes", { _ = try await area.attributes(of: "a") }),
                ("exists", { _ = try await area.exists("a") }), ("real path", { _ = try await area.realPath(of: "a") }),
                ("readable", { _ = try await area.isReadable("a") }),
                ("writable", { _ = try await area.isWritable("a") }), ("read", { _ = try await area.read("a") }),
                ("reader", { _ = try await area.reader("a") }),
                ("part", { _ = try await reader.read(from: 0, upTo: 1) }),
                ("list", { for try await _ in area.list() {} }), ("write", { try await area.write([1], to: "c") }),
                ("writer", { _ = try await area.writer("c") }), ("piece", { try await writer.write([1]) }),
                ("append", { try await area.append([1], to: "a") }),
                ("directory", { try await area.makeDirectory("d") }),
                ("move", { try await area.move("a", to: "d") }), ("copy", { try await area.copy("a", to: "d") }),
                ("remove", { try await area.remove("a") }),
                ("permissions", { try await area.setPermissions(0o600, of: "a") }),
                ("arrivals", { _ = try await inbox.arrivals(in: FilesPath.root) }),
            ]
            for (name, call) in calls {
                let error = try await Self.failure { try await call() }
                #expect(error.code == .unreachable, "\(name): \(error)")
                #expect(error.description.contains("start cleatd"), "\(name): \(error)")
            }
            // The writer has failed, and says so.
            #expect(try await Self.failure { try await writer.commit() }.code == .ended)
        }
    }

    @Test("Invalid areas, paths, names and numbers, a full area")
    func refusals() async throws {
        try await Board.with { board in
            try board.directory.write(#"{ files: { library: { bytes: "100KiB", files: 4 } } }"#, to: "etc/cleatd.json5")
            _ = try await board.start()
            let files = try await Self.connect(board).files
            for name in ["config", "", "documents/a", "../documents", "a\nb"] {
                let error = try await Self.failure { _ = try await files.area(name) }
                #expect(error.code == .unknownArea, "\(error)")
            }
            let area = try await files.area("library")
            _ = try await board.script("echo secret >$D/secret; ln -s $D/secret $D/state/files/library/link")
            for (path, code) in [
                ("../secret", .badPath), ("/etc/passwd", .badPath), ("a\nb", .badPath), ("link", .symbolicLink),
                ("link/a", .symbolicLink), ("", .isDirectory),
            ] as [(String, FilesError.Code)] {
                #expect(try await Self.failure { _ = try await area.read(path) }.code == code, "\(path)")
                #expect(try await Self.failure { _ = try await area.reader(path) }.code == code, "\(path)")
                #expect(try await Self.failure { try await area.write([1], to: path) }.code == code, "\(path)")
                #expect(try await Self.failure { try await area.append([1], to: path) }.code == code, "\(path)")
                let error = try await Self.failure { try await area.setPermissions(0o600, of: path) }
                #expect(error.code == code, "\(path)")
            }
            try await area.remove("link")
            let error = try await Self.failure { try await area.write(Files.bytes(200_000), to: "a") }
            #expect(error.code == .quotaBytes && error.description.contains("102400"), "\(error)")
            try await area.write([1], to: "b")
            let full = try await Self.failure { try await area.append(Files.bytes(200_000), to: "b") }
            #expect(full.code == .quotaBytes && full.path == "b", "\(full)")
            for name in ["c", "d", "e"] { try await area.makeDirectory(name) }
            #expect(try await Self.failure { try await area.makeDirectory("f") }.code == .quotaFiles)
            #expect(try await Self.failure { try await area.append(Files.bytes(524_289), to: "b") }.code == .tooLarge)
            #expect(try await Self.failure { try await area.write([1], to: "b", permissions: 0o4755) }.code == .denied)
            #expect(try await Self.failure { try await area.setPermissions(0o700, of: "c") }.code == .isDirectory)
            let path = try FilesPath("b")
            #expect(try await Self.failure { _ = try await area.read(at: path, from: -1, upTo: 1) }.code == .outOfRange)
            #expect(try await area.read("b", from: .max, upTo: 1) == [])
            #expect(try await Self.failure { _ = try await area.arrivals(in: "c") }.code == .unsupported)
            let present = try names(in: "\(board.state)/files/library").filter { !$0.hasPrefix(".cleat-") }
            #expect(present.sorted() == ["b", "c", "d", "e"])
        }
    }

    @Test(
        "An area on a read-only file system is read, and every change is refused",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func readOnly() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                """
                mkdir -p $D/state/files/documents; printf hello >$D/state/files/documents/f
                mount --bind $D/state/files/documents $D/state/files/documents
                mount -o remount,bind,ro $D/state/files/documents
                """)
            _ = try await board.start(space.options)
            let area = try await Self.connect(board).files.area("documents")
            #expect(try await area.read("f") == Array("hello".utf8))
            #expect(try await area.isReadable("f"))
            #expect(try await !area.isWritable("f"))
            #expect(try await Self.failure { try await area.write([1], to: "g") }.code == .readOnly)
            #expect(try await Self.failure { try await area.append([1], to: "f") }.code == .readOnly)
            #expect(try await Self.failure { try await area.remove("f") }.code == .readOnly)
            #expect(try await Self.failure { try await area.move("f", to: "g") }.code == .readOnly)
            #expect(try await Self.failure { try await area.makeDirectory("d") }.code == .readOnly)
        }
    }

    @Test("The example takes the files of the inbox, those that are there before it, too")
    func postbox() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let finished = try await board.script(
                """
                echo 12 >$D/one; echo 1234 >$D/two
                $CLEAT file put $D/one inbox/one >&2
                $POSTBOX 2 & $CLEAT file put $D/two inbox/two >&2; wait $!
                $CLEAT file ls inbox; $CLEAT file cat documents/received/one documents/received/two
                """, environment: ["POSTBOX": TestPlaces.program("postbox").string])
            #expect(finished.status == 0, "\(finished)")
            let lines = ["received/one 3 bytes", "received/two 5 bytes", "nothing is in inbox", "12", "1234"]
            #expect(Set(finished.lines) == Set(lines), "\(finished)")
        }
    }

    @Test("Files arrive in the inbox, once each, and after a restart of the service")
    func arrivals() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let area = try await Self.connect(board).files.area("inbox")
            try await area.makeDirectory("in")
            var arrivals = try await area.arrivals(in: "in").makeAsyncIterator()
            try await area.write([1], to: "elsewhere")
            try await area.write([1, 2], to: "in/own")
            let first = try #require(try await arrivals.next())
            guard case .file(let entry) = first else { throw Failure("\(first)") }
            #expect(entry.path.description == "in/own" && entry.attributes.size == 2)
            _ = try await board.script("printf 123 >$D/new; mv $D/new $D/state/files/inbox/in/moved")
            let second = try #require(try await arrivals.next())
            guard case .file(let entry) = second else { throw Failure("\(second)") }
            #expect(entry.path.description == "in/moved" && entry.attributes.size == 3)

            try await agent.stop(.kill)
            _ = try await board.start()
            // The service did not report what arrived meanwhile; from then on it does.
            while try await arrivals.next() != .lost {}
            try await area.write([1], to: "in/later")
            while let arrival = try await arrivals.next() {
                if case .file(let entry) = arrival, entry.path.name == "later" { break }
            }
            #expect(try await Self.failure { _ = try await area.arrivals(in: "missing") }.code == .notFound)
            #expect(try await Self.failure { _ = try await area.arrivals(in: "in/own") }.code == .notDirectory)
        }
    }
}
