import CleatHash
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAdapters

/// Files of the area `documents` that follow settings.
@Suite struct DocumentsTests {
    /// An area of a test's own, and what follows its settings.
    struct Bench {
        let board: TestBoard
        let area: SandboxedDirectory
        let system: SystemResources

        init(quota: Quota = .unlimited) throws {
            board = try TestBoard()
            area = SandboxedDirectory(
                try AreaRoot.open(
                    FilePath(board.directory.appending("documents")), area: .documents, quota: quota, calls: board.calls
                ))
            system = try SystemResources(root: FilePath(board.root), documents: area)
        }

        /// Settings that name these contents, and the contents.
        func settings(_ files: [String: String]) throws -> (settings: LayeredSettings, contents: DocumentContents) {
            var values: [(String, JSONValue)] = []
            var contents: DocumentContents = [:]
            for (path, text) in files {
                let hash = SHA256.hexadecimal(of: text.utf8)
                contents[hash] = Array(text.utf8)
                values.append((try SettingPath(segments: ["documents", path]).text, .string("sha256:" + hash)))
            }
            return (try board.settings(values), contents)
        }

        func change(from old: [String: String], to new: [String: String]) throws -> SystemChange {
            let (after, contents) = try settings(new)
            var change = board.set.change(from: try settings(old).settings, to: after)
            change.contents = contents
            return change
        }

        func apply(_ change: SystemChange, origins: [Resource: Memento] = [:]) -> [AdapterOutcome] {
            board.set.applier.apply(change, on: system.providing(change.contents), origins: origins)
        }

        /// Every file and directory of the area, but for temporary files of writes that failed.
        func files() throws -> [String: String] {
            try snapshot(board.directory.appending("documents")).filter { !$0.key.contains(".cleat-") }
        }

        func problems(_ files: [String: String]) throws -> [String] {
            let (settings, contents) = try settings(files)
            var change = board.set.change(from: nil, to: settings)
            change.contents = contents
            return board.set.check(settings, change, on: system.providing(contents)).map(\.description)
        }
    }

    private static let a = ["certs/ca.pem": "old CA\n", "one": "1"]
    private static let b = ["certs/ca.pem": "a new CA\n", "deep/down/here": "two", "empty": ""]

    @Test("Files are made, changed and removed with their settings, and the former state is restored")
    func life() throws {
        let bench = try Bench()
        try bench.area.write(Array("by hand".utf8), to: try SandboxPath("one"), permissions: [.ownerReadWrite])
        let empty = try bench.files()
        var origins: [Resource: Memento] = [:]
        let first = try bench.change(from: [:], to: Self.a)
        for memento in try bench.board.set.applier.capture(first, on: bench.system) {
            origins[memento.resource] = try Memento(encoded: memento.encoded)
        }
        #expect(bench.apply(first).allSatisfy { $0.isSuccess })
        let before = try bench.files()
        #expect(before["one"]?.contains("1") == true && before["certs/ca.pem"] != nil, "\(before)")
        let second = try bench.change(from: Self.a, to: Self.b)
        let mementos = try bench.board.set.applier.capture(second, on: bench.system)
        let applied = bench.apply(second, origins: origins)
        #expect(applied.allSatisfy { $0.isSuccess }, "\(applied)")
        #expect(try bench.area.read(SandboxPath("certs/ca.pem")) == Array("a new CA\n".utf8))
        #expect(try bench.area.read(SandboxPath("one")) == Array("by hand".utf8))
        #expect(bench.board.set.applier.restore(mementos, on: bench.system).flatMap(\.errors).isEmpty)
        #expect(try bench.files() == before)
        let back = bench.apply(try bench.change(from: Self.a, to: [:]), origins: origins)
        #expect(back.allSatisfy { $0.isSuccess }, "\(back)")
        #expect(try bench.files() == empty)
        #expect(try bench.area.root.account.usage() == bench.area.root.account.usage(recounting: true))
    }

