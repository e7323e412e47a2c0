import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatSettings

@Suite struct LayeredSettingsTests {
    private func path(_ text: String) throws -> SettingPath { try SettingPath(text) }

    private func settings(_ pairs: [(String, JSONValue)], schema: Schema = .builtIn) throws -> LayeredSettings {
        LayeredSettings(schema: schema, committed: SettingsTree(try pairs.map { (try SettingPath($0.0), $0.1) }))
    }

    private func changes(_ pairs: [(String, JSONValue?)]) throws -> ChangeSet {
        try ChangeSet(try pairs.map { Change(try SettingPath($0.0), $0.1) })
    }

    @Test func defaultsAreKnownButNotInForce() throws {
        let settings = try settings([])
        let hostname = try #require(settings.value(at: try path("system/hostname")))
        #expect(hostname.value == "board")
        #expect(hostname.origin == .schemaDefault)
        #expect(!hostname.isInForce)
        #expect(hostname.isSetting)
        let mtu = try #require(settings.value(at: try path("network/interfaces/eth0/mtu")))
        #expect(mtu.value == nil)
        #expect(!mtu.isInForce)
        #expect(settings.value(at: try path("nothing")) == nil)
        #expect(settings.value(at: try path("system/hostname/x")) == nil)
        let group = try #require(settings.value(at: try path("system")))
        #expect(group.value == ["hostname": "board", "timezone": "UTC"])
        #expect(!group.isSetting && !group.isInForce)
        #expect(settings.value(at: try path("network/interfaces"))?.value == nil)
        #expect(settings.value(at: try path("network/interfaces/eth0"))?.value == nil)
        #expect(
            settings.list(under: nil).map(\.path.text) == [
                "agent/history/bytes", "agent/history/generations", "agent/log/level", "system/hostname",
                "system/timezone",
                "time/ntp/enabled", "time/ntp/servers",
            ])
        #expect(settings.list(under: nil, defaults: false).isEmpty)
    }

    @Test func committedValuesCoverDefaults() throws {
        let settings = try settings([
            ("system/hostname", "gw"), ("network/interfaces/eth0/mtu", 1400), ("network/interfaces/eth1", [:]),
        ])
        let hostname = try #require(settings.value(at: try path("system/hostname")))
        #expect(hostname.value == "gw" && hostname.origin == .committed && hostname.isInForce)
        #expect(settings.value(at: try path("system/timezone"))?.origin == .schemaDefault)
        let system = try #require(settings.value(at: try path("system")))
        #expect(system.value == ["hostname": "gw", "timezone": "UTC"] && system.isInForce)
        let entry: JSONValue = ["addresses": [], "dhcp": true, "dns": [], "enabled": true, "routes": []]
        #expect(settings.value(at: try path("network/interfaces/eth1"))?.value == entry)
        #expect(settings.value(at: try path("network/interfaces/eth0"))?.value?["mtu"] == 1400)
        #expect(settings.subtree(at: nil)?["network"]?["interfaces"]?["eth1"] == entry)
        #expect(
            settings.list(under: try path("network"), defaults: false).map(\.path.text) == [
                "network/interfaces/eth0/mtu", "network/interfaces/eth1",
            ])
        #expect(
            settings.list(under: try path("network")).map(\.path.text) == [
                "network/interfaces/eth0/addresses", "network/interfaces/eth0/dhcp", "network/interfaces/eth0/dns",
                "network/interfaces/eth0/enabled", "network/interfaces/eth0/mtu", "network/interfaces/eth0/routes",
                "network/interfaces/eth1", "network/interfaces/eth1/addresses", "network/interfaces/eth1/dhcp",
                "network/interfaces/eth1/dns", "network/interfaces/eth1/enabled", "network/interfaces/eth1/routes",
            ])
    }

    @Test func pagesWithDefaultsAreWhole() throws {
        let interfaces = (0..<60).map { ("network/interfaces/e\($0)/mtu", JSONValue.integer(1500)) }
        let settings = try settings(interfaces + [("network/interfaces/e1-x", [:]), ("unknown/a", 1)])
        for prefix in [
            nil, try path("network/interfaces"), try path("network/interfaces/e1"), try path("system/hostname"),
        ] {
            for defaults in [true, false] {
                let all = settings.list(under: prefix, defaults: defaults)
                #expect(all.map(\.path) == all.map(\.path).sorted())
                #expect(Set(all.map(\.path)).count == all.count)
                for limit in [1, 3, 64] {
                    var pages: [ResolvedSetting] = []
                    while true {
                        let page = settings.list(
                            under: prefix, defaults: defaults, after: pages.last?.path, limit: limit)
                        if page.isEmpty { break }
                        #expect(page.count <= limit)
                        pages += page
                    }
                    #expect(pages == all)
                }
            }
        }
    }

    @Test(arguments: 1...20)
    func anyPageIsPartOfTheWholeList(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let names = ["b", "b-", "b-c", "b.d", "b0", "bb", "a", "é"]
        var rows: [(String, JSONValue)] = []
        for name in names where Bool.random(using: &generator) {
            let leaves = ["addresses", "dhcp", "enabled", "mtu", "zzz"].filter { _ in
                Int.random(in: 0...3, using: &generator) == 0
            }
            rows += leaves.map {
                ("network/interfaces/\(name)/\($0)", $0 == "mtu" ? 1500 : $0 == "addresses" ? [] : true)
            }
            if leaves.isEmpty { rows.append(("network/interfaces/\(name)", [:])) }
        }
        let settings = try settings(rows)
        let all = settings.list(under: nil)
        for name in names
        where rows.contains(where: { $0.0.hasPrefix("network/interfaces/\(name)/") || $0.0.hasSuffix("/\(name)") }) {
            let path = try path("network/interfaces/\(name)/dhcp")
            #expect(all.contains { $0.path == path }, "seed \(seed): \(name)")
        }
        let afters =
            all.map(\.path.text) + names.map { "network/interfaces/\($0)" } + [
                "network/interfaces/b-a", "network/interfaces/b/x",
            ]
        for after in try afters.map(path) {
            for limit in [1, 2, 5, 1000] {
                let expected = Array(all.filter { after < $0.path }.prefix(limit))
                #expect(
                    settings.list(under: nil, after: after, limit: limit) == expected, "seed \(seed), after \(after)")
            }
        }
    }

    @Test func refusedAndUnknownValuesAreKeptButInactive() throws {
        let settings = try settings([
            ("system/hostname", "-bad-"), ("network/interfaces/eth0/mtu", 12), ("gone/setting", 1),
            ("network/interfaces", 5), ("time/ntp/enabled", false),
        ])
        #expect(
            settings.inactive.keys.map(\.text).sorted() == [
                "gone/setting", "network/interfaces", "network/interfaces/eth0/mtu", "system/hostname",
            ])
        let hostname = try #require(settings.value(at: try path("system/hostname")))
        #expect(hostname.value == "board" && hostname.origin == .schemaDefault && !hostname.isInForce)
        #expect(hostname.inactive?.code == .format)
        #expect(hostname.inactive?.value == "-bad-")
        let gone = try #require(settings.value(at: try path("gone/setting")))
        #expect(gone.value == nil && gone.inactive?.code == .unknown)
        #expect(settings.value(at: try path("system"))?.value == ["hostname": "board", "timezone": "UTC"])
        #expect(settings.value(at: try path("system"))?.isInForce == false)
        #expect(settings.list(under: nil, defaults: false).count == 5)
        #expect(settings.committed.count == 5)
        // They do not block others, and can be corrected and removed.
        #expect(settings.propose(try changes([("system/timezone", "Europe/Berlin")])).problems.isEmpty)
        let mended = settings.propose(
            try changes([("system/hostname", "good"), ("gone", nil), ("network/interfaces/eth0/mtu", nil)]))
        #expect(mended.problems.isEmpty)
        #expect(mended.settings.inactive.keys.map(\.text) == ["network/interfaces"])
        #expect(mended.settings.value(at: try path("system/hostname"))?.isInForce == true)
        #expect(
            mended.differences.map(\.path.text) == ["gone/setting", "network/interfaces/eth0/mtu", "system/hostname"])
        // Touched, the same value is refused again.
        #expect(settings.propose(try changes([("system/hostname", "-bad-")])).problems.map(\.code) == [.format])
    }

    @Test func proposalsChangeACopy() throws {
        let settings = try settings([("system/hostname", "a")])
        let proposal = settings.propose(
            try changes([("system/hostname", "b"), ("time/ntp", ["enabled": false, "servers": .null])]))
        #expect(proposal.problems.isEmpty)
        #expect(
            proposal.differences == [
                SettingDifference(path: try path("system/hostname"), old: "a", new: "b"),
                SettingDifference(path: try path("time/ntp/enabled"), old: nil, new: false),
            ])
        #expect(proposal.settings.value(at: try path("system/hostname"))?.value == "b")
        #expect(settings.value(at: try path("system/hostname"))?.value == "a")
    }

    @Test(
        arguments: [
            ([("system/hostname", "a")], []),
            ([("system/hostname", nil)], ["system/hostname a -"]),
            ([("system", nil)], ["system/hostname a -"]),
            ([("network/interfaces/eth0", [:])], ["network/interfaces/eth0 - {}"]),
            ([("network/interfaces/eth0", ["mtu": 1500.0])], ["network/interfaces/eth0/mtu - 1500"]),
            (
                [("network/interfaces/eth0/gateway", "2001:DB8::0")],
                ["network/interfaces/eth0/gateway - \"2001:db8::\""]
            ),
            ([("agent/history/bytes", 1_048_576)], ["agent/history/bytes - \"1MiB\""]),
            ([("system", [:])], []), ([("network", ["interfaces": [:]])], []), ([("time/ntp/servers", nil)], []),
            ([("time/ntp", nil)], []),
            // An explicit set of the default makes the path managed.
            ([("time/ntp/enabled", true)], ["time/ntp/enabled - true"]),
        ] as [([(String, JSONValue?)], [String])])
    func differencesAreExact(_ pairs: [(String, JSONValue?)], _ expected: [String]) throws {
        let proposal = try settings([("system/hostname", "a")]).propose(try changes(pairs))
        #expect(proposal.problems.isEmpty, "\(proposal.problems)")
        #expect(
            proposal.differences.map {
                "\($0.path) \($0.old.map { $0 == "a" ? "a" : "\($0)" } ?? "-") \($0.new?.description ?? "-")"
            } == expected)
    }

    @Test func allProblemsComeAtOnce() throws {
        let proposal = try settings([]).propose(
            try changes([
                ("system/hostname", "a b"), ("network/interfaces/eth0/mtu", 12), ("network/interfaces/a b/mtu", 1500),
                ("time/ntp", 5),
                ("nothing", 1), ("other", nil), ("system/timezone", "Europe/Berlin"), ("time-x", ["a": ["b": 1]]),
            ]))
        #expect(
            proposal.problems.map { "\($0.path) \($0.code)" } == [
                "network/interfaces/a b/mtu key", "network/interfaces/eth0/mtu range", "nothing unknown",
                "other unknown",
                "system/hostname format", "time-x/a/b unknown", "time/ntp type",
            ])
        #expect(proposal.problemCount == 7)
        #expect(proposal.problems.allSatisfy { $0.reason.count > 10 })
    }

    @Test func problemsAreBounded() throws {
        let proposal = try settings([]).propose(
            try ChangeSet((0..<4096).map { Change(try path("no/such/setting\($0)"), 1) }))
        #expect(proposal.problems.count == SettingsProposal.maximumProblems)
        #expect(proposal.problemCount == 4096)
    }

    @Test func groupRulesCountOnlyWhereAChangeBreaksThem() throws {
        let schema = try Schema(
            json: try JSONReader.read(
                """
                {type: 'object', properties: {m: {type: 'object', maxProperties: 2, propertyNames: {pattern: '^[a-z]+$'},
                  additionalProperties: {type: 'object', required: ['host', 'port'],
                    properties: {host: {type: 'string'}, port: {type: 'integer', default: 80}, note: {type: 'string'}}}}}}
                """, dialect: .json5))
        let empty = try settings([], schema: schema)
        #expect(empty.propose(try changes([("m/a/host", "h")])).problems.isEmpty)
        let lacking = empty.propose(try changes([("m/a/note", "n")]))
        #expect(lacking.problems.map { "\($0.path) \($0.code)" } == ["m/a required"])
        #expect(lacking.problems.first?.reason.contains("host") == true)
        #expect(empty.propose(try changes([("m/a", [:])])).problems.map(\.code) == [.required])
        #expect(empty.propose(try changes([("m/A/host", "h")])).problems.map(\.code) == [.key])
        let two = try settings([("m/a/host", "h"), ("m/b/host", "h")], schema: schema)
        #expect(two.propose(try changes([("m/c/host", "h")])).problems.map { "\($0.path) \($0.code)" } == ["m count"])
        #expect(two.propose(try changes([("m/c/host", "h"), ("m/a", nil)])).problems.isEmpty)
        #expect(two.propose(try changes([("m/a/host", nil)])).problems.isEmpty)
        let noted = try settings([("m/a/host", "h"), ("m/a/note", "n")], schema: schema)
        #expect(noted.propose(try changes([("m/a/host", nil)])).problems.map(\.code) == [.required])
        // What was broken before a schema update stays as it is while others change.
        let broken = try settings([("m/a/note", "n"), ("m/b/note", "n"), ("m/c/note", "n")], schema: schema)
        #expect(broken.propose(try changes([("m/a/note", "o")])).problems.isEmpty)
        #expect(broken.propose(try changes([("m/d/host", "h")])).problems.map(\.code) == [.count])
    }

    @Test func membersAreCountedWhateverTheirNamesSortBetween() throws {
        let schema = try Schema(
            json: try JSONReader.read(
                """
                {type: 'object', properties: {m: {type: 'object', maxProperties: 5, additionalProperties:
                  {type: 'object', properties: {x: {type: 'integer'}, y: {type: 'integer'}}}}}}
                """, dialect: .json5))
        // "!" and "-" sort before the slash, "0" after it; "~1" is a slash within a name.
        let five = try settings(
            [
                ("m/a/x", 1), ("m/a/y", 1), ("m/a!/x", 1), ("m/a-b", [:]), ("m/a0/y", 1), ("m/a~1x/x", 1),
                ("m/a~1x/y", 1),
            ], schema: schema)
        #expect(five.propose(try changes([("m/a0/x", 2), ("m/a-b/x", 2)])).problems.isEmpty)
        let six = five.propose(try changes([("m/a~1y/x", 1)]))
        #expect(six.problems.map { "\($0.path) \($0.code)" } == ["m count"])
        #expect(six.problems.first?.reason.contains("6") == true)
        #expect(five.propose(try changes([("m/a~1y/x", 1), ("m/a", nil)])).problems.isEmpty)
    }

    @Test func anOpenGroupHoldsAnything() throws {
        let schema = try Schema(json: [
            "type": "object", "properties": ["o": ["type": "object", "additionalProperties": true]],
        ])
        let proposal = try settings([], schema: schema).propose(
            try changes([("o", ["a": ["b": [1], "c": [:]], "d": 1.5])]))
        #expect(proposal.problems.isEmpty)
        #expect(proposal.settings.value(at: try path("o"))?.value == ["a": ["b": [1], "c": [:]], "d": 1.5])
        #expect(proposal.settings.value(at: try path("o/a"))?.value == ["b": [1], "c": [:]])
        #expect(proposal.settings.value(at: try path("o/a/b"))?.isInForce == true)
    }

    @Test func storedSettingsAreBounded() throws {
        let schema = try Schema(json: [
            "type": "object", "properties": ["o": ["type": "object", "additionalProperties": true]],
        ])
        let rows = try (0..<LayeredSettings.maximumCount).map { (try path("o/k\($0)"), JSONValue.integer(1)) }
        let full = LayeredSettings(schema: schema, committed: SettingsTree(rows))
        let refused = full.propose(try changes([("o/new", 1)]))
        #expect(refused.problems.map(\.code) == [.limit])
        #expect(refused.problems.first?.reason.contains("100000") == true)
        #expect(full.propose(try changes([("o/k5", 2)])).problems.isEmpty)
        #expect(full.propose(try changes([("o/new", 1), ("o/k5", nil)])).problems.isEmpty)
    }

    @Test(arguments: TestMachine.seeds(20, briefly: 5))
    func proposalsReportExactlyWhatTheyDo(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let schema = try Schema(json: [
            "type": "object", "properties": ["r": ["type": "object", "additionalProperties": true]],
        ])
        var settings = try settings([], schema: schema)
        for _ in 0..<30 {
            let set = try changes([("r", RandomSettings.object(depth: 3, using: &generator))])
            let proposal = settings.propose(set)
            #expect(proposal.problems.isEmpty)
            #expect(
                proposal.differences
                    == SettingsTree.differences(from: settings.committed, to: proposal.settings.committed),
                "seed \(seed)")
            #expect(
                proposal.settings.inactive
                    == LayeredSettings(schema: schema, committed: proposal.settings.committed).inactive)
            // The same changes again change nothing.
            #expect(proposal.settings.propose(set).differences.isEmpty, "seed \(seed)")
            settings = proposal.settings
        }
    }
}
