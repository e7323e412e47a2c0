import CleatAPI
import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// The desired states of interfaces if only the kernel runs the network.
@Suite struct InterfacesAdapterTests {
    static func settings(_ values: [(String, JSONValue)]) throws -> LayeredSettings {
        try BuiltInAdapterTests.settings(values.map { ("network/interfaces/\($0.0)", $0.1) })
    }

    @Test("only set settings are applied; addresses and a gateway switch an interface on")
    func wanted() throws {
        let cases: [([(String, JSONValue)], InterfaceState?)] = [
            ([("eth0/mtu", 1400)], InterfaceState(mtu: 1400)), ([("eth0/enabled", false)], InterfaceState(isUp: false)),
            (
                [("eth0/addresses", ["192.0.2.1/24"])],
                InterfaceState(isUp: true, addresses: [try #require(InterfaceAddress("192.0.2.1/24"))])
            ),
            ([("eth0/addresses", [])], InterfaceState(addresses: [])),
            ([("eth0/gateway", "192.0.2.9")], InterfaceState(isUp: true, gateway: InternetAddress("192.0.2.9"))),
            ([("eth0/dhcp", true)], InterfaceState(isUp: true)), ([("eth0/dhcp", false)], nil),
            ([("eth0/dns", ["192.0.2.53"])], nil),
        ]
        for (values, state) in cases {
            let desired = InterfacesAdapter().desired(try Self.settings(values))
            #expect(desired.problems.isEmpty, "\(values)")
            #expect(desired[.interface("eth0")] == state.map { .interface($0) }, "\(values)")
        }
    }

    @Test("impossible settings are refused by name")
    func refused() throws {
        let cases: [([(String, JSONValue)], String)] = [
            ([("eth0/dhcp", true), ("eth0/addresses", ["192.0.2.1/24"])], "eth0/addresses"),
            ([("eth0/dhcp", true), ("eth0/metric", 7)], "eth0/metric"),
            ([("eth0/dhcp", true), ("eth0/routes", [["destination": "10.0.0.0/8"]])], "eth0/routes"),
            ([("eth0/mtu", 1000), ("eth0/addresses", ["2001:db8::1/64"])], "eth0/mtu"),
            ([("eth0/gateway", "192.0.3.1"), ("eth0/addresses", ["192.0.2.1/24"])], "eth0/gateway"),
            ([("eth0/gateway", "192.0.2.1"), ("eth0/addresses", ["192.0.2.1/24"])], "eth0/gateway"),
            ([("eth0/gateway", "2001:db8::9"), ("eth0/addresses", ["192.0.2.1/24"])], "eth0/gateway"),
            ([("eth0/gateway", "192.0.2.1"), ("eth1/gateway", "192.0.3.1")], "eth1/gateway"),
            (
                [
                    ("eth0/gateway", "192.0.2.1"), ("eth0/metric", 7), ("eth1/gateway", "192.0.3.1"),
                    ("eth1/metric", 7),
                ], "eth1/gateway"
            ),
            ([("eth0/ipv6", "off"), ("eth0/addresses", ["2001:db8::1/64"])], "eth0/ipv6"),
            ([("eth0/ipv6", "off"), ("eth0/dns", ["2001:db8::1"])], "eth0/ipv6"),
            ([("eth0/ipv6", "static"), ("eth0/privacy", true)], "eth0/privacy"),
        ]
        for (values, path) in cases {
            let problems = InterfacesAdapter().desired(try Self.settings(values)).problems
            #expect(problems.map(\.path.text) == ["network/interfaces/" + path], "\(problems)")
        }
        for (address, gateway) in [
            ("192.0.2.129/25", "192.0.2.254"), ("10.1.2.3/0", "192.0.2.254"), ("2001:db8::1/63", "2001:db8:0:1::9"),
            ("192.0.2.2/31", "192.0.2.3"), ("192.0.2.1/24", "fe80::1"),
        ] {
            let values: [(String, JSONValue)] = [
                ("eth0/addresses", [.string(address)]), ("eth0/gateway", .string(gateway)),
            ]
            #expect(InterfacesAdapter().desired(try Self.settings(values)).problems.isEmpty, "\(address)")
        }
    }

    @Test("gateways of several interfaces differ in their metrics, next to one without")
    func gateways() throws {
        let desired = InterfacesAdapter().desired(
            try Self.settings([
                ("eth0/gateway", "192.0.2.1"), ("eth0/metric", 7), ("eth1/gateway", "192.0.3.1"), ("eth1/metric", 8),
                ("eth2/gateway", "192.0.4.1"),
            ]))
        #expect(desired.problems.isEmpty)
        let everywhere = try #require(InterfaceAddress("0.0.0.0/0"))
        for (name, gateway, metric) in [("eth0", "192.0.2.1", 7 as UInt32), ("eth1", "192.0.3.1", 8)] {
            let route = InterfaceRoute(everywhere, gateway: InternetAddress(gateway), metric: metric)
            #expect(desired[.interface(name)] == .interface(InterfaceState(isUp: true, routes: [route])))
        }
        let plain = InterfaceState(isUp: true, gateway: InternetAddress("192.0.4.1"))
        #expect(desired[.interface("eth2")] == .interface(plain))
    }

    @Test("the kernel's parameters of IPv6 are refused with their names")
    func parameters() throws {
        for (key, parameter) in [("ipv6", "disable_ipv6"), ("privacy", "use_tempaddr")] {
            let reason = InterfacesAdapter().reasonNotToFollow(try SettingPath("network/interfaces/eth0/\(key)"))
            #expect(reason?.contains("set kernel/sysctl/net.ipv6.conf.eth0.\(parameter)") == true)
        }
        let tagged = InterfacesAdapter().reasonNotToFollow(try SettingPath("network/interfaces/eth0.5/ipv6")) ?? ""
        let path = try #require(tagged.split(separator: " ").first { $0.hasPrefix("kernel/sysctl/") })
        #expect(try SettingPath(String(path)).name == "net.ipv6.conf.eth0/5.disable_ipv6", "\(tagged)")
        #expect(InterfacesAdapter().reasonNotToFollow(try SettingPath("network/interfaces/eth0/dns")) == nil)
    }

    @Test("settings without an effect are refused when they are set, and do not block other changes")
    func refusedAlone() throws {
        let adapters = AdapterSet([HostNameAdapter(), InterfacesAdapter()])
        let system = try TestBoard().system
        let nothing = try Self.settings([])
        let bad = try Self.settings([("eth0/privacy", true), ("eth0/ipv6", "off")])
        let path = try SettingPath("network/interfaces/eth0/privacy")
        let change = adapters.change(from: nothing, to: bad, at: [path])
        #expect(change.isEmpty)
        #expect(adapters.check(bad, change, on: system).map(\.path) == [path])
        let both = try BuiltInAdapterTests.settings([
            ("network/interfaces/eth0/privacy", true), ("network/interfaces/eth0/ipv6", "off"),
            ("system/hostname", "other"),
        ])
        let other = adapters.change(from: bad, to: both, at: [try SettingPath("system/hostname")])
        #expect(adapters.check(both, other, on: system).isEmpty)
        #expect(adapters.change(from: nothing, to: both).involved == ["host-name", "interfaces"])
    }

    @Test("a missing interface is accepted, is not drift, and is configured once it appears")
    func missing() async throws {
        guard TestLink.isAvailable else { return }
        try await OwnNamespaces.run {
            let board = try TestBoard(isRunning: true)
            let settings = try Self.settings([("cleat0/addresses", ["192.0.2.1/24"])])
            #expect(
                InterfacesAdapter().check(settings, InterfacesAdapter().desired(settings), on: board.system).isEmpty)
            #expect(try board.set.missingInterfaces(settings, on: board.system) == ["cleat0"])
            let change = board.set.change(from: nil, to: settings)
            let mementos = try board.set.applier.capture(change, on: board.system)
            #expect(mementos.map(\.isAbsentInterface) == [true])
            #expect(try mementos.map { try Memento(encoded: $0.encoded) } == mementos)
            let reason = SystemResources.absenceOfInterface
            #expect(
                board.set.applier.apply(change, on: board.system, origins: [:]).flatMap(\.skipped).map(\.reason) == [
                    reason
                ])
            let skipped = board.set.applier.restore(mementos, on: board.system).flatMap(\.skipped)
            #expect(skipped.map(\.resource) == [.interface("cleat0")])
            // It is still absent, but the reason is that there is nothing to restore.
            #expect(skipped.allSatisfy { !$0.reason.isEmpty && $0.reason != reason }, "\(skipped)")
            #expect(board.set.reconcile(settings, known: [:], .inspect, on: board.system).drift.isEmpty)
            let step = try #require(change.parts.first?.steps.first)
            let planned = try board.system.plan(step, of: "interfaces", origin: nil, isSecret: false)
            #expect(planned.action == .skipped && planned.note == reason)

            let link = try TestLink("cleat0")
            #expect(try board.set.missingInterfaces(settings, on: board.system).isEmpty)
            let arrival = board.set.arrival(of: link.name, settings)
            #expect(arrival.problems.isEmpty && arrival.change.resources == [.interface(link.name)])
            #expect(board.set.applier.apply(arrival.change, on: board.system, origins: [:]).allSatisfy { $0.isSuccess })
            #expect(
                try board.system.interface(link.name)?.addresses.map(\.address) == [InterfaceAddress("192.0.2.1/24")])
            #expect(board.set.arrival(of: "cleat1", settings).change.isEmpty)
            #expect(!board.set.isSet(interface: "cleat1", settings) && board.set.isSet(interface: "cleat0", settings))
            let bad = try Self.settings([("cleat0/dhcp", true), ("cleat0/metric", 7)])
            #expect(board.set.arrival(of: link.name, bad).problems.count == 1)
            #expect(board.set.arrival(of: link.name, bad).change.isEmpty)
        }
        let elsewhere = try TestBoard()
        #expect(!elsewhere.set.configuresInterfaces)
        #expect(try elsewhere.set.missingInterfaces(Self.settings([("x/mtu", 1400)]), on: elsewhere.system).isEmpty)
    }
}

