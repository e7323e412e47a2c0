import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of Cleat's own profiles of NetworkManager, and of those of others.
@Suite struct NetworkManagerFileTests {
    private static let unit = "etc/systemd/system/multi-user.target.wants/NetworkManager.service"
    private static let directory = "/etc/NetworkManager/system-connections"

    private static func text(_ values: [(String, JSONValue)]) throws -> String {
        let wanted = NetworkManagerAdapter().desired(try InterfacesAdapterTests.settings(values)).wanted
        guard case .file(let file) = try #require(wanted.first).state else { return "" }
        #expect(file.permissions == 0o600)
        return String(decoding: file.bytes, as: UTF8.self)
    }

    private static func board(_ profiles: [String: String] = [:]) throws -> TestBoard {
        let board = try TestBoard { root in
            try makeDirectories(root + "/" + unit)
            for path in [directory, "/run/NetworkManager/system-connections"] { try makeDirectories(root + path) }
        }
        for (path, text) in profiles { try board.directory.write(text, to: "root" + path) }
        return board
    }

    private static func problems(_ board: TestBoard, _ values: [(String, JSONValue)]) throws -> [String] {
        let settings = try InterfacesAdapterTests.settings(values)
        let adapter = try #require(board.set.networkAdapter)
        return adapter.check(settings, adapter.desired(settings), on: board.system).map(\.reason)
    }

