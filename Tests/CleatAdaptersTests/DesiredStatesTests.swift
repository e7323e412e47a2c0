import CleatJSON
import CleatSettings
import CleatTemplates
import CleatTestSupport
import Synchronization
import TemplateTestSupport
import Testing

@testable import CleatAdapters

@Suite("Desired states that are computed again only where settings differ")
struct DesiredStatesTests {
    /// An adapter that counts how often its state is computed.
    private struct Counting: IncrementalAdapter {
        let name: String
        let prefixes: [SettingPath]
        let counts = Counts()

        final class Counts: Sendable {
            private let counts = Mutex((whole: 0, parts: 0))
            var values: [Int] { counts.withLock { [$0.whole, $0.parts] } }
            func countWhole() { counts.withLock { $0.whole += 1 } }
            func countPart() { counts.withLock { $0.parts += 1 } }
        }

        func desired(_ settings: LayeredSettings) -> DesiredState {
            counts.countWhole()
            return state(settings)
        }

        func desired(
            _ settings: LayeredSettings, from former: DesiredState, changing changes: [SettingPath]
        ) -> DesiredState {
            counts.countPart()
            #expect(!changes.isEmpty)
            return state(settings)
        }

        private func state(_ settings: LayeredSettings) -> DesiredState {
            var state = DesiredState()
            for prefix in prefixes {
                guard let row = settings.inForce(under: prefix).first else { continue }
                state.want(.link("/\(prefix.text)"), .link(row.value.map { "\($0)" } ?? "-"), for: prefix)
            }
            return state
        }
    }

    private func changed(_ settings: LayeredSettings, _ path: String, _ value: JSONValue?) throws -> LayeredSettings {
        let proposal = settings.propose(try ChangeSet([Change(try SettingPath(path), value)]))
        #expect(proposal.problems.isEmpty)
        return proposal.settings
    }

    @Test(arguments: [
        ("a", true), ("a/b", true), ("a/b/c", true), ("a-b", false), ("a/bc", false), ("b", false),
    ])
    func anAdapterFollowsAPathAtItsOwnAboveItAndBelowIt(text: String, follows: Bool) throws {
        let path = try SettingPath(text)
        let index = FollowerIndex([Counting(name: "one", prefixes: [try SettingPath("a/b")])])
        #expect(index.follows(path) == follows)
        #expect(index.names(following: [path]).isEmpty != follows)
    }

    @Test("Only the adapters that follow a changed setting are asked again, and known states are returned")
    func counts() throws {
        let schema = try TemplateFixture.schema()
        let first = Counting(name: "ports", prefixes: [try SettingPath("ports")])
        let second = Counting(name: "name", prefixes: [try SettingPath("name"), try SettingPath("sites/a/root")])
        let set = AdapterSet([first, second])
        func ask(_ settings: LayeredSettings) { for adapter in set.adapters { _ = set.desired(settings, of: adapter) } }
        let start = LayeredSettings(schema: schema)
        ask(start)
        ask(start)
        #expect(first.counts.values == [1, 0] && second.counts.values == [1, 0])
        let ported = try changed(start, "ports/a", 1)
        ask(ported)
        ask(ported)
        ask(start)
        // The settings that were used last are those that new ones are compared with.
        ask(ported)
        #expect(first.counts.values == [1, 1] && second.counts.values == [1, 0])
        // A group above a followed setting, and a part of the set, share the memory.
        let sited = try changed(ported, "sites/a/port", 1)
        ask(sited)
        #expect(first.counts.values == [1, 1] && second.counts.values == [1, 0])
        ask(try changed(sited, "sites/a/root", "/"))
        #expect(second.counts.values == [1, 1])
        #expect(set.only(.withoutPrograms).desired(sited, of: first) == set.desired(sited, of: first))
        #expect(first.counts.values == [1, 1])
        // Other sources, such as another schema, are other settings.
        ask(LayeredSettings(sources: SettingsSources(schema: schema), committed: sited.committed))
        #expect(first.counts.values == [2, 1] && second.counts.values == [2, 1])
    }