/// Tests of an interface of the kernel, in a namespace.
@Suite(.tags(.board), .enabled(if: TestLink.isAvailable, "\(TestLink.reason)"))
struct InterfaceKernelTests {
    @Test("unset settings are restored, and set ones stay")
    func release() async throws {
        try await OwnNamespaces.run {
            let link = try TestLink("cleat0")
            let board = try TestBoard(isRunning: true)
            var origins: [Resource: Memento] = [:]
            func settings(_ values: (String, JSONValue)...) throws -> LayeredSettings {
                try InterfacesAdapterTests.settings(values.map { ("\(link.name)/\($0.0)", $0.1) })
            }
            func addresses() throws -> [String] {
                try #require(try board.system.interface(link.name)).addresses.compactMap { $0.address?.description }
            }
            let none = try settings()
            let first = try settings(("addresses", ["192.0.2.1/24", "192.0.2.7/24"]), ("gateway", "192.0.2.9"))
            _ = try AppliedChange(board, from: none, to: first, origins: &origins)
            // As if that had been there before Cleat.
            origins = [:]
            let untouched = try kernelDump(link.name)
            let both = try settings(("addresses", ["198.51.100.1/24"]), ("gateway", "198.51.100.9"), ("mtu", 1400))
            let second = try AppliedChange(board, from: none, to: both, origins: &origins)
            try #require(second.isSuccess, "\(second.results)")
            #expect(try addresses() == ["198.51.100.1/24"])
            #expect(second.change.parts.flatMap(\.steps).allSatisfy { !$0.needsOrigin })

            let onlyMTU = try AppliedChange(board, from: both, to: settings(("mtu", 1400)), origins: &origins)
            #expect(onlyMTU.isSuccess && onlyMTU.change.parts.flatMap(\.steps).allSatisfy { $0.needsOrigin })
            let now = try #require(try board.system.interface(link.name))
            #expect(try addresses() == ["192.0.2.1/24", "192.0.2.7/24"])
            #expect(now.mtu == 1400 && now.defaultGateways == ["192.0.2.9"])
            _ = try AppliedChange(board, from: settings(("mtu", 1400)), to: none, origins: &origins)
            #expect(try kernelDump(link.name) == untouched)
        }
    }

