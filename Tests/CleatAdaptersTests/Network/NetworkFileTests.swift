import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

private enum KernelCall {
    static func address(_ bytes: [UInt8], prefix: UInt8, interface: UInt8) -> RouteRequest {
        RouteRequest(
            .addAddress, body: [2, prefix, 0, 0, interface, 0, 0, 0],
            attributes: [RouteAttribute(2, bytes), RouteAttribute(1, bytes)])
    }
}

/// Files for what has charge of interfaces: systemd-networkd, ifupdown.
@Suite(.enabled(if: Namespace.isAvailable, "\(Namespace.reason)"))
struct NetworkFileTests {
    static let whole: [(String, JSONValue)] = [
        ("cleat0/addresses", ["192.0.2.1/24", "198.51.100.1/24", "2001:db8::1/64"]),
        ("cleat0/gateway", "192.0.2.9"), ("cleat0/dns", ["192.0.2.53"]), ("cleat0/mtu", 1400),
    ]

    static func text(_ adapter: any Adapter, _ values: [(String, JSONValue)]) throws -> String {
        let wanted = adapter.desired(try InterfacesAdapterTests.settings(values)).wanted
        func files(_ path: String) -> [String] {
            let words = path.split(separator: "/")
            let directory = "/proc/sys/net/ipv6/conf/\(words[0])"
            return switch words[1] {
            case "mtu": ["/sys/class/net/\(path)"]
            case "ipv6": ["\(directory)/disable_ipv6", "\(directory)/accept_ra"]
            case "privacy": ["\(directory)/use_tempaddr"]
            default: []
            }
        }
        let mtus = values.flatMap { files($0.0) }
        // The lines of others for the interface are made comments.
        let rest = wanted.dropFirst().filter { $0.resource.kind != "stanza" }
        let kept = rest.map(\.resource).filter { $0.kind != "interface" }
        #expect(Set(kept) == Set(mtus.map { .attribute($0) }) && kept.count == mtus.count)
        #expect(rest.allSatisfy { $0.state == .kept })
        guard case .file(let file) = try #require(wanted.first).state else { return "" }
        return String(decoding: file.bytes, as: UTF8.self)
    }

    /// Returns the ends of the names of the files that an adapter wants, and their contents without the comment.
    static func files(_ adapter: any Adapter, _ values: [(String, JSONValue)]) throws -> [String: String] {
        var found: [String: String] = [:]
        let desired = adapter.desired(try InterfacesAdapterTests.settings(values))
        #expect(desired.problems.isEmpty)
        for wanted in desired.wanted {
            guard case .file(let file) = wanted.state, let name = wanted.resource.path?.split(separator: "/").last
            else { continue }
            let lines = String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").dropFirst()
            found[String(name)] = lines.joined(separator: "\n")
        }
        return found
    }

    static let links: [(String, JSONValue)] = [
        ("bo/bond/ports", ["eth3"]), ("bo/bond/mode", "active-backup"), ("br/bridge/ports", ["eth1", "eth2"]),
        ("br/dhcp", true), ("eth0/addresses", ["192.0.2.1/24"]), ("eth2/mtu", 1400), ("v/vlan/id", 10),
        ("v/vlan/parent", "eth0"), ("v/addresses", ["198.51.100.1/24"]),
    ]

    @Test("A virtual interface has a file of its own, and its members name it")
    func virtualLinks() throws {
        let files = try Self.files(NetworkdAdapter(), Self.links)
        #expect(files.count == 10, "\(files.keys)")
        #expect(files["10-cleat-v.netdev"] == "[NetDev]\nName=v\nKind=vlan\n[VLAN]\nId=10")
        #expect(files["10-cleat-br.netdev"] == "[NetDev]\nName=br\nKind=bridge\n[Bridge]\nSTP=no")
        #expect(
            files["10-cleat-bo.netdev"]
                == "[NetDev]\nName=bo\nKind=bond\n[Bond]\nMode=active-backup\nMIIMonitorSec=100ms")
        let port = "[Match]\nName=eth1\n[Network]\nDHCP=no\nLinkLocalAddressing=no\nBridge=br"
        #expect(files["10-cleat-eth1.network"] == port)
        #expect(files["10-cleat-eth2.network"]?.contains("MTUBytes=1400\n[Network]\nDHCP=no") == true)
        #expect(files["10-cleat-eth3.network"]?.hasSuffix("Bond=bo") == true)
        #expect(files["10-cleat-eth0.network"]?.contains("VLAN=v\nAddress=192.0.2.1/24") == true)
        #expect(files["10-cleat-br.network"]?.contains("DHCP=yes") == true)

