import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of static routes of interfaces, for each network service.
@Suite struct InterfaceRouteTests {
    static func routes(_ routes: (String, String?, Int64?)...) -> JSONValue {
        .array(
            routes.map { destination, gateway, metric in
                var members: JSONObject = ["destination": .string(destination)]
                if let gateway { members["gateway"] = .string(gateway) }
                if let metric { members["metric"] = .integer(metric) }
                return .object(members)
            })
    }

    static let all: [any Adapter] = [InterfacesAdapter(), NetworkdAdapter(), IfupdownAdapter()]
    static let base: [(String, JSONValue)] = [("eth0/addresses", ["192.0.2.1/24", "2001:db8::1/64"])]
    static let gateway: (String, JSONValue) = ("eth0/gateway", "192.0.2.9")

    @Test("impossible routes are refused by name, by each of the three")
    func refused() throws {
        let cases: [([(String, JSONValue)], String, String)] = [
            ([("eth0/routes", Self.routes(("10.1.2.3/8", nil, nil)))], "eth0/routes", "the network is 10.0.0.0/8"),
            (
                [("eth0/routes", Self.routes(("2001:db8:1::1/48", nil, nil)))], "eth0/routes",
                "the network is 2001:db8:1::/48"
            ),
            (
                Self.base + [("eth0/routes", Self.routes(("10.0.0.0/8", "2001:db8::9", nil)))], "eth0/routes",
                "of the other family"
            ),
            (
                Self.base + [("eth0/routes", Self.routes(("10.0.0.0/8", "192.0.3.9", nil)))], "eth0/routes",
                "none of eth0's addresses reaches"
            ),
            (
                Self.base + [("eth0/routes", Self.routes(("10.0.0.0/8", "192.0.2.1", nil)))], "eth0/routes",
                "none of eth0's addresses reaches"
            ),
            (
                [("eth0/routes", Self.routes(("10.0.0.0/8", nil, nil), ("10.0.0.0/8", "192.0.2.9", nil)))],
                "eth0/routes", "has two routes to 10.0.0.0/8"
            ),
            (
                [("eth0/routes", Self.routes(("2001:db9::/32", nil, nil), ("2001:db9::/32", "fe80::1", 1024)))],
                "eth0/routes", "has two routes to 2001:db9::/32"
            ),
            (
                Self.base + [Self.gateway, ("eth0/routes", Self.routes(("0.0.0.0/0", "192.0.2.8", nil)))],
                "eth0/routes", "next to the gateway 192.0.2.9"
            ),
            (
                Self.base + [("eth0/routes", Self.routes(("192.0.2.0/24", nil, nil)))], "eth0/routes",
                "which the address 192.0.2.1/24 reaches by itself"
            ),
            (
                [
                    ("eth0/routes", Self.routes(("10.0.0.0/8", nil, nil))),
                    ("eth1/routes", Self.routes(("10.0.0.0/8", nil, nil))),
                ], "eth1/routes", "as a route of eth0"
            ),
            (
                Self.base + [Self.gateway, ("eth1/routes", Self.routes(("0.0.0.0/0", nil, nil)))], "eth1/routes",
                "as a route of eth0"
            ),
            (
                Self.base + [("eth0/mtu", 1000), ("eth1/routes", Self.routes(("2001:db9::/32", nil, nil)))],
                "eth0/mtu", "IPv6 needs 1280"
            ),
        ]
        for (values, path, words) in cases {
            for adapter in Self.all {
                let problems = adapter.desired(try InterfacesAdapterTests.settings(values)).problems
                #expect(problems.map(\.path.text) == ["network/interfaces/" + path], "\(adapter.name): \(problems)")
                #expect(problems.allSatisfy { $0.reason.contains(words) }, "\(problems)")
            }
        }
    }

    @Test("possible routes are accepted, by each of the three")
    func taken() throws {
        let cases: [[(String, JSONValue)]] = [
            Self.base + [
                ("eth0/routes", Self.routes(("10.0.0.0/8", "203.0.113.1", nil), ("203.0.113.1/32", nil, nil)))
            ],
            Self.base + [("eth0/routes", Self.routes(("10.0.0.0/8", nil, 7), ("10.0.0.0/8", "192.0.2.9", 8)))],
            Self.base + [Self.gateway, ("eth0/routes", Self.routes(("0.0.0.0/0", "192.0.2.8", 5)))],
            Self.base + [("eth0/routes", Self.routes(("192.0.2.0/24", nil, 5), ("2001:db8::/64", nil, nil)))],
            Self.base + [("eth0/routes", Self.routes(("::/0", "fe80::1", nil), ("0.0.0.0/0", "192.0.2.8", nil)))],
            [("eth0/dhcp", false), ("eth0/routes", Self.routes(("10.0.0.0/8", "192.0.2.9", nil)))],
            [
                ("eth0/enabled", false), ("eth0/routes", Self.routes(("10.0.0.0/8", nil, nil))),
                ("eth1/routes", Self.routes(("10.0.0.0/8", nil, nil))),
            ],
        ]
        for values in cases {
            for adapter in Self.all {
                let problems = adapter.desired(try InterfacesAdapterTests.settings(values)).problems
                #expect(problems.isEmpty, "\(adapter.name): \(problems)")
            }
        }
    }

