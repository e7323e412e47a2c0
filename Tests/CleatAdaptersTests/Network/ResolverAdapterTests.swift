import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// The resolver's file on boards where no program manages it.
@Suite struct ResolverAdapterTests {
    private static let values: [(String, JSONValue)] = [
        ("eth0/dns", ["192.0.2.53", "2001:db8::53"]), ("eth0/addresses", ["192.0.2.1/24"]), ("eth1/search", ["lan"]),
        ("eth1/addresses", ["198.51.100.1/24"]), ("eth2/dns", ["192.0.2.99"]), ("eth2/enabled", false),
    ]

    private static func board(_ files: [String] = [], link: String? = nil) throws -> TestBoard {
        try TestBoard(isRunning: true) { root in
            for path in ["/etc", "/run"] + files { try makeDirectories(root + path) }
            if let link { try makeLink(root + "/etc/resolv.conf", to: link) }
        }
    }

    private static func resolver(_ board: TestBoard) throws -> (any Adapter)? {
        board.set.adapters.first { $0.name == "resolver" }
    }

    private static func file(_ board: TestBoard, _ values: [(String, JSONValue)]) throws -> (
        path: String, text: String
    )? {
        let desired = try resolver(board)?.desired(try InterfacesAdapterTests.settings(values))
        guard let wanted = desired?.wanted.first, case .file(let file) = wanted.state else { return nil }
        return (wanted.resource.path ?? "", String(decoding: file.bytes, as: UTF8.self))
    }

    @Test("the file has the servers and domains of all interfaces, each once; without any it is not managed")
    func content() throws {
        let board = try Self.board()
        let file = try #require(try Self.file(board, Self.values + [("eth1/dns", ["192.0.2.53"])]))
        #expect(file.path == "/etc/resolv.conf")
        #expect(
            file.text == """
                # Written by Cleat from network/interfaces.
                search lan
                nameserver 192.0.2.53
                nameserver 2001:db8::53

                """)
        #expect(try Self.file(board, [("eth0/mtu", 1400), ("eth0/dns", []), ("eth0/search", [])]) == nil)
    }

    @Test("a link to /run/resolv.conf is followed; one to a file of another program is refused by its name")
    func links() throws {
        for target in ["../run/resolv.conf", "/run/resolv.conf", "/var/run/resolv.conf"] {
            #expect(try Self.file(try Self.board(link: target), Self.values)?.path == "/run/resolv.conf", "\(target)")
        }
        for (target, name) in [
            ("../run/systemd/resolve/stub-resolv.conf", "systemd-resolved"),
            ("/run/NetworkManager/x", "NetworkManager"),
            ("/run/resolvconf/resolv.conf", "resolvconf"), ("nowhere", "another program"), ("/dev/null", "another"),
        ] {
            let board = try Self.board(link: target)
            let adapter = try #require(try Self.resolver(board))
            let settings = try InterfacesAdapterTests.settings(Self.values)
            let problems = adapter.check(settings, adapter.desired(settings), on: board.system)
            #expect(problems.map(\.path.text) == ["network/interfaces/eth0/dns"], "\(problems)")
            #expect(problems.first?.reason.contains("a link to \(target): \(name)") == true, "\(problems)")
        }
    }

    @Test("ifupdown's DHCP client writes the file, too; with resolvconf, or another network service, Cleat does not")
    func services() throws {
        let ifupdown = try Self.board(["/sbin/ifup", "/etc/network/interfaces"])
        let adapter = try #require(try Self.resolver(ifupdown))
        let problems = adapter.desired(try InterfacesAdapterTests.settings([("eth0/dns", ["192.0.2.53"])])).problems
        #expect(problems.count == 1 && problems[0].reason.contains("the DHCP client of eth0 writes, too"))
        // That of another interface writes the same file.
        let other = Self.values + [("eth3/dhcp", true)]
        #expect(adapter.desired(try InterfacesAdapterTests.settings(other)).problems.count == 1)
        #expect(try Self.file(ifupdown, Self.values) != nil)
        #expect(
            try Self.resolver(try Self.board(["/sbin/ifup", "/etc/network/interfaces", "/sbin/resolvconf"])) == nil)
        #expect(
            try Self.resolver(
                try Self.board(["/etc/systemd/system/multi-user.target.wants/systemd-networkd.service"])) == nil)
    }

    @Test(
        "domains without servers would remove those that are there; the kernel alone has no resolvconf that reads them")
    func kernel() throws {
        let board = try Self.board(["/sbin/resolvconf"])
        let adapter = try #require(try Self.resolver(board))
        let values: [(String, JSONValue)] = [("eth1/search", ["lan"]), ("eth1/addresses", ["198.51.100.1/24"])]
        let problems = adapter.desired(try InterfacesAdapterTests.settings(values)).problems
        #expect(
            problems.map(\.path.text) == ["network/interfaces/eth1/search"] && problems[0].reason.contains("set dns"))
    }

    @Test("a link that replaces the file that Cleat has written is an outside edit, and no reason to refuse others")
    func replaced() throws {
        let board = try Self.board(link: "../run/systemd/resolve/stub-resolv.conf")
        let adapter = try #require(try Self.resolver(board))
        let settings = try InterfacesAdapterTests.settings(Self.values)
        let known = board.system.knowing { $0 == .file("/etc/resolv.conf") }
        #expect(adapter.check(settings, adapter.desired(settings), on: known).isEmpty)
    }

    @Test("programs ask three servers only; more are refused")
    func many() throws {
        let adapter = try #require(try Self.resolver(try Self.board()))
        let values = Self.values + [("eth1/dns", ["192.0.2.54", "192.0.2.55"])]
        let problems = adapter.desired(try InterfacesAdapterTests.settings(values)).problems
        #expect(problems.map(\.path.text) == ["network/interfaces/eth1/dns"])
    }
}
