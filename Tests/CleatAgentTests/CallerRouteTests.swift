import CleatAPI
import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatAgent

/// Tests of a plan's effect on the caller's connection.
@Suite("The caller's own connection", .tags(.board))
struct CallerRouteTests {
    private static let links = [
        Link(
            index: 2, name: "eth0", type: "ether", state: "up", carrier: true, up: true, mtu: 1500,
            addresses: ["192.0.2.7/24", "2001:db8::7/64"]),
        Link(
            index: 3, name: "eth1", type: "ether", state: "up", carrier: true, up: true, mtu: 1500,
            addresses: ["198.51.100.7/24"]),
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        var address: String?
        var touched: [String]
        var settings: [(String, JSONValue)] = []
        var wanted: ChangePlan.Connection
        var word: String
        var testDescription: String { "\(address ?? "none") \(touched) \(settings)" }
    }

    @Test(
        "It stays, ends, or is unknown",
        arguments: [
            Case(address: nil, touched: [], wanted: .kept, word: "no network interface"),
            Case(address: "192.0.2.7", touched: [], wanted: .kept, word: "no network interface"),
            Case(address: nil, touched: ["eth0"], wanted: .unknown, word: "your SSH session could not be determined"),
            Case(address: "203.0.113.1", touched: ["eth0"], wanted: .unknown, word: "no interface has"),
            Case(address: "192.0.2.7", touched: ["eth1"], wanted: .kept, word: "eth0, which does not change"),
            Case(address: "2001:db8::7", touched: ["eth1", "wlan0"], wanted: .kept, word: "does not change"),
            Case(
                address: "192.0.2.7", touched: ["eth0"], settings: [("addresses", ["192.0.2.8/24"])], wanted: .cut,
                word: "loses this address"),
            Case(
                address: "192.0.2.7", touched: ["eth0"], settings: [("addresses", ["192.0.2.8/24", "192.0.2.7/16"])],
                wanted: .kept, word: "keeps this address"),
            Case(
                address: "192.0.2.7", touched: ["eth0"],
                settings: [("enabled", false), ("addresses", ["192.0.2.7/24"])], wanted: .cut, word: "switched off"),
            Case(
                address: "192.0.2.7", touched: ["eth0"], settings: [("dhcp", true)], wanted: .unknown,
                word: "may get another"),
            Case(
                address: "192.0.2.7", touched: ["eth0"], settings: [("mtu", 1400)], wanted: .unknown,
                word: "may get another"),
        ])
    func outlook(_ item: Case) throws {
        let settings = LayeredSettings(
            schema: .builtIn,
            committed: SettingsTree(
                try item.settings.map { (try SettingPath("network/interfaces/eth0/" + $0.0), $0.1) }))
        let route = CallerRoute(address: item.address, links: Self.links)
        let (connection, reason) = route.outlook(
            on: item.touched, from: LayeredSettings(schema: .builtIn), after: settings)
        #expect(connection == item.wanted && reason.contains(item.word), "\(connection) \(reason)")
    }