    @Test("A profile has the addresses, routes and name servers by their families")
    func profile() throws {
        let routes = InterfaceRouteTests.routes(
            ("10.0.0.0/8", "192.0.2.8", 7), ("203.0.113.0/24", nil, nil), ("198.18.0.0/15", nil, 9),
            ("2001:db9::/32", "2001:db8::9", nil))
        let values = NetworkFileTests.whole + [("cleat0/routes", routes)]
        let text = try Self.text(values)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let id = try #require(lines.first { $0.hasPrefix("uuid=") }).dropFirst(5)
        // RFC 9562, version 8.
        #expect(id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        #expect(id.split(separator: "-")[2].first == "8" && id.split(separator: "-")[3].first == "8")
        #expect(
            text == """
                # Written by Cleat from network/interfaces/cleat0.
                [connection]
                id=cleat-cleat0
                uuid=\(id)
                type=ethernet
                interface-name=cleat0
                autoconnect-priority=999
                autoconnect-retries=0

                [ethernet]
                mtu=1400

                [ipv4]
                method=manual
                address1=192.0.2.1/24
                address2=198.51.100.1/24
                gateway=192.0.2.9
                route1=203.0.113.0/24
                route2=198.18.0.0/15,0.0.0.0,9
                route3=10.0.0.0/8,192.0.2.8,7
                dns=192.0.2.53;

                [ipv6]
                method=auto
                address1=2001:db8::1/64
                route1=2001:db9::/32,2001:db8::9

                """)
        // Another interface has another id, and the same one always has the same.
        #expect(try Self.text([("cleat1/mtu", 1400)]).contains("uuid=\(id)") == false)
        #expect(try Self.text([("cleat0/mtu", 1500)]).contains("uuid=\(id)"))
    }

    @Test("DHCP is never given up; a gateway without an address is a route; no address at all switches IPv4 off")
    func methods() throws {
        let leased = try Self.text([("eth0/dhcp", true), ("eth0/gateway", "192.0.2.9")])
        #expect(
            leased.contains("[ipv4]\nmethod=auto\ndhcp-timeout=2147483647\nroute1=0.0.0.0/0,192.0.2.9\n"), "\(leased)")
        let off = try Self.text([("eth0/dhcp", false), ("eth0/gateway", "fe80::1")])
        #expect(off.contains("[ipv4]\nmethod=disabled\n\n[ipv6]\nmethod=link-local\nroute1=::/0,fe80::1\n"), "\(off)")
        // Without IPv4, NetworkManager ends the configuration where there is no router advertisement.
        let six = try Self.text([("eth0/addresses", ["2001:db8::5/64"])])
        #expect(six.hasSuffix("[ipv4]\nmethod=disabled\n\n[ipv6]\nmethod=manual\naddress1=2001:db8::5/64\n"), "\(six)")
        let problems = try Self.problems(
            try Self.board(), [("eth0/addresses", ["2001:db8::5/64"]), ("eth0/dns", ["192.0.2.53"])])
        #expect(problems.count == 1 && problems[0].contains("name server of IPv4"), "\(problems)")
        let ignored = try Self.text([("eth0/enabled", false), ("eth0/mtu", 1400)])
        #expect(
            ignored == """
                # Written by Cleat from network/interfaces/eth0.
                [device-cleat-eth0]
                match-device=interface-name:=eth0
                managed=0

                """)
    }

    @Test("The use of IPv6, search domains and the metric of default routes are those of the settings")
    func families() throws {
        func text(_ values: (String, JSONValue)...) throws -> String {
            let text = try Self.text(values.map { ("eth0/" + $0.0, $0.1) })
            return String(text[try #require(text.firstRange(of: "[ipv4]")).lowerBound...])
        }
        let leased = "[ipv4]\nmethod=auto\ndhcp-timeout=2147483647\n"
        #expect(try text(("ipv6", "off")) == leased + "\n[ipv6]\nmethod=disabled\n")
        #expect(try text(("ipv6", "static")) == leased + "\n[ipv6]\nmethod=link-local\n")
        #expect(
            try text(("privacy", true), ("search", ["example.org", "lan"]), ("metric", 7)) == leased
                + "dns-search=example.org;lan;\nroute-metric=7\n\n[ipv6]\nmethod=auto\nip6-privacy=2\nroute-metric=7\n")
        // A router advertisement is waited for without a limit.
        #expect(
            try text(("dhcp", false), ("ipv6", "auto"), ("privacy", false), ("search", ["lan"]))
                == "[ipv4]\nmethod=disabled\n\n[ipv6]\nmethod=auto\nra-timeout=2147483647\nip6-privacy=0\n"
                + "dns-search=lan;\n")
        // A gateway with a metric is a route.
        #expect(
            try text(("addresses", ["192.0.2.1/24"]), ("gateway", "192.0.2.9"), ("metric", 7), ("ipv6", "static"))
                == "[ipv4]\nmethod=manual\naddress1=192.0.2.1/24\nroute1=0.0.0.0/0,192.0.2.9,7\nroute-metric=7\n\n[ipv6]\n"
                + "method=link-local\nroute-metric=7\n")
    }

    @Test("Name servers and domains are refused where NetworkManager has no place for them")
    func resolvers() throws {
        let board = try Self.board()
        let cases: [(values: [(String, JSONValue)], refused: Int)] = [
            ([("eth0/addresses", ["192.0.2.1/24"]), ("eth0/ipv6", "static"), ("eth0/dns", ["2001:db8::53"])], 1),
            ([("eth0/dhcp", false), ("eth0/search", ["lan"])], 1),
            ([("eth0/dhcp", false), ("eth0/dns", ["2001:db8::53"])], 1),
            ([("eth0/addresses", ["192.0.2.1/24"]), ("eth0/dns", ["2001:db8::53"])], 0),
            ([("eth0/dhcp", false), ("eth0/ipv6", "auto"), ("eth0/search", ["lan"])], 0),
            ([("eth0/addresses", ["2001:db8::5/64"]), ("eth0/search", ["lan"]), ("eth0/dns", ["2001:db8::53"])], 0),
        ]
        for (values, refused) in cases {
            #expect(try Self.problems(board, values).count == refused, "\(values)")
        }
    }

    @Test("An interface is ignored before its profile is unloaded, and managed before its profile is activated")
    func actions() throws {
        let runner = ActionRunner(on: try EventLoop(), try Self.board().system)
        func titles(_ old: [(String, JSONValue)], _ new: [(String, JSONValue)]) throws -> [String] {
            let set = try Self.board().set
            let change = set.change(
                from: try InterfacesAdapterTests.settings(old), to: try InterfacesAdapterTests.settings(new))
            return change.parts.flatMap(\.actions).map { runner.outlook($0, of: "").title }
        }
        let on: [(String, JSONValue)] = [("eth0/mtu", 1400)]
        let off = on + [("eth0/enabled", false)]
        let (load, reload) = ("make NetworkManager load its profiles", "make NetworkManager reload its configuration")
        #expect(try titles([], on) == [load, "activate the profile of eth0", "check eth0 in the kernel"])
        #expect(
            try titles(on, off) == ["take eth0 down", "switch eth0 off", load, reload, "check eth0 in the kernel"])
        #expect(
            try titles(off, on) == [
                load, reload, "make NetworkManager manage eth0", "activate the profile of eth0",
                "check eth0 in the kernel",
            ])
        let check = "check eth0 in the kernel"
        #expect(try titles(off, []) == [reload, "make NetworkManager manage eth0", check])
        #expect(try titles(on, []) == [load, check])
    }

    /// Profiles of others, and the settings that adopt them; nil where no profile is for eth0.
    static let profiles: [(text: String, settings: [(String, JSONValue)]?)] = [
        ("[connection]\nid=a\ntype=ethernet\ninterface-name=eth0\n[ipv4]\nmethod=auto\n", [("dhcp", true)]),
        (
            "# of the office\n[connection]\nid = a b \nuuid=1\ntype=802-3-ethernet\ninterface-name=eth0\n"
                + "[802-3-ethernet]\nmtu=1400\ncloned-mac-address=\n[ipv4]\naddress2=198.51.100.1/24\n"
                + "address1=192.0.2.1/24,192.0.2.9\ndns=192.0.2.53;192.0.2.54;\nmethod=manual\n"
                + "route1=10.0.0.0/8,192.0.2.8,7\nroute2=203.0.113.0/24\n[ipv6]\nmethod=ignore\n[proxy]\n",
            [
                ("addresses", ["192.0.2.1/24", "198.51.100.1/24"]), ("gateway", "192.0.2.9"),
                ("dns", ["192.0.2.53", "192.0.2.54"]), ("mtu", 1400),
                (
                    "routes",
                    [
                        ["destination": "10.0.0.0/8", "gateway": "192.0.2.8", "metric": 7],
                        ["destination": "203.0.113.0/24"],
                    ]
                ),
            ]
        ),
        ("[connection]\ninterface-name=eth0\n[ipv4]\nmethod=disabled\n", [("dhcp", false), ("ipv6", "auto")]),
        (
            "[connection]\ninterface-name=eth0\n[ipv4]\ndns-search=example.org;lan;\nroute-metric=100\n[ipv6]\n"
                + "dns-search=lan\nroute-metric=100\nip6-privacy=2\n",
            [("dhcp", true), ("metric", 100), ("search", ["example.org", "lan"]), ("privacy", true)]
        ),
        (
            "[connection]\ninterface-name=eth0\n[ipv4]\nroute-metric=7\n[ipv6]\nmethod=disabled\n",
            [("dhcp", true), ("metric", 7), ("ipv6", "off")]
        ),
        (
            "[connection]\ninterface-name=eth0\n[ipv4]\nmethod=disabled\n[ipv6]\nmethod=manual\n"
                + "address1=2001:db8::5/64\n",
            [("addresses", ["2001:db8::5/64"]), ("ipv6", "static")]
        ),
        // As netplan writes it.
        (
            "[connection]\nid=netplan-eth0\ntype=ethernet\ninterface-name=eth0\n\n[ethernet]\nwake-on-lan=0\n\n[ipv4]\n"
                + "method=auto\n\n[ipv6]\nmethod=ignore\n", [("dhcp", true)]
        ),
        ("[connection]\nid=a\ninterface-name=eth1\n", nil), ("[connection]\nid=a\n", nil), ("", nil),
        ("[connection]\nid=a\ninterface-name=eth0\nautoconnect=false\n", nil),
        ("[connection]\nid=Wired connection 1\ninterface-name=eth0\n[.nmmeta]\nnm-generated=true\n", nil),
    ]

    @Test(
        "A profile of others for the interface is refused by its name, and its settings are accepted",
        arguments: profiles)
    func foreign(text: String, settings: [(String, JSONValue)]?) throws {
        let board = try Self.board(["\(Self.directory)/a.nmconnection": text])
        let found = try board.set.foreign("eth0", on: board.system)
        #expect((found == nil) == (settings == nil))
        let refused = try Self.problems(board, [("eth0/mtu", 1234)])
        #expect(refused.count == (settings == nil ? 0 : 1))
        guard let settings, case .differs(let differences) = found?.kind else { return }
        #expect(
            refused[0].contains("\(Self.directory)/a.nmconnection") || refused[0].contains("by netplan"), "\(refused)")
        #expect(refused[0].contains("cleat adopt interface:eth0"), "\(refused)")
        let adopted = differences.compactMap { difference -> (String, JSONValue)? in
            guard case .value(let value) = difference.adoption, let path = difference.setting else { return nil }
            return (String(path.text.dropFirst("network/interfaces/".utf8.count)), value)
        }
        #expect(
            adopted.map(\.0) == settings.map { "eth0/" + $0.0 } && adopted.map(\.1) == settings.map(\.1), "\(adopted)")
        #expect(try Self.problems(board, adopted) == [])
        // One value more, or another one, is not the same.
        #expect(try Self.problems(board, adopted.filter { $0.0 != "eth0/mtu" } + [("eth0/mtu", 1300)]).count == 1)
        // Once Cleat has a profile, it is preferred, and written again if it is missing.
        let own = Resource.file("\(Self.directory)/cleat-eth0.nmconnection")
        let values = try InterfacesAdapterTests.settings([("eth0/mtu", 1234)])
        let adapter = try #require(board.set.networkAdapter)
        #expect(adapter.check(values, adapter.desired(values), on: board.system.knowing { $0 == own }).isEmpty)
        try board.directory.write("x", to: "root\(Self.directory)/cleat-eth0.nmconnection")
        #expect(try Self.problems(board, [("eth0/mtu", 1234)]) == [])
        #expect(try board.set.foreign("eth0", on: board.system) == nil)
    }

    @Test(
        "What settings cannot express keeps a profile from being adopted",
        arguments: [
            ("[ipv4]\nmethod=shared", "ipv4.method=shared"), ("[ipv6]\nmethod=dhcp", "ipv6.method=dhcp"),
            ("[802-1x]\npassword=SECRET;", "802-1x.password"), ("[ipv4]\nnever-default=true", "ipv4.never-default"),
            ("[ipv4]\nroute-metric=7", "ipv4.route-metric other than ipv6.route-metric"),
            ("[ipv4]\naddress1=x", "ipv4.address1=x"),
            ("[ipv4]\nroute1=10.0.0.0/8,x", "ipv4.route1=10.0.0.0/8,x"), ("[ipv4]\ngateway=::1", "ipv4.gateway=::1"),
            ("[ipv4]\nroute1_options=table=5", "ipv4.route1_options"),
            ("[ethernet]\ncloned-mac-address=random", "ethernet.cloned-mac-address"),
            ("[wifi-security]\npsk=SECRET", "wifi-security.psk"),
            ("[ethernet]\nwake-on-lan=64", "ethernet.wake-on-lan"),
            ("[ipv6]\nip6-privacy=1", "ipv6.ip6-privacy"), ("[proxy]\npac-url=http://x", "proxy.pac-url"),
            ("[ipv4]\naddress1=192.0.2.1/24,192.0.2.9\naddress2=192.0.2.2/24,192.0.2.8", "ipv4.address2=192.0.2.8"),
        ])
    func inexpressible(text: String, part: String) throws {
        let board = try Self.board([
            "\(Self.directory)/netplan-eth0.nmconnection":
                "[connection]\nid=netplan-eth0\ntype=ethernet\ninterface-name=eth0\n\(text)\n"
        ])
        guard case .differs(let differences) = try board.set.foreign("eth0", on: board.system)?.kind else {
            Issue.record("no profile")
            return
        }
        let reasons = differences.compactMap { if case .impossible(let reason) = $0.adoption { reason } else { nil } }
        #expect(
            reasons.count == differences.count && reasons.contains { $0.contains("which has \(part).") }, "\(reasons)")
        #expect(!"\(differences)".contains("SECRET"), "\(differences)")
        let refused = try Self.problems(board, [("eth0/mtu", 1400)])
        #expect(refused.count == 1 && refused[0].contains("generated by netplan from /etc/netplan"), "\(refused)")
    }

    @Test("Thousands of lines and profiles, and files that are none, are read as far as they make sense")
    func hostile() throws {
        let long = (0..<10_000).map { "key\($0)=value" }.joined(separator: "\n")
        let board = try Self.board([
            "\(Self.directory)/a.nmconnection": "[connection]\ninterface-name=eth0\n[user]\n\(long)\n",
            "\(Self.directory)/b.nmconnection": "]][[\n=\n==\n[\n[]\n[connection\ninterface-name\n\u{0}\u{feff}=\n",
            "/run/NetworkManager/system-connections/c.nmconnection": "[connection]\nid=c\ninterface-name=eth1\n",
            "\(Self.directory)/.hidden": "[connection]\ninterface-name=eth2\n",
        ])
        for name in ["", "../eth0", "eth0/../../x", String(repeating: "x", count: 300), "eth0\n"] {
            #expect(try board.set.foreign(name, on: board.system) == nil, "\(name)")
        }
        let binary = FilePath(board.root + "\(Self.directory)/d.nmconnection")
        try makeFile(binary.string, String(repeating: "\u{1}", count: 1000))
        for (name, count) in [("eth0", 1), ("eth1", 1), ("eth2", 0), ("eth3", 0)] {
            #expect(try Self.problems(board, [("\(name)/mtu", 1400)]).count == count, "\(name)")
        }
        // NetworkManager ignores these, too; a profile that cannot be read may be for any interface.
        try makeDirectories(board.root + "\(Self.directory)/e.nmconnection")
        try makeFile(board.root + "\(Self.directory)/f.nmconnection~", "[connection]\ninterface-name=eth3\n")
        #expect(try Self.problems(board, [("eth3/mtu", 1400)]) == [])
        try makeFile(board.root + "\(Self.directory)/g.nmconnection", String(repeating: "x", count: 2 << 20))
        #expect(try Self.problems(board, [("eth3/mtu", 1400)]).first?.contains("g.nmconnection") == true)
    }

    @Test("Two services that are enabled are noted, a masked one is not; a time service that is enabled is preferred")
    func rivals() throws {
        let wants = "/etc/systemd/system/multi-user.target.wants"
        let board = try TestBoard { root in
            for path in [
                "\(wants)/NetworkManager.service", "\(wants)/systemd-networkd.service", "/usr/sbin/chronyd",
                "/usr/lib/systemd/systemd-timesyncd",
                "/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service",
            ] {
                try makeDirectories(root + path)
            }
        }
        var facts = SystemFacts(of: board.system)
        let path = try SettingPath("network/interfaces")
        #expect(facts.rivals == [path: ["systemd-networkd.service", "NetworkManager.service"]])
        #expect(facts.networkService == .networkd && facts.timeService == .timesyncd)
        try makeLink(board.root + "/etc/systemd/system/systemd-networkd.service", to: "/dev/null")
        facts = SystemFacts(of: board.system)
        #expect(facts.rivals.isEmpty && facts.networkService == .networkManager)
        try makeDirectories(board.root + "\(wants)/chronyd.service")
        facts = SystemFacts(of: board.system)
        #expect(facts.timeService == .chronyWithoutSources)
        #expect(facts.rivals == [try SettingPath("time/ntp"): ["chronyd.service", "systemd-timesyncd.service"]])
        try makeDirectories(board.root + "\(wants)/networking.service")
        let main = FilePath(board.root + "/etc/network/interfaces")
        try makeDirectories(board.root + "/etc/network/interfaces.d")
        for (name, isRival) in [("lo", false), ("eth0", true)] {
            try makeFile(main.string, "iface \(name) inet dhcp\n")
            let units = SystemFacts(of: board.system).rivals[path]
            #expect(units == (isRival ? ["NetworkManager.service", "networking.service"] : nil), "\(name)")
        }
        // A directory among the files is none of them, and a masked unit is none that runs.
        try makeDirectories(board.root + "/etc/network/interfaces.d/old")
        #expect(SystemFacts(of: board.system).failures.isEmpty)
        try makeLink(board.root + "/etc/systemd/system/networking.service", to: "/dev/null")
        #expect(SystemFacts(of: board.system).rivals[path] == nil)
    }
}
