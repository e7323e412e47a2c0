import CleatJSON
import Testing

@testable import CleatSettings

@Suite("Layers and locks")
struct LayerTests {
    private func path(_ text: String) throws -> SettingPath { try SettingPath(text) }

    private func changes(_ pairs: [(String, JSONValue?)]) throws -> ChangeSet {
        try ChangeSet(try pairs.map { Change(try path($0.0), $0.1) })
    }

    private func settings(
        locks: [SettingLock] = [], committed: [(String, JSONValue)] = [], volatile: [(String, JSONValue)] = []
    ) throws -> LayeredSettings {
        LayeredSettings(
            sources: SettingsSources(
                schema: .builtIn,
                vendor: [
                    SettingsFile(
                        file: "/v/10.json5",
                        values: [
                            "system": ["hostname": "vendor", "timezone": "Europe/Berlin"],
                            "network": ["interfaces": ["eth0": ["mtu": 1400]]],
                            "time": ["ntp": ["servers": ["a.example.net"]]],
                        ]),
                    SettingsFile(
                        file: "/v/20.json5",
                        values: [
                            "system": ["hostname": "later"], "network": ["interfaces": ["eth0": ["mtu": 12]]],
                            "nothing": 1,
                        ]),
                ],
                factory: SettingsFile(file: "/f.json5", values: ["system": ["timezone": "UTC"]]), locks: locks),
            committed: SettingsTree(try committed.map { (try path($0.0), $0.1) }),
            volatile: SettingsTree(try volatile.map { (try path($0.0), $0.1) }))
    }

    @Test func aHigherLayerOrALockCanOverrideAValue() throws {
        let mtu = try path("network/interfaces/eth0/mtu")
        let plain = try settings(committed: [(mtu.text, 1500)])
        #expect(!plain.canOverride(.committed, at: mtu) && !plain.canOverride(.volatile, at: mtu))
        let volatile = try settings(committed: [(mtu.text, 1500)], volatile: [("system/hostname", "now")])
        #expect(volatile.canOverride(.committed, at: mtu) && !volatile.canOverride(.volatile, at: mtu))
        let locked = try settings(
            locks: [SettingLock(path: mtu, layer: .vendor, file: "/l")], committed: [(mtu.text, 1500)])
        #expect(locked.canOverride(.committed, at: mtu))
        let refused = try settings(committed: [(mtu.text, "wide")])
        #expect(refused.canOverride(.committed, at: mtu))
    }