    @Test("The addresses of the board are reported if the caller's own interface changes")
    func reach() throws {
        func reach(_ address: String?, _ settings: [String: JSONValue]) throws -> Reach? {
            let paths = try settings.keys.map { try SettingPath($0) }
            let tree = SettingsTree(try settings.map { (try SettingPath($0.key), $0.value) })
            return CallerRoute(address: address, links: Self.links).reach(
                touching: paths, after: LayeredSettings(schema: .builtIn, committed: tree))
        }
        let moved: [String: JSONValue] = ["network/interfaces/eth0/addresses": ["192.0.2.8/24", "2001:db8::7/64"]]
        #expect(
            try reach("192.0.2.7", moved)
                == Reach(link: "eth0", address: "192.0.2.7", old: ["192.0.2.7"], new: ["192.0.2.8", "2001:db8::7"]))
        #expect(try reach("198.51.100.7", moved) == nil)
        #expect(try reach(nil, moved) == nil)
        #expect(try reach("203.0.113.1", moved) == nil)
        let dynamic = try reach("192.0.2.7", ["network/interfaces/eth0/dhcp": true])
        #expect(dynamic?.new == [] && dynamic?.old == ["192.0.2.7", "2001:db8::7"])
        let off = try reach(
            "192.0.2.7",
            ["network/interfaces/eth0/enabled": false, "network/interfaces/eth0/addresses": ["192.0.2.8/24"]])
        #expect(off?.new == [])
    }

    @Test("A missing route to the caller ends the connection, and a changed one is reported")
    func ways() throws {
        typealias Values = [(String, JSONValue)]
        let base: Values = [("eth0/addresses", ["192.0.2.7/24"])]
        let route: (String, String?) -> JSONValue = { to, via in
            var value: JSONObject = ["destination": .string(to)]
            if let via { value["gateway"] = .string(via) }
            return .array([.object(value)])
        }
        let cases: [(client: String, before: Values, after: Values, wanted: ChangePlan.Connection, word: String)] = [
            ("192.0.2.99", base, base + [("eth0/routes", route("10.0.0.0/8", "192.0.2.1"))], .kept, "keeps this"),
            (
                "10.1.1.1", base + [("eth0/routes", route("10.0.0.0/8", "192.0.2.1"))], base, .cut,
                "by 192.0.2.1 through eth0"
            ),
            ("10.1.1.1", base + [("eth0/gateway", "192.0.2.1")], base, .cut, "no route leads there"),
            (
                "10.1.1.1", base + [("eth0/gateway", "192.0.2.1")],
                base + [("eth0/gateway", "192.0.2.1"), ("eth0/routes", route("10.1.0.0/16", "192.0.2.2"))], .unknown,
                "will be sent by 192.0.2.2 through eth0"
            ),
            (
                "10.1.1.1", base + [("eth0/gateway", "192.0.2.1")],
                base + [("eth0/gateway", "192.0.2.1"), ("eth1/routes", route("10.0.0.0/8", nil))], .unknown,
                "will be sent through eth1"
            ),
            (
                "10.1.1.1", base + [("eth0/gateway", "192.0.2.1")],
                base + [("eth0/gateway", "192.0.2.1"), ("eth1/routes", route("10.2.0.0/16", nil))], .kept, "keeps this"
            ),
            ("10.1.1.1", base, base + [("eth0/gateway", "192.0.2.1")], .unknown, "by the system's own routes"),
            ("192.0.2.99", base, base + [("eth1/routes", route("192.0.2.96/28", nil))], .unknown, "through eth1"),
            ("2001:db8::9", base, base + [("eth0/routes", route("2001:db9::/32", "2001:db8::1"))], .kept, "keeps this"),
        ]
        for item in cases {
            func settings(_ values: Values) throws -> LayeredSettings {
                LayeredSettings(
                    schema: .builtIn,
                    committed: SettingsTree(
                        try values.map { (try SettingPath("network/interfaces/" + $0.0), $0.1) }))
            }
            let route = CallerRoute(address: "192.0.2.7", client: item.client, links: Self.links)
            let (connection, reason) = route.outlook(
                on: ["eth0", "eth1"], from: try settings(item.before), after: try settings(item.after))
            #expect(connection == item.wanted && reason.contains(item.word), "\(item): \(connection) \(reason)")
        }
    }

    @Test("The address is the third word of SSH_CONNECTION, and invalid texts have none")
    func environment() {
        func address(_ variables: String...) -> String? {
            CallerRoute.session(inEnvironment: Array(variables.joined(separator: "\0").utf8))?.address
        }
        #expect(address("HOME=/", "SSH_CONNECTION=198.51.100.9 5022 192.0.2.7 22", "TERM=x") == "192.0.2.7")
        #expect(address("SSH_CONNECTION=fe80::1%eth0 5022 fe80::2%eth0 22") == "fe80::2")
        #expect(address("XSSH_CONNECTION=1 2 3 4", "SSH_CONNECTION_=1 2 3 4") == nil)
        for text in ["", "a", "a b c", "a b c d e", "   "] { #expect(address("SSH_CONNECTION=\(text)") == nil) }
        #expect(CallerRoute.session(inEnvironment: Array("SSH_CONNECTION=a b \u{80} d".utf8) + [0xff]) == nil)
        #expect(CallerRoute.session(inEnvironment: []) == nil)
        let session = CallerRoute.session(inEnvironment: Array("SSH_CONNECTION=fe80::1%eth0 5022 fe80::2 22".utf8))
        #expect(session?.client == "fe80::1")
        #expect(CallerRoute.session(inEnvironment: Array("SSH_CONNECTION=a 5022 fe80::2 22".utf8)) == nil, "no address")
    }

    @Test("The parent of a process is found behind a name of any kind")
    func parent() {
        func parent(_ text: String) -> Int32? { CallerRoute.parent(inStatus: Array(text.utf8)) }
        #expect(parent("17 (sh) S 4 17 17 0") == 4)
        #expect(parent("17 (a) S 9 (b) R 5 17 17 0") == 5)
        for text in ["", ")", "17 (sh", "17 (sh) S", "17 (sh) S x"] { #expect(parent(text) == nil) }
    }

    @Test("A plan that is too long is truncated, differences first, and the omitted parts are counted")
    func bounded() {
        let step = PlannedStep(
            adapter: "a", kind: "file", resource: "/f", action: .change,
            diff: String(repeating: "+line\n", count: 100))
        var plan = ChangePlan()
        plan.fill(Array(repeating: step, count: 50), differenceBytes: 2_000, bytes: 4_000)
        #expect(plan.steps.first?.diff != nil && plan.steps.last?.diff == nil)
        #expect(plan.steps.last?.note?.contains("exceeds the size of one reply") == true)
        #expect(plan.steps.count + (plan.omitted ?? 0) == 50 && plan.omitted ?? 0 > 0)
        let size = JSONWriter.write(.object(plan.wire), style: .compact).utf8.count
        #expect((1_000...4_500).contains(size), "\(size)")
    }

    @Test("A rehearsal has its own id, and its request is not that of the change")
    func intent() throws {
        func read(check: Bool? = nil, plan: Bool? = nil, rehearse: Bool? = nil, window: Int64? = nil) throws
            -> ChangeIntent
        {
            try ChangeIntent(check: check, plan: plan, rehearse: rehearse, window: window)
        }
        #expect(try read() == .make && read(plan: false, rehearse: false) == .make)
        #expect(try read(check: true) == .check && read(check: true, plan: true) == .plan)
        #expect(try read(rehearse: true) == .rehearse)
        for bad in [
            { try read(check: true, rehearse: true) }, { try read(plan: true, rehearse: true) },
            { try read(rehearse: true, window: 5_000) },
        ] {
            #expect(throws: APIError.self) { try bad() }
        }
        #expect(ChangeIntent.make.hash("x") == "x" && ChangeIntent.plan.hash("x") == "x")
        #expect(ChangeIntent.rehearse.hash("x") != "x")
        #expect(ChangeIntent.rehearse.writes && ChangeIntent.make.writes && !ChangeIntent.plan.writes)
    }
}