    @Test(
        "on trial the old address follows the new one; it is removed before the confirmation, or all is restored")
    func trial() async throws {
        try await OwnNamespaces.run {
            let link = try TestLink("cleat0")
            let board = try TestBoard(isRunning: true)
            let (set, system) = (board.set, board.system)
            func settings(_ addresses: JSONValue...) throws -> LayeredSettings {
                try InterfacesAdapterTests.settings([("cleat0/addresses", .array(addresses))])
            }
            func addresses() throws -> [String] {
                try #require(try system.interface(link.name)).addresses.compactMap { $0.address?.description }
            }
            var origins: [Resource: Memento] = [:]
            let none = try board.settings([])
            let (a, b) = (try settings("192.0.2.1/24", "2001:db8::1/64"), try settings("192.0.2.5/24"))
            let origin = try kernelDump(link.name)
            _ = try AppliedChange(board, from: none, to: a, origins: &origins)
            let before = try kernelDump(link.name)
            let paths = [try SettingPath("network/interfaces/cleat0/addresses")]
            for isConfirmed in [false, true] {
                let change = try set.onTrial(set.change(from: a, to: b, at: paths), from: a, to: b, on: system)
                let mementos = try set.applier.capture(change, on: system)
                #expect(set.applier.apply(change, on: system, origins: [:]).allSatisfy { $0.isSuccess })
                #expect(try addresses() == ["192.0.2.1/24", "192.0.2.5/24", "2001:db8::1/64"])
                guard isConfirmed else {
                    #expect(set.applier.restore(mementos, on: system).allSatisfy { $0.isSuccess })
                    #expect(try kernelDump(link.name) == before)
                    continue
                }
                // Twice, as after a service that ended between settling and confirming.
                for _ in 1...2 {
                    let last = try set.confirming(from: a, to: b, at: paths, on: system)
                    #expect(set.applier.apply(last, on: system, origins: [:]).allSatisfy { $0.isSuccess })
                    #expect(try addresses() == ["192.0.2.5/24"])
                }
            }
            _ = try AppliedChange(board, from: b, to: none, origins: &origins)
            #expect(try kernelDump(link.name) == origin)
            let mtu = try InterfacesAdapterTests.settings([("cleat0/mtu", 1400)])
            let other = set.change(from: none, to: mtu)
            #expect(try set.onTrial(other, from: none, to: mtu, on: system) == other)
            #expect(try set.confirming(from: none, to: mtu, at: paths, on: system).isEmpty)
        }
    }

