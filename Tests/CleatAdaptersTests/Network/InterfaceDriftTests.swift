import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of outside changes of an interface, in a namespace.
@Suite(.tags(.board), .enabled(if: TestLink.isAvailable, "\(TestLink.reason)"))
struct InterfaceDriftTests {
    /// A request of another program.
    struct Outside: Sendable {
        var kind: RouteRequest.Kind
        var body: [UInt8]
        var attributes: [(UInt16, [UInt8])] = []

        func make() throws {
            let index = try #require(try InterfaceRevertTests.index())
            let interface: [UInt8] = (0..<4).map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) }
            let isLink = kind == .setLink
            let isRoute = kind == .addRoute || kind == .removeRoute
            let head: [UInt8] =
                isLink ? [0, 0, 0, 0] + interface + body : isRoute ? body : body + interface
            var all = attributes.map { RouteAttribute($0.0, $0.1) }
            if isRoute { all.append(RouteAttribute(4, interface)) }
            let request = RouteRequest(kind, body: head, attributes: all)
            #expect(try SystemKernelCalls().exchange(request, again: {}, { _ in }) == nil)
        }
    }

    static func address(_ kind: RouteRequest.Kind, _ host: UInt8, life: [UInt8]? = nil) -> Outside {
        let bytes: [UInt8] = [192, 0, 2, host]
        var more: [(UInt16, [UInt8])] = []
        if let life { more.append((6, life + life + [UInt8](repeating: 0, count: 8))) }
        return Outside(kind: kind, body: [2, 24, 0, 0], attributes: [(2, bytes), (1, bytes)] + more)
    }

    static func route(_ kind: RouteRequest.Kind, _ destination: UInt8?, by host: UInt8, type: UInt8 = 1) -> Outside {
        let attributes: [(UInt16, [UInt8])] = destination.map { [(1, [10, $0, 0, 0])] } ?? []
        return Outside(
            kind: kind, body: [2, destination == nil ? 0 : 16, 0, 0, 254, 4, 0, type, 0, 0, 0, 0],
            attributes: attributes + [(5, [192, 0, 2, host])])
    }

    static func link(_ flags: UInt8, mtu: UInt8? = nil) -> Outside {
        Outside(
            kind: .setLink, body: [flags, 0, 0, 0, 1, 0, 0, 0],
            attributes: mtu.map { [(4, [$0, 5, 0, 0])] } ?? [])
    }

    @Test("a lost default route with a metric is reported, and cannot be adopted: it is that of two settings")
    func ranked() async throws {
        try await OwnNamespaces.run {
            let link = try TestLink("cleat0")
            let board = try TestBoard(isRunning: true)
            let settings = try InterfacesAdapterTests.settings([
                ("cleat0/addresses", ["192.0.2.1/24"]), ("cleat0/gateway", "192.0.2.9"), ("cleat0/metric", 7),
            ])
            var origins: [Resource: Memento] = [:]
            let first = try AppliedChange(board, from: try board.settings([]), to: settings, origins: &origins)
            try #require(first.isSuccess, "\(first.results)")
            #expect(board.set.reconcile(settings, known: [:], .inspect, on: board.system).drift.isEmpty)
            var lost = Self.route(.removeRoute, nil, by: 9)
            lost.attributes.append((6, [7, 0, 0, 0]))
            try lost.make()
            #expect(try kernelDump(link.name).isEmpty == false)
            let found = board.set.reconcile(settings, known: [:], .inspect, on: board.system)
            guard case .differs(let differences)? = found.drift.first?.kind else {
                Issue.record("no drift")
                return
            }
            #expect(differences.map(\.words) == ["lacks the route default via 192.0.2.9 metric 7"], "\(differences)")
            #expect(
                differences.allSatisfy {
                    if case .impossible(let reason) = $0.adoption {
                        reason.contains("gateway and metric")
                    } else {
                        false
                    }
                },
                "\(differences)")
        }
    }

    @Test("each change is named, repaired, and adopted as its settings")
    func differences() async throws {
        let routes = InterfaceRouteTests.routes
        let all: [(String, JSONValue)] = [
            ("cleat0/addresses", ["192.0.2.1/24"]), ("cleat0/gateway", "192.0.2.9"), ("cleat0/mtu", 1400),
            ("cleat0/routes", routes(("10.1.0.0/16", "192.0.2.7", nil), ("10.2.0.0/16", "192.0.2.7", nil))),
        ]
        let kept = routes(("10.2.0.0/16", "192.0.2.7", nil)).arrayValue ?? []
        let other = routes(("10.1.0.0/16", "192.0.2.8", nil)).arrayValue ?? []
        let cases: [(outside: [Outside], words: [String], adopted: [String: JSONValue], refused: String?)] = [
            ([Self.link(1, mtu: 20)], ["has the MTU 1300 instead of 1400"], ["mtu": 1300], nil),
            ([Self.link(0)], ["is switched off"], ["enabled": false], nil),
            (
                [Self.address(.addAddress, 77)], ["also has the address 192.0.2.77/24"],
                ["addresses": ["192.0.2.1/24", "192.0.2.77/24"]], nil
            ),
            (
                [Self.address(.addAddress, 77, life: [100, 0, 0, 0])], ["also has the address 192.0.2.77/24"], [:],
                "limited lifetime"
            ),
            (
                [Self.route(.removeRoute, 1, by: 7)], ["lacks the route 10.1.0.0/16 via 192.0.2.7"],
                ["routes": .array(kept)], nil
            ),
            (
                [Self.route(.removeRoute, 1, by: 7), Self.route(.addRoute, 1, by: 8)],
                ["lacks the route 10.1.0.0/16 via 192.0.2.7, has the route 10.1.0.0/16 via 192.0.2.8 instead"],
                ["routes": .array(other + kept)], nil
            ),
            (
                [Self.route(.removeRoute, nil, by: 9), Self.route(.addRoute, nil, by: 8)],
                ["lacks the route default via 192.0.2.9, has the route default via 192.0.2.8 instead"],
                ["gateway": "192.0.2.8"], nil
            ),
            (
                [Self.route(.removeRoute, nil, by: 9)], ["lacks the route default via 192.0.2.9"], [:],
                "unset the setting"
            ),
            ([Self.route(.addRoute, 9, by: 9)], [], [:], nil),
        ]
        try await OwnNamespaces.run {
            let link = try TestLink("cleat0")
            let board = try TestBoard(isRunning: true)
            let settings = try InterfacesAdapterTests.settings(all)
            var origins: [Resource: Memento] = [:]
            let first = try AppliedChange(board, from: try board.settings([]), to: settings, origins: &origins)
            try #require(first.isSuccess, "\(first.results)")
            let wanted = try kernelDump(link.name)
            for item in cases {
                for outside in item.outside { try outside.make() }
                let found = board.set.reconcile(settings, known: [:], .inspect, on: board.system)
                #expect(found.change.isEmpty)
                var differences: [InterfaceDifference] = []
                if case .differs(let all)? = found.drift.first?.kind { differences = all }
                #expect(differences.map(\.words) == item.words)
                var adopted: [String: JSONValue] = [:]
                for difference in differences {
                    switch difference.adoption {
                    case .value(let value): adopted[difference.setting?.name ?? ""] = value
                    case .impossible(let reason): #expect(item.refused.map { reason.contains($0) } == true, "\(reason)")
                    }
                }
                #expect(adopted == item.adopted)
                if !adopted.isEmpty {
                    var values = all.filter { adopted[String($0.0.dropFirst("cleat0/".count))] == nil }
                    for (key, value) in adopted { values.append(("cleat0/" + key, value)) }
                    let taken = try InterfacesAdapterTests.settings(values)
                    #expect(
                        board.set.reconcile(taken, known: [:], .inspect, on: board.system).drift.isEmpty, "\(adopted)")
                }
                // A start of the service leaves it, a repair does not, and leaves what it has not said anything about.
                #expect(board.set.reconcile(settings, known: [:], .restart, on: board.system).change.isEmpty)
                guard !item.words.isEmpty else {
                    try Self.route(.removeRoute, 9, by: 9).make()
                    continue
                }
                let repair = board.set.reconcile(
                    settings, known: [:], .repair([.interface(link.name)]), on: board.system)
                #expect(
                    board.set.applier.apply(repair.change, on: board.system, origins: [:]).allSatisfy { $0.isSuccess })
                #expect(try kernelDump(link.name) == wanted, "\(item.words)")
            }
        }
    }
}
