import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import Synchronization
import Testing

@testable import CleatAgent

/// Changes whose callers wait at the same time, over a real store.
@Suite struct GroupCommitTests {
    typealias Request = SettingsInterface.Set.Parameters

    /// The end of one call.
    struct Answer {
        var reply: SettingsInterface.Set.Reply?
        /// The code of the refusal; `none` if there is none.
        var code = "none"
    }

    /// Makes changes at the same time, in order; the first one holds the lock while the others come.
    static func set(_ requests: [Request], on bench: EngineBench) async throws -> [Answer] {
        let engine = bench.engine
        let tasks = requests.map { request in
            bench.loop.task {
                var answer = Answer()
                do {
                    answer.reply = try await engine.set(request, author: EngineBench.root, cause: nil)
                } catch { answer.code = await refusal { throw error } }
                return answer
            }
        }
        var answers: [Answer] = []
        for task in tasks { answers.append(await task.value) }
        return answers
    }

    static func request(_ path: String, _ value: JSONValue, id: String? = nil) -> Request {
        Request(changes: [.init(path: path, value: value)], id: id)
    }

    static func generation(_ answer: Answer) -> Int64? { answer.reply?.generation }

    @Test("Changes that wait share flushes; each is a generation of its own, in order, and watchers see each")
    func shared() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let watcher = try await bench.engine.watch([])
            let before = try #require(bench.store.statistics)
            let answers = try await Self.set(
                (0..<10).map { Self.request("app/table/k\($0)", .string("v\($0)"), id: "id-\($0)") }, on: bench)
            #expect(answers.map(Self.generation) == (1...10).map(Int64.init))
            #expect(answers.map { $0.reply?.changes.map(\.path) } == (0..<10).map { ["app/table/k\($0)"] })
            let after = try #require(bench.store.statistics)
            #expect(after.commits - before.commits == 2, "the first one, and all others")
            #expect(after.generations == 10)
            var seen = 0
            while seen < 10 { seen += try #require(await watcher.next()).commits }
            let records = try await bench.engine.log(before: nil, limit: 20).generations
            #expect(records.map(\.id) == (0..<10).reversed().map { "id-\($0)" })
            // A repeated id gives the former answer, also in a group.
            let again = try await Self.set(
                (0..<4).map { Self.request("app/table/k\($0)", .string("v\($0)"), id: "id-\($0)") }, on: bench)
            #expect(again.map(Self.generation) == [1, 2, 3, 4])
            #expect(again.map { $0.reply?.state } == Array(repeating: .repeated, count: 4))
            #expect(await bench.engine.reference.generation == 10)
        }
    }

    @Test("One that is refused, has no effect, or is followed by the system, does not keep others from their group")
    func mixed() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let answers = try await Self.set(
                [
                    Self.request("app/table/a", "1"), Self.request("app/count", "no number"),
                    Self.request("system/hostname", "followed"), Self.request("app/table/b", "1"),
                    Self.request("app/nowhere", 1), Self.request("app/table/c", "1"),
                    Self.request("app/table/b", "2"), Self.request("app/table/c", "1"),
                    Request(
                        changes: [.init(path: "app/table/d", value: "1")], expect: .init(store: "x", generation: 9)),
                ], on: bench)
            let codes = [
                "none", "InvalidValue type", "none", "none", "UnknownSetting", "none", "none", "none", "Conflict",
            ]
            #expect(answers.map(\.code) == codes)
            #expect(try bench.name == "followed\n")
            let settings = await bench.engine.settings
            func value(_ path: String) throws -> JSONValue? { settings.value(at: try SettingPath(path))?.value }
            #expect(try value("app/table/a") == "1" && value("app/table/b") == "2" && value("app/table/c") == "1")
            #expect(try value("system/hostname") == "followed" && value("app/table/d") == nil)
            #expect(answers[7].reply?.state == .unchanged)
            let numbers = answers.indices.filter { $0 != 7 }.compactMap { Self.generation(answers[$0]) }
            #expect(Set(numbers) == Set(1...5))
        }
    }

    @Test("A change that came before another writer is made before it, in its group or not")
    func order() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            var trial = Self.request("app/count", 3, id: "t")
            trial.confirm = 60_000
            let answers = try await Self.set(
                [
                    Self.request("app/table/a", "1"), Self.request("app/table/b", "1"),
                    Self.request("app/table/b", "2"), Self.request("app/table/c", "1"), trial,
                    Self.request("app/table/d", "1"),
                ], on: bench)
            #expect(answers.map(\.code) == ["none", "none", "none", "none", "none", "TransactionPending"])
            #expect(answers.map(Self.generation) == [1, 2, 4, 3, 5, nil])
            _ = try await bench.engine.abort("t", author: EngineBench.root)
        }
    }

    @Test("A repeated id leaves the others their flush")
    func repeated() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let first = Self.request("app/table/a", "1", id: "x")
            _ = try await bench.engine.set(first, author: EngineBench.root, cause: nil)
            let before = try #require(bench.store.statistics)
            let answers = try await Self.set(
                [Self.request("app/table/b", "1"), first]
                    + (0..<4).map { Self.request("app/table/k\($0)", "1", id: "id-\($0 / 2)") }
                    + [Self.request("app/table/b", "2", id: "x")], on: bench)
            #expect(
                answers.map(\.code) == ["none", "none", "none", "IdReused", "none", "IdReused", "IdReused"])
            #expect(answers[1].reply?.state == .repeated)
            let after = try #require(bench.store.statistics)
            #expect(after.commits - before.commits == 2 && after.generations - before.generations == 3)
        }
    }

    @Test("A store that takes nothing refuses each of them with its reason, and nothing is in force")
    func failing() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            bench.fail(true)
            let requests = (0..<6).map { Self.request("app/table/k\($0)", "v") }
            let answers = try await Self.set(requests, on: bench)
            #expect(answers.allSatisfy { $0.code == "StoreFailed input_output" }, "\(answers.map(\.code))")
            let settings = await bench.engine.settings
            #expect(settings.list(under: try SettingPath("app/table"), limit: 10).isEmpty)
            #expect(await bench.engine.reference.generation == 0)
            bench.fail(false)
            let later = try await Self.set(requests, on: bench)
            #expect(later.map(Self.generation) == (1...6).map(Int64.init))
            #expect(await bench.engine.storeFailure == nil)
        }
    }

    @Test("A change on trial refuses those that come meanwhile, and the author's rights hold in a group")
    func refusals() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let engine = bench.engine
            let tasks = (0..<4).map { number in
                bench.loop.task {
                    await refusal {
                        let (path, value) = number == 2 ? ("agent/log/level", "debug") : ("app/table/k\(number)", "v")
                        _ = try await engine.set(
                            Self.request(path, .string(value)), author: EngineBench.op, cause: nil)
                    }
                }
            }
            var found: [String] = []
            for task in tasks { found.append(await task.value) }
            #expect(found == ["none", "none", "PermissionDenied", "none"])
            _ = try await engine.set(
                Request(changes: [.init(path: "app/count", value: 2)], id: "t", confirm: 60_000),
                author: EngineBench.root, cause: nil)
            let answers = try await Self.set((0..<4).map { Self.request("app/table/k\($0)", "w") }, on: bench)
            #expect(answers.allSatisfy { $0.code == "TransactionPending" }, "\(answers.map(\.code))")
            _ = try await engine.abort("t", author: EngineBench.root)
        }
    }

    @Test("A client that disconnects while it leads a group does not keep the others from being stored")
    func cancelled() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let engine = bench.engine
            let tasks = (0..<6).map { number in
                bench.loop.task {
                    try await engine.set(
                        Self.request("app/table/k\(number)", "v"), author: EngineBench.root, cause: nil
                    ).generation
                }
            }
            // The first one has the lock, the second one leads, and the last one waits for it.
            for number in [1, 5] { tasks[number].cancel() }
            var found: [Int64] = []
            for task in tasks { found.append(try await task.value) }
            #expect(found == (1...6).map(Int64.init))
            let settings = await engine.settings
            #expect(settings.list(under: try SettingPath("app/table"), limit: 10).count == 6)
        }
    }
}