        let profiles = try Self.files(NetworkManagerAdapter(), Self.links)
        #expect(profiles.count == 7, "\(profiles.keys)")
        #expect(profiles["cleat-v.nmconnection"]?.contains("[vlan]\nflags=1\nid=10\nparent=eth0\n[ipv4]") == true)
        #expect(profiles["cleat-br.nmconnection"]?.contains("autoconnect-slaves=1\n[bridge]\nstp=false\n") == true)
        #expect(profiles["cleat-bo.nmconnection"]?.contains("[bond]\nmode=active-backup\nmiimon=100\n") == true)
        #expect(profiles["cleat-eth1.nmconnection"]?.hasSuffix("master=br\nslave-type=bridge") == true)
        #expect(
            profiles["cleat-eth2.nmconnection"]?.hasSuffix("master=br\nslave-type=bridge\n[ethernet]\nmtu=1400") == true
        )
        #expect(profiles["cleat-eth0.nmconnection"]?.contains("vlan") == false)
        let ifupdown = IfupdownAdapter()
        for key in ["vlan/id", "bridge/stp", "bond/mode"] {
            let path = try SettingPath("network/interfaces/x/\(key)")
            #expect(ifupdown.reasonNotToFollow(path)?.contains("ifupdown runs on this board") == true)
        }
    }

    @Test func networkd() throws {
        #expect(
            try Self.text(NetworkdAdapter(), Self.whole) == """
                # Written by Cleat from network/interfaces/cleat0.
                [Match]
                Name=cleat0

                [Link]
                MTUBytes=1400

                [Network]
                DHCP=no
                Address=192.0.2.1/24
                Address=198.51.100.1/24
                Address=2001:db8::1/64
                Gateway=192.0.2.9
                DNS=192.0.2.53

                """)
        #expect(
            try Self.text(NetworkdAdapter(), [("eth0/enabled", false)]) == """
                # Written by Cleat from network/interfaces/eth0.
                [Match]
                Name=eth0

                [Link]
                ActivationPolicy=always-down

                [Network]
                DHCP=yes

                """)
        let actions = NetworkdAdapter().actions(
            from: nil, to: LayeredSettings(schema: .builtIn),
            changed: [.file("/etc/systemd/network/10-cleat-eth0.network")])
        let arguments = actions.map { action -> [String] in
            guard case .command(let command) = action else { return [] }
            return command.arguments
        }
        #expect(arguments == [["reload"], ["reconfigure", "--", "eth0"]])
    }

    @Test("The use of IPv6, search domains and the metric of default routes are those of the settings")
    func families() throws {
        let ranked: [(String, JSONValue)] = [
            ("eth0/addresses", ["192.0.2.1/24"]), ("eth0/gateway", "192.0.2.9"), ("eth0/metric", 7),
            ("eth0/search", ["example.org", "lan"]), ("eth0/ipv6", "off"),
        ]
        let networkd = try Self.text(NetworkdAdapter(), ranked)
        #expect(
            networkd.hasSuffix(
                """
                [Network]
                DHCP=no
                LinkLocalAddressing=no
                IPv6AcceptRA=no
                Domains=example.org lan
                Address=192.0.2.1/24

                [DHCPv4]
                RouteMetric=7

                [IPv6AcceptRA]
                RouteMetric=7

                [Route]
                Destination=0.0.0.0/0
                Gateway=192.0.2.9
                Metric=7

                """), "\(networkd)")
        let leased = try Self.text(NetworkdAdapter(), [("eth0/ipv6", "static")])
        #expect(leased.hasSuffix("DHCP=ipv4\nIPv6AcceptRA=no\n"), "\(leased)")
        let hidden = try Self.text(NetworkdAdapter(), [("eth0/ipv6", "auto"), ("eth0/privacy", true)])
        #expect(hidden.hasSuffix("DHCP=yes\nIPv6AcceptRA=yes\nIPv6PrivacyExtensions=yes\n"), "\(hidden)")

        let directory = "/proc/sys/net/ipv6/conf/eth0"
        func line(_ name: String, _ value: Int) -> String {
            "    pre-up test ! -e \(directory)/\(name) || echo \(value) > \(directory)/\(name)\n"
        }
        let ifupdown = try Self.text(IfupdownAdapter(), ranked)
        #expect(
            ifupdown.hasSuffix(
                "iface eth0 inet static\n" + line("disable_ipv6", 1) + line("accept_ra", 0)
                    + """
                        address 192.0.2.1
                        netmask 255.255.255.0
                        dns-search example.org lan
                        up ip route add 0.0.0.0/0 via 192.0.2.9 dev eth0 metric 7
                        down ip route del 0.0.0.0/0 via 192.0.2.9 dev eth0 metric 7 || true

                    """), "\(ifupdown)")
        let open = try Self.text(IfupdownAdapter(), [("eth0/ipv6", "auto"), ("eth0/privacy", false)])
        #expect(
            open.hasSuffix(
                "inet dhcp\n" + line("disable_ipv6", 0) + line("use_tempaddr", 0) + line("accept_ra", 1)), "\(open)")
    }

    @Test("Without IPv6 no such address is kept while a change is on trial")
    func keptFamilies() throws {
        let settings = try InterfacesAdapterTests.settings([("eth0/addresses", ["192.0.2.1/24"]), ("eth0/ipv6", "off")])
        let kept = ["192.0.2.7/24", "2001:db8::7/64"].compactMap { InterfaceAddress($0) }
        let adapters: [any NetworkAdapter] = [NetworkdAdapter(), NetworkManagerAdapter(), IfupdownAdapter()]
        for adapter in adapters {
            let wanted = adapter.desired(settings, keeping: ["eth0": kept]).wanted.first?.state
            guard case .file(let file) = try #require(wanted) else { continue }
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(text.contains("192.0.2.7/24") && !text.contains("2001:db8::7"), "\(text)")
        }
    }

    @Test func ifupdown() throws {
        #expect(
            try Self.text(IfupdownAdapter(), Self.whole) == """
                # Written by Cleat from network/interfaces/cleat0.
                auto cleat0
                iface cleat0 inet static
                    pre-up ip link set dev cleat0 mtu 1400
                    address 192.0.2.1
                    netmask 255.255.255.0
                    gateway 192.0.2.9
                    up ip address add 198.51.100.1/24 dev cleat0
                    dns-nameservers 192.0.2.53
                iface cleat0 inet6 static
                    address 2001:db8::1
                    netmask 64

                """)
        #expect(
            try Self.text(IfupdownAdapter(), [("eth0/mtu", 1400)]) == """
                # Written by Cleat from network/interfaces/eth0.
                auto eth0
                iface eth0 inet dhcp
                    pre-up ip link set dev eth0 mtu 1400

                """)
        #expect(
            try Self.text(IfupdownAdapter(), [("eth0/enabled", false), ("eth0/dhcp", true)]) == """
                # Written by Cleat from network/interfaces/eth0.
                iface eth0 inet manual

                """)
        #expect(
            try Self.text(
                IfupdownAdapter(), [("eth0/addresses", ["2001:db8::1/64"]), ("eth0/gateway", "2001:db8::9")]
            ) == """
                # Written by Cleat from network/interfaces/eth0.
                auto eth0
                iface eth0 inet manual
                    up ip link set dev eth0 up
                    down ip link set dev eth0 down
                iface eth0 inet6 static
                    address 2001:db8::1
                    netmask 64
                    gateway 2001:db8::9

                """)
    }

    @Test("an interface is taken down by its former definition, and up by its present one")
    func ifupdownActions() throws {
        let old = try InterfacesAdapterTests.settings([("eth0/mtu", 1400)])
        let new = try InterfacesAdapterTests.settings([("eth0/mtu", 1500), ("eth1/enabled", false)])
        let board = try TestBoard { root in
            try makeDirectories(root + "/usr/sbin/ifup")
            try makeDirectories(root + "/etc/network/interfaces")
        }
        let change = board.set.change(from: old, to: new)
        let runner = ActionRunner(on: try EventLoop(), board.system)
        let actions = change.parts.flatMap(\.actions)
        #expect(
            actions.map { runner.outlook($0, of: "ifupdown").title } == [
                "take eth0 down", "take eth1 down", "bring eth0 up", "check eth0 in the kernel", "switch eth1 off",
                "check eth1 in the kernel",
            ])
        let stanzas = actions.prefix(2).compactMap { action -> [String]? in
            guard case .interface(let action) = action, case .takeDown(let commands) = action.kind else { return nil }
            #expect(commands.allSatisfy { $0.arguments == ["-i", "/proc/self/fd/0", "--", action.name] })
            return commands.map { String(decoding: $0.input ?? [], as: UTF8.self) }
        }
        #expect(stanzas[0].count == 1 && stanzas[0][0].hasSuffix("mtu 1400\n"))
        // Of what was there before Cleat only this is known: that a DHCP client may run.
        #expect(stanzas[1] == ["iface eth1 inet dhcp\n", "iface eth1 inet manual\n"])
    }

    @Test("an unread directory, and an interface that another file defines, are refused by name")
    func ifupdownProblems() throws {
        let settings = try InterfacesAdapterTests.settings([("eth0/mtu", 1400)])
        let cases: [(main: String, other: String?, problem: String?)] = [
            ("source /etc/network/interfaces.d/*\n", nil, nil), ("source-directory interfaces.d\n", nil, nil),
            ("auto lo\n source-directory\t/etc/network/interfaces.d/\n", "iface eth1 inet dhcp\n", nil),
            ("auto lo\n", nil, "add the line “source-directory"),
            ("# source /etc/network/interfaces.d/*\n", nil, "add the line “source-directory"),
            ("source interfaces.d/*\niface  eth0 inet dhcp\n", nil, "which /etc/network/interfaces defines"),
            ("source interfaces.d/*\n", "  iface eth0 inet6 auto\n", "which /etc/network/interfaces.d/other defines"),
        ]
        // BusyBox knows no patterns, and begins relative paths where it was started.
        let ofBusyBox: [(main: String, other: String?, problem: String?)] = [
            ("source-directory /etc/network/interfaces.d\n", nil, nil),
            ("source-directory interfaces.d\n", nil, "add the line “source-directory /etc"),
            ("source /etc/network/interfaces.d/*\n", nil, "add the line “source-directory /etc"),
        ]
        for (index, (main, other, expected)) in (cases + ofBusyBox).enumerated() {
            let isBusyBox = index >= cases.count
            let board = try TestBoard { root in
                if isBusyBox {
                    try makeDirectories(root + "/sbin")
                    try makeLink(root + "/sbin/ifup", to: "../bin/busybox")
                } else {
                    try makeDirectories(root + "/usr/sbin/ifup")
                }
                try makeDirectories(root + "/etc/network/interfaces.d")
            }
            try board.directory.write(main, to: "root/etc/network/interfaces")
            try board.directory.write("iface eth0 inet dhcp\n", to: "root/etc/network/interfaces.d/cleat-eth0")
            if let other { try board.directory.write(other, to: "root/etc/network/interfaces.d/other") }
            let problems = IfupdownAdapter().check(settings, IfupdownAdapter().desired(settings), on: board.system)
            #expect(problems.count == (expected == nil ? 0 : 1), "\(main): \(problems)")
            if let expected, let problem = problems.first {
                #expect(
                    problem.reason.contains(expected), "\(problem)"
                )
            }
        }
    }

    @Test(
        "the network service is found by its files",
        arguments: [
            (
                ["etc/systemd/system/multi-user.target.wants/systemd-networkd.service"],
                SystemFacts.NetworkService.networkd
            ),
            (["etc/systemd/system/multi-user.target.wants/systemd-networkd.service", "usr/sbin/ifup"], .networkd),
            (
                [
                    "etc/systemd/system/multi-user.target.wants/NetworkManager.service", "usr/sbin/ifup",
                    "etc/network/interfaces",
                ], .networkManager
            ),
            (["etc/runlevels/default/NetworkManager"], .networkManager),
            // What runs here is not what runs on the board whose files these are.
            (["run/systemd/netif/state", "run/NetworkManager"], nil),
            (["sbin/ifup", "etc/network/interfaces"], .ifupdown), (["sbin/ifup"], nil),
            (["etc/network/interfaces"], nil),
        ])
    func charge(paths: [String], service: SystemFacts.NetworkService?) throws {
        let board = try TestBoard { root in for path in paths { try makeDirectories(root + "/" + path) } }
        #expect(SystemFacts(of: board.system).networkService == service)
    }

    @Test(
        "on trial files have the old address, too, and are written again before the change is confirmed",
        .enabled(if: TestLink.isAvailable, "\(TestLink.reason)"))
    func trial() async throws {
        let places = [
            ["run/systemd/netif/state"], ["usr/sbin/ifup", "etc/network/interfaces"],
            ["etc/systemd/system/multi-user.target.wants/NetworkManager.service"],
        ]
        let texts = [
            "Address=192.0.2.1/24\n", "up ip address add 192.0.2.1/24 dev cleat0\n", "address2=192.0.2.1/24\n",
        ]
        for (paths, kept) in zip(places, texts) {
            try await OwnNamespaces.run {
                let link = try TestLink("cleat0")
                let board = try TestBoard(isRunning: true) { root in
                    for path in paths where path != "etc/network/interfaces" {
                        try makeDirectories(root + "/" + path)
                    }
                    try makeDirectories("\(root)/etc/network")
                    let file = FilePath("\(root)/etc/network/interfaces")
                    try FileDescriptor.open(file, .writeOnly, options: [.create], permissions: .ownerReadWrite).close()
                }
                let (set, system) = (board.set, board.system)
                let a = try InterfacesAdapterTests.settings([("cleat0/addresses", ["192.0.2.1/24"])])
                let b = try InterfacesAdapterTests.settings([
                    ("cleat0/addresses", ["192.0.2.5/24"]), ("cleat0/mtu", 1400),
                ])
                let address = KernelCall.address([192, 0, 2, 1], prefix: 24, interface: UInt8(link.index))
                #expect(try SystemKernelCalls().exchange(address, again: {}, { _ in }) == nil)
                let changed = try ["addresses", "mtu"].map { try SettingPath("network/interfaces/cleat0/\($0)") }
                let change = try set.onTrial(set.change(from: a, to: b, at: changed), from: a, to: b, on: system)
                #expect(set.applier.apply(change, on: system, origins: [:]).allSatisfy { $0.isSuccess })
                func text() throws -> String {
                    let name = try #require(change.resources.first?.path)
                    return try board.directory.read("root" + name)
                }
                let onTrial = try text()
                #expect(onTrial.contains(kept) && onTrial.contains("192.0.2.5"))
                let last = try set.confirming(from: a, to: b, at: changed, on: system)
                #expect(!last.parts.flatMap(\.actions).isEmpty)
                #expect(set.applier.apply(last, on: system, origins: [:]).allSatisfy { $0.isSuccess })
                let confirmed = try text()
                #expect(!confirmed.contains("192.0.2.1") && confirmed.contains("192.0.2.5"))
                // Nothing is written again, but the kernel is asked.
                let again = try set.confirming(from: a, to: b, at: changed, on: system)
                let runner = ActionRunner(on: try EventLoop(), system)
                #expect(again.resources.isEmpty)
                #expect(
                    again.parts.flatMap(\.actions).map { runner.outlook($0, of: "").title }
                        == ["check cleat0 in the kernel"])
            }
        }
    }

    @Test("names with another meaning for a service are refused")
    func names() throws {
        for name in ["eth*", "e!th0", "a[b]", "eth0=x"] {
            let settings = try InterfacesAdapterTests.settings([("\(name)/mtu", 1400)])
            for adapter in [NetworkdAdapter(), IfupdownAdapter(), NetworkManagerAdapter()] as [any Adapter] {
                let desired = adapter.desired(settings)
                #expect(desired.wanted.isEmpty && desired.problems.count == 1, "\(name)")
            }
        }
    }

    @Test("the text of a plan for addresses")
    func effects() throws {
        let board = try TestBoard { root in
            try makeDirectories(root + "/etc/systemd/system/multi-user.target.wants/systemd-networkd.service")
        }
        func others(_ old: [(String, JSONValue)], _ new: [(String, JSONValue)]) throws -> [String] {
            let (old, new) = (try InterfacesAdapterTests.settings(old), try InterfacesAdapterTests.settings(new))
            return board.set.plan(
                board.set.change(from: old, to: new), from: old, to: new, on: board.system, origins: [:]
            ).effects
        }
        let one: (String, JSONValue) = ("eth0/addresses", ["192.0.2.1/24"])
        #expect(
            try others([one], [("eth0/addresses", ["192.0.2.5/24"])])
                == ["eth0: 192.0.2.1/24 -> 192.0.2.5/24"])
        #expect(try others([], [one]) == ["eth0: its present address -> 192.0.2.1/24"])
        #expect(try others([one], []) == ["eth0: 192.0.2.1/24 -> its address before Cleat"])
        #expect(try others([one], [one, ("eth0/enabled", false)]) == ["eth0 is switched off"])
        #expect(try others([one], [one, ("eth0/mtu", 1400)]).isEmpty)
    }
}