    @Test(
        "the kernel's refusal is reported in its words, with the remedy, and a removed interface is not a failure"
    )
    func refusals() async throws {
        try await OwnNamespaces.run {
            let board = try TestBoard(isRunning: true)
            let settings = try InterfacesAdapterTests.settings([("cleat0/gateway", "203.0.113.1")])
            let change = board.set.change(from: nil, to: settings)
            var mementos: [Memento] = []
            do {
                let link = try TestLink("cleat0")
                mementos = try board.set.applier.capture(change, on: board.system)
                let error = board.set.applier.apply(change, on: board.system, origins: [:]).flatMap(\.errors).first
                let failure = try #require(error)
                #expect(failure.stage == .apply && failure.resource == .interface(link.name), "\(failure)")
                #expect(failure.errno == .networkUnreachable && failure.reason.contains("default"), "\(failure)")
                // What the kernel says is in it.
                #expect(failure.reason.contains("Nexthop has invalid gateway"), "\(failure)")
            }
            let restored = board.set.applier.restore(mementos, on: board.system)
            #expect(restored.first?.skipped.map(\.reason) == ["there is no such interface any more"], "\(restored)")
            #expect(restored.flatMap(\.errors).isEmpty)
        }
    }

    @Test("a captured state outlasts a store, and a damaged one is reported")
    func mementos() async throws {
        try await OwnNamespaces.run {
            let link = try TestLink("cleat0")
            let board = try TestBoard(isRunning: true)
            var origins: [Resource: Memento] = [:]
            let settings = try InterfacesAdapterTests.settings([
                ("cleat0/addresses", ["192.0.2.1/24", "2001:db8::1/64"]), ("cleat0/gateway", "192.0.2.9"),
            ])
            _ = try AppliedChange(board, from: try board.settings([]), to: settings, origins: &origins)
            let memento = try board.system.capture(.interface(link.name), for: "interfaces")
            let bytes = memento.encoded
            #expect(try Memento(encoded: bytes) == memento)
            for count in 0..<bytes.count {
                #expect(throws: ResourceError.self) { try Memento(encoded: Array(bytes.prefix(count))) }
            }
        }
    }
}