    @Test("Invalid documents and obstacles are refused by name before anything is written")
    func refusals() throws {
        let bench = try Bench(quota: Quota(bytes: 1000, files: 20))
        let place = bench.board.directory.appending("documents")
        try makeDirectories(place + "/directory")
        try makeFIFO(place + "/fifo")
        try makeLink(place + "/link", to: "/etc/passwd")
        try makeLink(place + "/way", to: "/etc")
        try bench.board.directory.write(String(repeating: "x", count: 1_000_001), to: "documents/huge")
        let before = try bench.files()
        for (path, words) in [
            ("directory", "directory"), ("fifo", "FIFO"), ("link", "link"), ("way/passwd", "link"), ("huge", "at most"),
            (".cleat-write-1", "not a valid path"), ("a/../b", "not a valid path"),
        ] {
            let problems = try bench.problems([path: "x"])
            #expect(problems.count == 1 && problems[0].contains(words), "\(path): \(problems)")
        }
        let both = try bench.problems(["a": "x", "a/b": "y"])
        #expect(both.count == 1 && both[0].contains("documents/a has a file"), "\(both)")
        try removeName(place + "/huge")
        bench.area.root.account.recordForeignChange()
        #expect(
            try bench.problems(["big": String(repeating: "x", count: 2000)]).first?.contains("of 1000 free") == true)
        #expect(try bench.problems(["fits": String(repeating: "x", count: 500)]).isEmpty)
        #expect(try bench.files() == before.filter { $0.key != "huge" })
    }

    @Test("A missing content is reported, and a changed content is detected")
    func looking() throws {
        let bench = try Bench()
        let change = try bench.change(from: [:], to: ["one": "1"])
        var without = change
        without.contents = [:]
        let results = bench.apply(without)
        let error = try #require(results.flatMap(\.errors).first)
        #expect(error.stage == .apply && error.errno == nil && error.resource?.text.contains("one") == true, "\(error)")
        #expect(bench.apply(change).allSatisfy { $0.isSuccess })
        let hash = SHA256.hexadecimal(of: "1".utf8)
        #expect(try bench.system.holds(.content(hash), .document("one")))
        let print = try bench.system.fingerprint(of: .document("one"))
        try bench.area.write(Array("2".utf8), to: try SandboxPath("one"))
        #expect(try bench.system.fingerprint(of: .document("one")) != print)
        #expect(try !bench.system.holds(.content(hash), .document("one")))
        #expect(
            try bench.system.fingerprint(of: .document("none/at/all")) == SystemResources.absentFingerprint)
    }

    @Test("Resources and mementos are read from their bytes, and damaged ones are refused")
    func encoding() throws {
        for text in ["document:certs/ca.pem", "document:a b:c"] {
            #expect(Resource(text: text)?.text == text)
        }
        for text in ["document:", "document:/etc/passwd", "document:a/../b"] { #expect(Resource(text: text) == nil) }
        for memento in [
            DocumentMemento.absent(missingParents: 3),
            .file(bytes: [], permissions: 0o600, owner: .init(user: 1, group: 2)),
            .file(bytes: [0, 1, 255], permissions: 0o640, owner: .init(user: .max, group: 0)),
        ] {
            let bytes = memento.encoded
            #expect(try DocumentMemento(encoded: bytes) == memento)
            for count in 0..<bytes.count {
                #expect(throws: MalformedBytes.self) { try DocumentMemento(encoded: Array(bytes.prefix(count))) }
            }
        }
        for bytes: [UInt8] in [[0, 200], [2, 0], [1, 255, 255] + [UInt8](repeating: 0, count: 12)] {
            #expect(throws: MalformedBytes.self) { try DocumentMemento(encoded: bytes) }
        }
    }
}

extension DocumentMemento {
    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    fileprivate init(encoded bytes: [UInt8]) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        self = try DocumentMemento(from: &reader)
    }
}