    @Test(
        "States are those that the adapters compute by themselves, after any changes",
        arguments: TestMachine.seeds(20, briefly: 6))
    func equal(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let schema = try TemplateFixture.schema()
        let rules = try ApplyFixture.read(
            """
            [{"file":"/etc/web.conf","escape":"word","template":"port {{services/web/port}} {{^name}}-{{/name}}\\n",
              "when":["services/web"]},
             {"file":"/etc/names","escape":"line","template":"{{#ports}}{{@key}}\\n{{/ports}}{{^ports}}{{/ports}}",
              "whenEmpty":"remove","when":["ports","name"]},
             {"file":"/etc/name","escape":"line","template":"{{name}}\\n","when":["services/web"]}]
            """)
        let services: [SystemFacts.NetworkService?] = [nil, .networkd, .ifupdown, .kernel, .networkManager]
        let facts = SystemFacts(networkService: services[Int(seed % 5)])
        var set = AdapterSet.builtIn(facts, and: [TemplateAdapter(rules)])
        let values: [(String, [JSONValue?])] = [
            ("services/web/port", [nil, 81, 82]), ("services/web/enabled", [nil, true]), ("name", [nil, "a", "b"]),
            ("ports/a", [nil, 1, 2]), ("ports/b", [nil, 1]), ("ports", [nil]), ("services", [nil]),
            ("system/hostname", [nil, "one", "two"]), ("system/timezone", [nil, "UTC"]),
            ("network/interfaces/e0/mtu", [nil, 1_400, 1_500]), ("network/interfaces/e1/dhcp", [nil, "ipv4"]),
            ("network/interfaces/e0/addresses", [nil, ["192.0.2.5/24"]]), ("network/interfaces", [nil]),
        ]
        var history = [LayeredSettings(schema: schema)]
        for _ in 0..<60 {
            let former = try #require(
                Int.random(in: 0..<4, using: &generator) == 0 ? history.randomElement(using: &generator) : history.last)
            var settings = former
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let (path, choices) = try #require(values.randomElement(using: &generator))
                let value = try #require(choices.randomElement(using: &generator))
                let layer: ResolvedSetting.Origin = Bool.random(using: &generator) ? .volatile : .committed
                let proposal = settings.propose(try ChangeSet([Change(try SettingPath(path), value)]), to: layer)
                if proposal.problems.isEmpty { settings = proposal.settings }
            }
            history.append(settings)
            set.heldInterfaces = Bool.random(using: &generator) ? ["e0"] : []
            if Int.random(in: 0..<8, using: &generator) == 0 { set.settle(on: former) }
            for adapter in set.adapters {
                #expect(
                    set.desired(settings, of: adapter) == adapter.desired(settings), "\(adapter.name), seed \(seed)")
            }
            var fresh = AdapterSet(set.adapters)
            fresh.heldInterfaces = set.heldInterfaces
            let change = set.change(from: former, to: settings)
            #expect(change == fresh.change(from: former, to: settings), "seed \(seed)")
            let paths = try #require(settings.changedPaths(since: former, limit: .max))
            #expect(
                set.change(from: former, to: settings, at: paths) == fresh.change(from: former, to: settings, at: paths)
            )
        }
    }

    @Test("After a change only the settings in force are remembered, and those that are used last are kept longest")
    func forgotten() throws {
        let schema = try TemplateFixture.schema()
        let counting = Counting(name: "name", prefixes: [try SettingPath("name")])
        let set = AdapterSet([counting])
        let inForce = try changed(LayeredSettings(schema: schema), "name", "in force")
        func ask(_ settings: LayeredSettings) -> Int {
            let before = counting.counts.values.reduce(0, +)
            _ = set.desired(settings, of: counting)
            return counting.counts.values.reduce(0, +) - before
        }
        #expect(ask(inForce) == 1)
        // Plans of other settings, each of which compares with those in force.
        for number in 0..<5 {
            #expect(ask(try changed(inForce, "name", .string("\(number)"))) == 1)
            #expect(ask(inForce) == 0)
        }
        let secret = try changed(inForce, "name", "secret")
        #expect(ask(secret) == 1 && ask(secret) == 0)
        set.settle(on: inForce)
        #expect(ask(inForce) == 0 && ask(secret) == 1)
        // A change that no adapter follows asks for no state, and forgets none of those in force.
        let other = try changed(inForce, "ports/a", 1)
        #expect(ask(secret) == 0)
        set.settle(on: other)
        #expect(ask(other) == 0 && ask(secret) == 1)
        set.settle(on: inForce)
        #expect(ask(inForce) == 0)
        _ = ask(secret)
        // Settings of a snapshot take no other's place.
        _ = set.wanted(try changed(inForce, "name", "foreign"), isForeign: true)
        #expect(ask(secret) == 0 && ask(inForce) == 0)
    }

    @Test("Two adapters that want one resource are refused, whichever of them is changed")
    func owners() throws {
        let schema = try TemplateFixture.schema()
        let files = try ["ports", "name"].map { path in
            TemplateAdapter(
                try ApplyFixture.read(
                    #"[{"file":"/etc/x","escape":"line","template":"{{#\#(path)}}1{{/\#(path)}}\n","when":["\#(path)"]}]"#,
                    file: "\(path).json"))
        }
        var board = try TestBoard()
        board.set = AdapterSet(files)
        let one = try changed(LayeredSettings(schema: schema), "name", "a")
        #expect(board.set.check(one, board.set.change(from: nil, to: one), on: board.system).isEmpty)
        let both = try changed(one, "ports/a", 1)
        let change = board.set.change(from: one, to: both, at: [try SettingPath("ports/a")])
        let problems = board.set.check(both, change, on: board.system).map(\.description)
        #expect(problems.count == 1 && problems[0].contains("also sets"), "\(problems)")
        // It is managed once.
        #expect(board.set.managed(both).map(\.resource) == [.file("/etc/x")])
        #expect(board.set.managed(one).count == 1)
    }
}
