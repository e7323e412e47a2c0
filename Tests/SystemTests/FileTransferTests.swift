import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import Synchronization
import SystemPackage
import Testing

/// Tests of files that are sent to the real service and fetched from it, by the real command line.
@Suite("Sending and fetching files", .tags(.board), .serialized)
struct FileTransferTests {
    private static func make(_ count: Int, _ name: String, on board: Board) throws {
        let file = try FileDescriptor.open(
            board.directory.path.appending(name), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: .ownerReadWrite)
        _ = try file.closeAfter { try file.writeAll(Files.bytes(count)) }
    }

    @Test("A large file is sent and fetched in bounded memory, and others are answered meanwhile")
    func large() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try Self.make(Files.large, "big", on: board)
            let before = try await agent.status()
            let peakBefore = try agent.peakMemory()

            let isDone = Mutex(false)
            let transfer = board.loop.task {
                defer { isDone.withLock { $0 = true } }
                // Each has its own time: on a busy machine all of them together may take long.
                var finished = try await board.script("$CLEAT file put $D/big library/big")
                for command in [
                    "$CLEAT file get library/big $D/back", "cmp $D/big $D/back",
                    "$CLEAT file stat --sha256 --output json library/big",
                ] where finished.status == 0 {
                    finished = try await board.script(command)
                }
                return finished
            }
            let connection = try await agent.connect()
            defer { connection.close() }
            var answered = 0
            repeat {
                _ = try await connection.call(SettingsInterface.Get.self, .init(path: "system/hostname"))
                answered += 1
            } while !isDone.withLock { $0 }
            let finished = try await transfer.value
            #expect(finished.status == 0, "\(finished)")
            #expect(answered > 10)
            let after = try await agent.status()
            let peak = try agent.peakMemory() - peakBefore
            print(
                "\(Files.large) bytes both ways: PSS \(before.memoryPSS ?? 0) -> \(after.memoryPSS ?? 0), private",
                "\(before.memoryPrivate ?? 0) -> \(after.memoryPrivate ?? 0), peak + \(peak);",
                "\(answered) others answered meanwhile")
            // A tenth of the file is far more than the pieces on their way, and far less than the file.
            if Files.large >= 64 << 20 {
                #expect(peak < 24 << 20)
                #expect((after.memoryPrivate ?? 0) - (before.memoryPrivate ?? 0) < 12 << 20)
            }
        }
    }

    @Test("A put continues after the service was killed during it, and nothing is visible before its end")
    func killed() async throws {
        try await Board.with { board in
            let first = try await board.start()
            let size = 2 << 20
            let sent = 1 << 20
            try Self.make(size, "big", on: board)
            try await first.begin(Files.bytes(size), at: "big", id: "x", sending: sent)
            #expect(try await first.fileError("Stat", ["area": "documents", "path": "big"]).kind == .notFound)
            try await first.stop(.kill)

            let second = try await board.start()
            let listed = try await second.call(FilesInterface.Uploads.self, .init()).uploads
            #expect(listed.map(\.id) == ["x"] && listed.first?.received == Int64(sent))
            #expect(listed.first?.path == "big" && listed.first?.size == Int64(size))
            let areas = try await second.call(FilesInterface.Areas.self, .init()).areas
            let documents = try #require(areas.first { $0.name == "documents" })
            #expect(documents.bytes >= sent && documents.uploads == 1, "\(documents)")
            // It is not listed as a file.
            #expect(try await second.call(FilesInterface.List.self, .init(area: "documents")).entries.isEmpty)

            let put = try await board.cleat(
                "file", "put", "--id", "x", board.directory.appending("big"), "documents/big", "--output", "json")
            #expect(put.status == 0, "\(put)")
            #expect(try JSONReader.read(put.output)["files"]?[0]?["resumed_at"]?.intValue == sent)
            let same = try await board.script("cmp $D/big $D/state/files/documents/big; ls -A $D/state/files/documents")
            #expect(same.status == 0 && same.output == "big\n", "\(same)")
            #expect(try await second.call(FilesInterface.Uploads.self, .init()).uploads.isEmpty)
        }
    }

    @Test("A client that stops leaves its upload; another one may put the same file meanwhile")
    func stopped() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let (mine, other) = (Files.bytes(1_000_000, seed: 3), Files.bytes(900_000, seed: 4))
            try await agent.begin(mine, at: "f", id: "mine", sending: APILimits.piece)
            try await agent.put(other, at: "f", id: "other")
            #expect(try await agent.read("f") == Array(other.prefix(APILimits.piece)))
            #expect(try await agent.call(FilesInterface.Uploads.self, .init()).uploads.map(\.id) == ["mine"])
            // The one that is committed last stays.
            #expect(try await agent.begin(mine, at: "f", id: "mine", sending: mine.count) == Int64(mine.count))
            let done = try await agent.call(FilesInterface.Commit.self, .init(id: "mine", mode: "0600"))
            #expect(done.entry.size == Int64(mine.count) && done.entry.mode == "0600" && done.entry.path == "f")
            // A commit whose answer was lost is asked for again.
            #expect(try await agent.call(FilesInterface.Commit.self, .init(id: "mine")).entry == done.entry)
            #expect(try await agent.read("f") == Array(mine.prefix(APILimits.piece)))

            try await agent.begin(other, at: "g", id: "gone", sending: 5)
            _ = try await agent.call(FilesInterface.Abort.self, .init(id: "gone"))
            #expect(try await agent.fileError("Abort", ["id": "gone"]).kind == .unknownUpload)
            #expect(try await agent.fileError("Commit", ["id": "gone"]).kind == .unknownUpload)
            let left = try await board.script("ls -A $D/state/files/documents")
            #expect(left.output == "f\n", "\(left)")
        }
    }

    @Test("A commit whose answer was lost is repeated after the service was killed")
    func lostAnswer() async throws {
        try await Board.with { board in
            let first = try await board.start()
            let bytes = Files.bytes(1_200_000)
            try await first.begin(bytes, at: "f", id: "x", sending: bytes.count)
            let done = try await first.call(FilesInterface.Commit.self, .init(id: "x", mode: "0600"))
            try await first.stop(.kill)

            let second = try await board.start()
            #expect(try await second.call(FilesInterface.Commit.self, .init(id: "x")).entry == done.entry)
            #expect(try await second.call(FilesInterface.Commit.self, .init(id: "x")).entry == done.entry)
            #expect(try await second.fileError("Commit", ["id": "y"]).kind == .unknownUpload)
            // What has the same size and is not what was sent is no success; neither is nothing.
            let other = Files.bytes(1_200_000, seed: 2)
            try await second.put(other, at: "f", id: "other")
            let changed = try await second.fileError("Commit", ["id": "x"])
            #expect(changed.kind == .unknownUpload && changed.id == "x", "\(changed)")
            _ = try await second.call(FilesInterface.Remove.self, .init(area: "documents", path: "f"))
            #expect(try await second.fileError("Commit", ["id": "x"]).kind == .unknownUpload)
            // It can be sent again under the same id.
            try await second.put(bytes, at: "f", id: "x")
            #expect(try await second.call(FilesInterface.Commit.self, .init(id: "x")).entry.size == 1_200_000)
        }
    }

    @Test("Two clients that write one file under one id do not mix it up")
    func twoWriters() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let bytes = Files.bytes(1_200_000)
            let first = try await agent.begin(bytes, at: "f", id: "x", sending: 600_000)
            let again = try await agent.begin(bytes, at: "f", id: "x")
            #expect(first == again)
            // The other client has continued: a write at the former offset is answered with the present one.
            let piece = Base64.encode(bytes[Int(first)..<Int(first) + 1000])
            let write: JSONObject = ["id": "x", "offset": .integer(first), "data": .string(piece)]
            _ = try await agent.call("dev.cleat.Files.Write", write)
            let late = try await agent.fileError("Write", write)
            #expect(late.kind == .wrongOffset && late.offset == first + 1000 && late.id == "x")
            let gap = try await agent.fileError("Write", ["id": "x", "offset": 1_100_000, "data": "AAAA"])
            #expect(gap.kind == .wrongOffset && gap.offset == first + 1000)
            let early = try await agent.fileError("Commit", ["id": "x"])
            #expect(early.kind == .wrongOffset && early.offset == first + 1000)
            // Under the id there is this file, and no other.
            let digest = JSONValue.string(SHA256.hexadecimal(of: bytes))
            for (area, path, size) in [("documents", "g", 1_200_000), ("documents", "f", 5), ("inbox", "f", 1_200_000)]
            {
                let other = try await agent.fileError(
                    "Begin",
                    [
                        "id": "x", "area": .string(area), "path": .string(path), "size": JSONValue(size),
                        "sha256": digest,
                    ])
                #expect(other.kind == .uploadConflict && other.id == "x", "\(area)/\(path) \(size): \(other)")
            }
            _ = try await agent.begin(bytes, at: "f", id: "x", sending: bytes.count)
            _ = try await agent.call(FilesInterface.Commit.self, .init(id: "x"))
            #expect(
                try await agent.call(FilesInterface.Hash.self, .init(area: "documents", path: "f")).sha256
                    == digest.stringValue)
        }
    }

    @Test("A directory is sent and fetched unchanged", .tags(.anyMachine))
    func trees() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let result = try await board.script(
                """
                set -e; cd $D
                mkdir -p "site/a b/deep" site/empty; printf x >site/x; chmod 600 site/x
                for i in $(seq 40); do echo $i >"site/a b/deep/$i"; done
                printf 'ä ö\n' >"site/a b/ü"; : >site/zero; chmod 755 site/zero
                $CLEAT file put -r site documents >/dev/null
                $CLEAT file get -r documents/site back >/dev/null
                diff -r site back; stat -c %a back/x back/zero
                $CLEAT file ls -r documents --output json-lines | wc -l
                $CLEAT file rm -r documents/site; $CLEAT file ls documents
                """)
            #expect(result.status == 0, "\(result)")
            #expect(
                result.output == "600\n755\n47\nremoved documents/site\nnothing is in documents\n", "\(result)")
        }
    }

    @Test("The verbs work as documented")
    func verbs() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let result = try await board.script(
                """
                set -e; cd $D
                echo one | $CLEAT file put - documents/one
                $CLEAT file mkdir --parents library/a/b
                $CLEAT file cp documents/one library/a/b
                $CLEAT file mv documents/one inbox/
                $CLEAT file cat library/a/b/one inbox/one
                ! $CLEAT file mv --no-replace inbox/one library/a/b/one 2>/dev/null
                $CLEAT file mv inbox/one library/a/b/one
                $CLEAT file ls -r library --output json-lines | sed 's/,"size.*//'
                ! $CLEAT file rm library/a 2>/dev/null
                $CLEAT file rm -r library/a
                $CLEAT file df --output json-lines | sed 's/,"quota.*//'
                """)
            #expect(result.status == 0, "\(result)")
            #expect(
                result.output == """
                    - -> documents/one  4 B
                    library/a/b/
                    documents/one -> library/a/b/one
                    documents/one -> inbox/one
                    one
                    one
                    inbox/one -> library/a/b/one
                    {"path":"a","type":"directory"
                    {"path":"a/b","type":"directory"
                    {"path":"a/b/one","type":"file"
                    removed library/a
                    {"name":"documents","bytes":0,"files":0
                    {"name":"inbox","bytes":0,"files":0
                    {"name":"library","bytes":0,"files":0
                    {"name":"temporary","bytes":0,"files":0

                    """, "\(result)")
        }
    }

    @Test("A file that changes while it is read is detected")
    func changes() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.put(Files.bytes(700_000, seed: 5), at: "log")
            let first = try await agent.call(FilesInterface.Read.self, .init(area: "documents", path: "log", offset: 0))
            let stat = try await agent.call(FilesInterface.Stat.self, .init(area: "documents", path: "log"))
            #expect(stat.token == first.token && stat.entry.size == first.size)
            func refusal(_ method: String) async throws -> FilesError {
                var asked: JSONObject = ["area": "documents", "path": "log", "token": .string(first.token)]
                if method == "Read" { asked["offset"] = 5 }
                return try await agent.fileError(method, asked)
            }
            // Another file in its place, and more in the same one.
            try await agent.put(Files.bytes(700_000, seed: 6), at: "log", id: "again")
            #expect(try await refusal("Read").kind == .changed)
            #expect(try await refusal("Hash").kind == .changed)
            let second = try await agent.call(FilesInterface.Stat.self, .init(area: "documents", path: "log"))
            _ = try await board.script("echo more >>$D/state/files/documents/log")
            let third = try await agent.call(FilesInterface.Stat.self, .init(area: "documents", path: "log"))
            #expect(Set([first.token, second.token, third.token]).count == 3)
        }
    }
}
