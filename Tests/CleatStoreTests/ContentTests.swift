import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import Testing

/// Tests that the content of documents is kept for as long as a setting or the history names it.
@Suite(.tags(.board)) struct ContentTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ limits: StoreLimits = smallLimits) throws(StoreError) -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
    }

    private static func content(_ text: String) -> StoredContent {
        StoredContent(hash: ObjectHash(of: Array(text.utf8)).description, bytes: Array(text.utf8))
    }

    /// Makes a document hold a text, or be no more, in a generation of its own.
    private func put(_ store: StoreFile, _ path: String, _ text: String?, _ id: String) throws {
        let content = text.map(Self.content)
        let outcome = try store.trials.arm(
            try request(id, [("documents/" + path, content.map { .string("sha256:" + $0.hash) })]),
            TrialRequest(contents: content.map { [$0] } ?? []))
        guard case .pending = outcome else { throw Unexpected(what: "\(outcome)") }
        _ = try store.trials.confirm(id: id)
    }

    private func kept(_ store: StoreFile, _ texts: String...) throws -> [Bool] {
        try texts.map { try store.contents.content(Self.content($0).hash) == Array($0.utf8) }
    }

    @Test func aContentIsThereWithItsGenerationAndAfterARestart() throws {
        var store = try open()
        #expect(try store.contents.content(Self.content("one").hash) == nil)
        try put(store, "a", "one", "first")
        try put(store, "b", "one", "second")
        #expect(try kept(store, "one", "two") == [true, false])
        try store.close(stamp: nil)
        store = try open()
        #expect(try kept(store, "one") == [true])
        // The history still has the content of a reverted change.
        _ = try store.trials.arm(
            try request("third", [("documents/a", .string("sha256:" + Self.content("two").hash))]),
            TrialRequest(contents: [Self.content("two")]))
        _ = try store.undo()
        #expect(try kept(store, "one", "two") == [true, true])
        try store.close(stamp: nil)
    }

    @Test("A content is deleted with the last generation that names it, unless a setting does")
    func history() throws {
        let store = try open(StoreLimits(generations: 8, logFrames: 16))
        try put(store, "a", "old", "first")
        try put(store, "stays", "kept", "second")
        try put(store, "a", "new", "third")
        for number in 0..<5 { try store.set(("x", .integer(Int64(number)))) }
        #expect(try kept(store, "old", "kept", "new") == [true, true, true])
        for number in 5..<30 { try store.set(("x", .integer(Int64(number)))) }
        #expect(try kept(store, "old", "kept", "new") == [false, true, true])
        try put(store, "a", nil, "fourth")
        #expect(try kept(store, "new") == [true])
        for number in 30..<60 { try store.set(("x", .integer(Int64(number)))) }
        #expect(try kept(store, "kept", "new") == [true, false])
        try store.close(stamp: nil)
    }

    @Test("Beyond the limit the oldest ones of history are deleted, those in force never; too large ones are refused")
    func limits() throws {
        let store = try open(StoreLimits(logFrames: 16, contentBytes: 1000))
        func text(_ letter: String) -> String { String(repeating: letter, count: 300) }
        try put(store, "stays", text("s"), "1")
        try put(store, "a", text("a"), "2")
        try put(store, "a", text("b"), "3")
        #expect(try kept(store, text("s"), text("a"), text("b")) == [true, true, true])
        try put(store, "a", text("c"), "4")
        #expect(try kept(store, text("s"), text("a"), text("b"), text("c")) == [true, false, true, true])
        try put(store, "b", text("d"), "5")
        #expect(try kept(store, text("s"), text("b"), text("c"), text("d")) == [true, false, true, true])
        let generation = store.generation
        #expect(throws: StoreError.self) { try put(store, "e", text("e"), "6") }
        #expect(store.generation == generation)
        #expect(try store.trials.current() == nil)
        var wrong = Self.content("x")
        wrong.bytes = [1]
        #expect(throws: StoreError.self) {
            try store.trials.arm(try request("7", [("documents/x", "sha256:x")]), TrialRequest(contents: [wrong]))
        }
        let huge = StoredContent(
            hash: "x", bytes: [UInt8](repeating: 0, count: Int(ChangeSet.maximumDocumentBytes) + 1))
        #expect(throws: StoreError.self) {
            try store.trials.arm(try request("8", [("documents/x", "sha256:x")]), TrialRequest(contents: [huge]))
        }
        #expect(store.generation == generation)
        try store.close(stamp: nil)
    }
}
