import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// For random interfaces and random settings A and B: applying B and reverting leaves what A left, as the kernel lists it;
/// unsetting all leaves what was there before the first change.
@Suite(.tags(.board), .enabled(if: TestLink.isAvailable, "\(TestLink.reason)"))
struct InterfaceRevertTests {
    static let name = "cleat0"

    /// Makes requests as another program does, before the change.
    static func prepare(_ board: TestBoard, using random: inout SeededGenerator) throws {
        func ask(_ kind: RouteRequest.Kind, _ body: [UInt8], _ attributes: [(UInt16, [UInt8])]) throws {
            let request = RouteRequest(kind, body: body, attributes: attributes.map { RouteAttribute($0.0, $0.1) })
            // Random routes may have no way to their gateway.
            _ = try SystemKernelCalls().exchange(request, again: {}, { _ in })
        }
        let number = try #require(try index())
        let interface = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        let up = Bool.random(using: &random)
        if up { try ask(.setLink, [0, 0, 0, 0] + interface + [1, 0, 0, 0, 1, 0, 0, 0], []) }
        if Bool.random(using: &random) {
            try ask(.setLink, [0, 0, 0, 0] + interface + [UInt8](repeating: 0, count: 8), [(4, [0x78, 5, 0, 0])])
        }
        for host in 1..<UInt8.random(in: 1...6, using: &random) {
            let net = UInt8.random(in: 1...2, using: &random)
            let v4: [UInt8] = [192, 0, net, host]
            let peer = Int.random(in: 0...5, using: &random) == 0
            var attributes: [(UInt16, [UInt8])] = [(2, v4), (1, peer ? [198, 51, 100, host] : v4)]
            if Bool.random(using: &random) { attributes.append((3, Array("\(name):\(host)".utf8) + [0])) }
            if Bool.random(using: &random) { attributes.append((4, [192, 0, net, 255])) }
            if Int.random(in: 0...3, using: &random) == 0 {
                attributes.append((6, [0x10, 0x0e, 0, 0, 0x20, 0x1c, 0, 0] + [UInt8](repeating: 0, count: 8)))
            }
            if Int.random(in: 0...3, using: &random) == 0 { attributes.append((8, [0, 2, 0, 0])) }
            if Int.random(in: 0...3, using: &random) == 0 { attributes.append((9, [host, 0, 0, 0])) }
            let prefix: UInt8 = peer ? 32 : 24
            try ask(.addAddress, [2, prefix, 0, 0] + interface, attributes)
        }
        for host in 1..<UInt8.random(in: 1...4, using: &random) {
            let v6: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host]
            var attributes: [(UInt16, [UInt8])] = [(2, v6), (1, v6)]
            if Bool.random(using: &random) { attributes.append((8, [2, 0, 0, 0])) }
            try ask(.addAddress, [10, 64, 0, 0] + interface, attributes)
        }
        for number in 1..<UInt8.random(in: 1...6, using: &random) {
            let metric: [UInt8] = [number, 0, 0, 0]
            switch Int.random(in: 0...4, using: &random) {
            case 0:
                try ask(
                    .addRoute, [2, 0, 0, 0, 254, 4, 0, 1, 0, 0, 0, 0],
                    [(5, [192, 0, 1, 254]), (4, interface), (6, metric)])
            case 1:
                try ask(
                    .addRoute, [2, 8, 0, 0, 254, 3, 253, 1, 0, 0, 0, 0],
                    [(1, [10, 0, 0, 0]), (4, interface), (6, metric)])
            case 2:
                try ask(
                    .addRoute, [2, 16, 0, 0, 254, 16, 0, 1, 4, 0, 0, 0],
                    [(1, [172, 16, 0, 0]), (5, [203, 0, 113, number]), (4, interface), (6, metric)])
            case 3:
                try ask(
                    .addRoute, [10, 0, 0, 0, 254, 4, 0, 1, 0, 0, 0, 0],
                    [
                        (5, [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe]), (4, interface), (6, metric),
                    ])
            default:
                try ask(
                    .addRoute, [2, 32, 0, 0, 254, 4, 0, 1, 0, 0, 0, 0],
                    [
                        (1, [203, 0, 113, number]), (5, [192, 0, 1, 253]), (4, interface), (7, [192, 0, 1, 1]),
                        (8, [8, 0, 2, 0, 0x14, 5, 0, 0]),
                    ])
            }
        }
    }

    static func index() throws -> UInt32? {
        let text = try SystemKernelCalls().read(attribute: "/sys/class/net/\(name)/ifindex")
        return UInt32(String(decoding: text, as: UTF8.self).filter(\.isNumber))
    }

    static func values(using random: inout SeededGenerator) -> [(String, JSONValue)] {
        let choices: [(String, [JSONValue])] = [
            ("enabled", [true, false]), ("mtu", [1280, 1400, 1500]),
            (
                "addresses",
                [
                    [], ["192.0.1.1/24"], ["192.0.2.2/24", "192.0.2.3/24", "2001:db8::5/64"],
                    ["192.0.1.9/16", "198.51.100.1/32"], ["2001:db8::1/64", "2001:db8::2/64", "192.0.1.3/24"],
                ]
            ),
        ]
        var values: [(String, JSONValue)] = choices.compactMap { key, values in
            guard Bool.random(using: &random) else { return nil }
            return values.randomElement(using: &random).map { ("network/interfaces/\(name)/\(key)", $0) }
        }
        let addresses = values.first { $0.0.utf8.elementsEqual("network/interfaces/\(name)/addresses".utf8) }?.1
        let gateway: String? =
            switch addresses?.arrayValue?.first?.stringValue {
            case "192.0.1.1/24", "192.0.1.9/16": "192.0.1.200"
            case "2001:db8::1/64": "2001:db8::fe"
            default: nil
            }
        if let gateway, Bool.random(using: &random) {
            values.append(("network/interfaces/\(name)/gateway", .string(gateway)))
        }
        let routes = routes(by: gateway, using: &random)
        if Bool.random(using: &random) { values.append(("network/interfaces/\(name)/routes", .array(routes))) }
        return values
    }

    /// Routes of which some take the place of those that are there already.
    static func routes(by gateway: String?, using random: inout SeededGenerator) -> [JSONValue] {
        let metric = Int64.random(in: 1...5, using: &random)
        var choices: [JSONValue] = [
            ["destination": "10.0.0.0/8", "metric": .integer(metric)], ["destination": "203.0.113.1/32"],
            ["destination": "172.16.0.0/16", "metric": .integer(metric)],
            ["destination": "2001:db8:5::/48", "metric": .integer(metric)], ["destination": "2001:db8:6::/64"],
        ]
        if let gateway {
            let via = JSONValue.string(gateway)
            let isIPv6 = gateway.utf8.contains(UInt8(ascii: ":"))
            choices += [
                [
                    "destination": isIPv6 ? "::/0" : "0.0.0.0/0", "gateway": via,
                    "metric": .integer(metric),
                ],
                ["destination": isIPv6 ? "2001:db8:7::/48" : "198.18.0.0/15", "gateway": via],
            ]
        }
        return choices.filter { _ in Int.random(in: 0...2, using: &random) == 0 }
    }

    static func check(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let link = try TestLink(name, peerIsUp: Bool.random(using: &random))
        let board = try TestBoard(isRunning: true)
        try prepare(board, using: &random)
        let (a, b) = (values(using: &random), values(using: &random))
        let (settingsA, settingsB) = (try board.settings(a), try board.settings(b))
        let none = try board.settings([])
        var origins: [Resource: Memento] = [:]

        let untouched = try kernelDump(link.name)
        let first = try AppliedChange(board, from: none, to: settingsA, origins: &origins)
        try #require(first.isSuccess, "seed \(seed): \(first.results.flatMap(\.errors))")
        if a.isEmpty { expect(try kernelDump(link.name), untouched, "seed \(seed)") }
        try expect(a, on: board, "seed \(seed), A")
        try expectNoDrift(settingsA, board, "seed \(seed), A")

        let atA = try kernelDump(link.name)
        let second = try AppliedChange(board, from: settingsA, to: settingsB, origins: &origins)
        try #require(second.isSuccess, "seed \(seed): \(second.results.flatMap(\.errors))")
        try expect(b, on: board, "seed \(seed), B")
        try expectNoDrift(settingsB, board, "seed \(seed), B")
        let reverted = board.set.applier.restore(second.mementos, on: board.system)
        #expect(reverted.flatMap(\.errors).isEmpty, "seed \(seed): \(reverted.flatMap(\.errors))")
        expect(try kernelDump(link.name), atA, "seed \(seed): revert of \(b) to \(a)")

        let last = try AppliedChange(board, from: settingsA, to: none, origins: &origins)
        #expect(last.isSuccess, "seed \(seed)")
        expect(try kernelDump(link.name), untouched, "seed \(seed): unset of \(a)")
    }

    static func expect(_ dump: [String], _ wanted: [String], _ comment: String) {
        #expect(dump == wanted, "\(comment): \(dump.difference(from: wanted))")
    }

    static func expectNoDrift(_ settings: LayeredSettings, _ board: TestBoard, _ comment: Comment) throws {
        let drift = board.set.reconcile(settings, known: [:], .inspect, on: board.system).drift
        #expect(drift.isEmpty, comment)
    }

    /// The kernel has what is set.
    static func expect(_ values: [(String, JSONValue)], on board: TestBoard, _ comment: Comment) throws {
        let snapshot = try #require(try board.system.interface(name))
        func value(_ key: String) -> JSONValue? {
            values.first { $0.0.utf8.elementsEqual("network/interfaces/\(name)/\(key)".utf8) }?.1
        }
        if let enabled = value("enabled")?.boolValue { #expect(snapshot.isUp == enabled, comment) }
        if let mtu = value("mtu")?.integerValue { #expect(Int64(snapshot.mtu) == mtu, comment) }
        guard value("enabled")?.boolValue != false else { return }
        if let addresses = value("addresses")?.arrayValue?.compactMap(\.stringValue) {
            #expect(Set(snapshot.addresses.compactMap { $0.address?.description }) == Set(addresses), comment)
            #expect(snapshot.addresses.count == addresses.count, comment)
        }
        if let gateway = value("gateway")?.stringValue {
            #expect(snapshot.defaultGateways.contains(gateway), comment)
        }
        for route in value("routes")?.arrayValue ?? [] {
            let words = try #require(route["destination"]?.stringValue)
            let start = words.hasSuffix("/0") ? "default" : words
            let end = route["metric"]?.integerValue.map { " metric \($0)" } ?? ""
            let text = start + (route["gateway"]?.stringValue.map { " via \($0)" } ?? "") + end
            #expect(
                snapshot.routes.contains { $0.text == text }, "\(comment): \(text) in \(snapshot.routes.map(\.text))")
        }
    }

    @Test("random interfaces and settings, in namespaces")
    func revert() async throws {
        try await OwnNamespaces.run {
            // Duplicate detection would only be done a second after the test has looked.
            for name in ["all", "default"] {
                try? SystemKernelCalls().write(
                    Array("0\n".utf8), toAttribute: "/proc/sys/net/ipv6/conf/\(name)/accept_dad")
            }
            for seed in TestMachine.seeds(60, briefly: 6) { try Self.check(seed: seed) }
        }
    }
}