    @Test func filesAreMergedLeafByLeaf() throws {
        let settings = try settings()
        let hostname = try #require(settings.value(at: try path("system/hostname")))
        #expect(hostname.value == "later" && hostname.origin == .vendor && hostname.isInForce)
        #expect(settings.sources.file(of: .vendor, at: hostname.path) == "/v/20.json5")
        let zone = try #require(settings.value(at: try path("system/timezone")))
        #expect(zone.value == "UTC" && zone.origin == .factory)
        #expect(settings.sources.file(of: .vendor, at: zone.path) == "/v/10.json5")
        #expect(settings.sources.file(of: .factory, at: zone.path) == "/f.json5")
        // A later file's value that is refused gives way to the earlier one's.
        let mtu = try #require(settings.value(at: try path("network/interfaces/eth0/mtu")))
        #expect(mtu.value == 1400 && mtu.origin == .vendor)
        #expect(
            settings.sources.refused.map { "\($0.file) \($0.path) \($0.problem.code)" }.sorted() == [
                "/v/20.json5 network/interfaces/eth0/mtu range", "/v/20.json5 nothing unknown",
            ])
    }

    @Test func aChangeStoresWhatDiffersFromItsOwnLayerOnly() throws {
        let settings = try settings()
        let proposal = settings.propose(try changes([("system/hostname", "later")]))
        #expect(proposal.differences.map(\.old) == [nil])
        let effects = SettingsEffects(of: proposal.differences, before: settings, after: proposal.settings)
        #expect(effects.touched.map(\.text) == ["system/hostname"] && effects.differences.isEmpty)
        let back = proposal.settings.propose(try changes([("system/hostname", nil)]))
        #expect(back.settings.value(at: try path("system/hostname"))?.origin == .vendor)
        #expect(settings.propose(try changes([("system/hostname", nil)])).isEmpty)
    }

    @Test func aCommitBelowAVolatileValueChangesNothingInForce() throws {
        let settings = try settings(volatile: [("system/hostname", "now")])
        let proposal = settings.propose(try changes([("system/hostname", "stored")]))
        #expect(proposal.problems.isEmpty && proposal.differences.count == 1)
        #expect(SettingsEffects(of: proposal.differences, before: settings, after: proposal.settings).isEmpty)
        #expect(proposal.settings.value(at: try path("system/hostname"))?.value == "now")
        let gone = proposal.settings.propose(try changes([("system/hostname", nil)]), to: .volatile)
        #expect(gone.differences.isEmpty && gone.volatileDifferences.count == 1)
        let effects = SettingsEffects(of: gone.volatileDifferences, before: proposal.settings, after: gone.settings)
        #expect(
            effects.differences == [
                SettingDifference(path: try path("system/hostname"), old: "now", new: "stored")
            ])
    }

    @Test func whatIsVolatileIsBounded() throws {
        let many = try changes(
            (0...LayeredSettings.maximumVolatileCount).map { ("network/interfaces/e\($0)/mtu", 1500) })
        #expect(try settings().propose(many, to: .volatile).problems.map(\.code) == [.limit])
        #expect(try settings().propose(many).problems.isEmpty)
    }

    // MARK: Locks

    private func lock(_ place: String?, _ layer: ResolvedSetting.Origin, reason: String? = nil) throws -> SettingLock {
        SettingLock(path: try place.map(path), layer: layer, file: "/l/\(place ?? "all").json5", reason: reason)
    }

    @Test func theLongestPrefixWins() throws {
        let settings = try settings(
            locks: [
                try lock(nil, .schemaDefault), try lock("network", .vendor),
                try lock("network/interfaces/eth0", .volatile),
            ],
            committed: [("network/interfaces/eth0/mtu", 1500), ("network/interfaces/eth1/mtu", 1500)],
            volatile: [("system/hostname", "now")])
        #expect(settings.value(at: try path("network/interfaces/eth0/mtu"))?.value == 1500)
        // An entry that only a lower layer could bring is not there.
        #expect(settings.value(at: try path("network/interfaces/eth1"))?.value == nil)
        let hostname = try #require(settings.value(at: try path("system/hostname")))
        #expect(hostname.value == "board" && !hostname.isInForce && hostname.lock == .schemaDefault)
        #expect(hostname.inactive?.code == .locked && hostname.inactive?.reason.contains("/l/all.json5") == true)
    }

    @Test(
        arguments: [
            ([("system/hostname", "x")], .committed, ["system/hostname locked"]),
            ([("system/hostname", nil)], .committed, ["system/hostname locked"]),
            ([("system", nil)], .committed, ["system/hostname locked"]),
            ([("system/timezone", "UTC")], .committed, []),
            ([("system/hostname", "x")], .volatile, ["system/hostname locked"]),
            ([("network/interfaces/eth0/mtu", 1500)], .committed, []),
            ([("network/interfaces/eth0/mtu", 1500)], .volatile, ["network/interfaces/eth0/mtu locked"]),
            // All faults are reported at once.
            (
                [("system/hostname", "-x-"), ("nothing", 1), ("network/interfaces/eth0/mtu", 5)], .committed,
                [
                    "network/interfaces/eth0/mtu range", "nothing unknown", "system/hostname format",
                    "system/hostname locked",
                ]
            ),
        ] as [([(String, JSONValue?)], ResolvedSetting.Origin, [String])])
    func aLockDeniesByName(
        _ pairs: [(String, JSONValue?)], _ layer: ResolvedSetting.Origin, _ expected: [String]
    ) throws {
        let settings = try settings(
            locks: [
                try lock("system/hostname", .vendor, reason: "printed on the case"), try lock("network", .committed),
            ],
            committed: [("system/hostname", "old"), ("system/timezone", "Europe/Berlin")])
        let proposal = settings.propose(try changes(pairs), to: layer)
        #expect(proposal.problems.map { "\($0.path) \($0.code)" }.sorted() == expected)
        for problem in proposal.problems where problem.code == .locked {
            #expect(problem.reason.contains("/l/"))
        }
        if pairs.first?.0 == "system/hostname" {
            #expect(proposal.problems.contains { $0.reason.contains("printed on the case") })
        }
    }

    @Test func aResetTakesAwayWhateverItIs() throws {
        let settings = try settings(
            locks: [try lock("system/hostname", .vendor)],
            committed: [
                ("system/hostname", "old"), ("system/timezone", "-bad-"), ("gone/setting", 1),
                ("network/interfaces/eth1/mtu", 1500),
            ], volatile: [("system/timezone", "UTC")])
        let part = settings.proposeReset(under: try path("system"))
        #expect(part.problems.isEmpty)
        #expect(part.differences.map(\.path.text) == ["system/hostname", "system/timezone"])
        #expect(part.volatileDifferences.map(\.path.text) == ["system/timezone"])
        let all = settings.proposeReset(under: nil)
        #expect(all.differences.count == 4 && all.volatileDifferences.count == 1)
        #expect(all.settings.committed.isEmpty && all.settings.volatile.isEmpty && all.settings.inactive.isEmpty)
        let fresh = try self.settings(locks: [try lock("system/hostname", .vendor)])
        #expect(all.settings.list(under: nil) == fresh.list(under: nil))
        #expect(all.settings.proposeReset(under: nil).isEmpty)
    }

    // MARK: Lists

    @Test(
        arguments: [
            ([("add", "time/ntp/servers", "b.example.net")], "time/ntp/servers [\"a.example.net\",\"b.example.net\"]"),
            ([("add", "time/ntp/servers", "a.example.net")], ""),
            ([("remove", "time/ntp/servers", "c.example.net")], ""),
            ([("remove", "time/ntp/servers", "a.example.net")], "time/ntp/servers []"),
            (
                [("add", "time/ntp/servers", "b.example.net"), ("remove", "time/ntp/servers", "a.example.net")],
                "time/ntp/servers [\"b.example.net\"]"
            ),
            ([("add", "time/ntp/servers", "x"), ("remove", "time/ntp/servers", "x")], ""),
            // A list begins from nothing where there is nothing, and elements are compared as they are stored.
            (
                [
                    ("add", "network/interfaces/eth9/addresses", "2001:DB8::0/64"),
                    ("add", "network/interfaces/eth9/addresses", "2001:db8::/64"),
                ],
                "network/interfaces/eth9/addresses [\"2001:db8::/64\"]"
            ),
            ([("add", "system/hostname", "x")], "! system/hostname type"),
            ([("add", "system", "x")], "! system type"), ([("add", "system/nothing", "x")], "! system/nothing unknown"),
        ] as [([(String, String, JSONValue)], String)])
    func listsAreEditedByWhatTheyHold(_ edits: [(String, String, JSONValue)], _ expected: String) throws {
        let settings = try settings()
        let list = try edits.map { edit in
            ListEdit(try path(edit.1), try #require(ListEdit.Operation(rawValue: edit.0)), edit.2)
        }
        let (changes, problems) = settings.changes(for: list, to: .committed)
        let found =
            problems.map { "! \($0.path) \($0.code)" }
            + changes.map { "\($0.path) \($0.value?.canonicalText ?? "-")" }
        #expect(found.joined(separator: "; ") == expected)
    }

    @Test func whatIsVolatileDoesNotBecomePartOfACommittedList() throws {
        let servers = "time/ntp/servers"
        let settings = try settings(volatile: [(servers, ["v.example.net"])])
        let edit = [ListEdit(try path(servers), .add, "b.example.net")]
        #expect(
            settings.changes(for: edit, to: .committed).changes.map(\.value) == [["a.example.net", "b.example.net"]])
        #expect(
            settings.changes(for: edit, to: .volatile).changes.map(\.value) == [["v.example.net", "b.example.net"]])
        let locked = try self.settings(locks: [try lock("time", .factory)])
        #expect(locked.changes(for: edit, to: .committed).problems.map(\.code) == [.locked])
    }

    @Test func aNameWithADotIsOneName() throws {
        let mtu = "network/interfaces/eth0.100/mtu"
        let made = try settings().propose(try changes([(mtu, 1450)]))
        #expect(made.problems.isEmpty)
        #expect(made.settings.value(at: try path(mtu))?.value == 1450)
        let whole = made.settings.propose(try changes([("network/interfaces/eth0.100", nil)]))
        #expect(whole.differences.map(\.path.text) == [mtu])
        let entry = try settings().propose(try changes([("network/interfaces/eth0.200", [:])]))
        #expect(entry.differences.map { $0.path.text } == ["network/interfaces/eth0.200"])
    }
}