    @Test("by rtnetlink routes switch an interface on, and an empty list does not")
    func wanted() throws {
        func state(_ values: [(String, JSONValue)]) throws -> ResourceState? {
            InterfacesAdapter().desired(try InterfacesAdapterTests.settings(values))[.interface("eth0")]
        }
        let one = InterfaceRoute(
            try #require(InterfaceAddress("10.0.0.0/8")), gateway: InternetAddress("192.0.2.9"), metric: 7)
        let linked = InterfaceRoute(try #require(InterfaceAddress("192.0.2.9/32")))
        let value = Self.routes(("10.0.0.0/8", "192.0.2.9", 7), ("192.0.2.9/32", nil, nil))
        #expect(
            try state([("eth0/routes", value)])
                == .interface(InterfaceState(isUp: true, routes: [linked, one])))
        #expect(one.value == value.arrayValue?.first)
        #expect(try state([("eth0/routes", [])]) == nil)
    }

    @Test func files() throws {
        let values: [(String, JSONValue)] = [
            ("eth0/addresses", ["192.0.2.1/24", "2001:db8::1/64"]),
            (
                "eth0/routes",
                Self.routes(
                    ("10.0.0.0/8", "203.0.113.1", 7), ("203.0.113.1/32", nil, nil),
                    ("2001:db9::/32", "2001:db8::9", nil))
            ),
        ]
        #expect(
            try NetworkFileTests.text(NetworkdAdapter(), values) == """
                # Written by Cleat from network/interfaces/eth0.
                [Match]
                Name=eth0

                [Network]
                DHCP=no
                Address=192.0.2.1/24
                Address=2001:db8::1/64

                [Route]
                Destination=203.0.113.1/32
                Scope=link

                [Route]
                Destination=10.0.0.0/8
                Gateway=203.0.113.1
                Metric=7

                [Route]
                Destination=2001:db9::/32
                Gateway=2001:db8::9

                """)
        #expect(
            try NetworkFileTests.text(IfupdownAdapter(), values) == """
                # Written by Cleat from network/interfaces/eth0.
                auto eth0
                iface eth0 inet static
                    address 192.0.2.1
                    netmask 255.255.255.0
                    up ip route add 203.0.113.1/32 dev eth0
                    up ip route add 10.0.0.0/8 via 203.0.113.1 dev eth0 metric 7
                    down ip route del 10.0.0.0/8 via 203.0.113.1 dev eth0 metric 7 || true
                    down ip route del 203.0.113.1/32 dev eth0 || true
                iface eth0 inet6 static
                    address 2001:db8::1
                    netmask 64
                    up ip -6 route add 2001:db9::/32 via 2001:db8::9 dev eth0
                    down ip -6 route del 2001:db9::/32 via 2001:db8::9 dev eth0 || true

                """)
        #expect(
            try NetworkFileTests.text(
                IfupdownAdapter(),
                [("eth0/dhcp", false), ("eth0/routes", Self.routes(("2001:db9::/32", nil, nil)))]
            ) == """
                # Written by Cleat from network/interfaces/eth0.
                auto eth0
                iface eth0 inet manual
                    up ip link set dev eth0 up
                    up ip -6 route add 2001:db9::/32 dev eth0
                    down ip -6 route del 2001:db9::/32 dev eth0 || true
                    down ip link set dev eth0 down

                """)
    }

    @Test("the text of a plan for routes")
    func effects() throws {
        let board = try TestBoard { root in
            try makeDirectories(root + "/etc/systemd/system/multi-user.target.wants/systemd-networkd.service")
        }
        func effects(_ old: [(String, JSONValue)], _ new: [(String, JSONValue)]) throws -> [String] {
            let (old, new) = (try InterfacesAdapterTests.settings(old), try InterfacesAdapterTests.settings(new))
            return board.set.plan(
                board.set.change(from: old, to: new), from: old, to: new, on: board.system, origins: [:]
            ).effects
        }
        let route = ("eth0/routes", Self.routes(("10.0.0.0/8", "192.0.2.9", nil)))
        #expect(try effects([], [route]) == ["eth0 sends 10.0.0.0/8 by 192.0.2.9"])
        #expect(try effects([route], []) == ["eth0 no longer sends 10.0.0.0/8 by 192.0.2.9"])
        #expect(
            try effects(Self.base, Self.base + [Self.gateway])
                == ["eth0 sends all other traffic by 192.0.2.9"])
        #expect(
            try effects([route], [("eth0/routes", Self.routes(("10.0.0.0/8", nil, 7)))]) == [
                "eth0 no longer sends 10.0.0.0/8 by 192.0.2.9", "eth0 sends 10.0.0.0/8 on the link, metric 7",
            ])
        #expect(try effects([route], [route, ("eth0/mtu", 1400)]).isEmpty)
    }
}

/// Tests of the kernel's routes, in a namespace.
@Suite(.tags(.board), .enabled(if: TestLink.isAvailable, "\(TestLink.reason)"))
struct InterfaceRouteKernelTests {
    @Test("only set routes, or routes in their place, are changed; replaced routes are restored")
    func others() async throws {
        try await OwnNamespaces.run {
            let link = try TestLink("cleat0")
            let board = try TestBoard(isRunning: true)
            var origins: [Resource: Memento] = [:]
            let routes = InterfaceRouteTests.routes
            func settings(_ values: (String, JSONValue)...) throws -> LayeredSettings {
                try InterfacesAdapterTests.settings(values.map { ("\(link.name)/\($0.0)", $0.1) })
            }
            func texts() throws -> [String] {
                try #require(try board.system.interface(link.name)).routes.map(\.text).sorted()
            }
            func add(_ third: UInt8, by origin: UInt8, gateway: UInt8) throws {
                let index = try #require(try InterfaceRevertTests.index())
                let interface = (0..<4).map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) }
                let request = RouteRequest(
                    .addRoute, body: [2, 24, 0, 0, 254, origin, 0, 1, 0, 0, 0, 0],
                    attributes: [(1, [10, 0, third, 0]), (5, [192, 0, 2, gateway]), (4, interface)].map {
                        RouteAttribute($0.0, $0.1)
                    })
                #expect(try SystemKernelCalls().exchange(request, again: {}, { _ in }) == nil)
            }
            let none = try settings()
            let address: (String, JSONValue) = ("addresses", ["192.0.2.1/24"])
            _ = try AppliedChange(board, from: none, to: settings(address), origins: &origins)
            origins = [:]
            // A route that was made by hand, one that is to be replaced, and one of a DHCP client.
            try add(1, by: 3, gateway: 9)
            try add(2, by: 3, gateway: 9)
            try add(3, by: 16, gateway: 9)
            let untouched = try kernelDump(link.name)
            let a = try settings(("routes", routes(("10.0.2.0/24", "192.0.2.7", nil), ("10.0.4.0/24", nil, 5))))
            let first = try AppliedChange(board, from: none, to: a, origins: &origins)
            try #require(first.isSuccess, "\(first.results)")
            #expect(
                try texts() == [
                    "10.0.1.0/24 via 192.0.2.9", "10.0.2.0/24 via 192.0.2.7", "10.0.3.0/24 via 192.0.2.9",
                    "10.0.4.0/24 metric 5",
                ])
            // One of the two is removed, and the route that it replaced is restored; the lease is renewed with another
            // route.
            let b = try settings(("routes", routes(("10.0.4.0/24", nil, 5))))
            let second = try AppliedChange(board, from: a, to: b, origins: &origins)
            try #require(second.isSuccess, "\(second.results)")
            #expect(second.change.parts.flatMap(\.steps).allSatisfy { $0.needsOrigin })
            try add(9, by: 16, gateway: 9)
            #expect(
                try texts() == [
                    "10.0.1.0/24 via 192.0.2.9", "10.0.2.0/24 via 192.0.2.9", "10.0.3.0/24 via 192.0.2.9",
                    "10.0.4.0/24 metric 5", "10.0.9.0/24 via 192.0.2.9",
                ])
            let last = try AppliedChange(board, from: b, to: none, origins: &origins)
            #expect(last.isSuccess)
            let leased = try kernelDump(link.name).filter { !untouched.contains($0) }
            #expect(leased.count == 1 && leased[0].contains("[10, 0, 9, 0]"), "what DHCP has brought stays: \(leased)")
        }
    }

    @Test("a route that another interface has already is refused in the kernel's words, and everything is reverted")
    func taken() async throws {
        try await OwnNamespaces.run {
            let link = try TestLink("cleat0")
            let other = try TestLink("cleat1", peer: "cleat-peer1")
            let board = try TestBoard(isRunning: true)
            var origins: [Resource: Memento] = [:]
            let routes = InterfaceRouteTests.routes(("10.0.0.0/8", nil, nil))
            let a = try InterfacesAdapterTests.settings([("\(other.name)/routes", routes)])
            _ = try AppliedChange(board, from: try board.settings([]), to: a, origins: &origins)
            let before = try kernelDump(link.name)
            let b = try InterfacesAdapterTests.settings([("\(link.name)/routes", routes)])
            // As if another program had made the first one.
            let change = try AppliedChange(board, from: try board.settings([]), to: b, origins: &origins)
            let error = change.results.flatMap(\.errors).first
            #expect(error?.stage == .apply && error?.errno == .fileExists, "\(change.results)")
            #expect(error?.resource == .interface(link.name), "\(change.results)")
            #expect(board.set.applier.restore(change.mementos, on: board.system).allSatisfy { $0.isSuccess })
            #expect(try kernelDump(link.name) == before)
        }
    }
}
