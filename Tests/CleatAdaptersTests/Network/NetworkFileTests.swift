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

/// The real ifup and ifdown.
private enum IfupdownPrograms {
    /// Where `.ci/setup` unpacks ifupdown, which would take charge of the machine's network if it was installed.
    static let unpacked: String = TestPlaces.package.appending(".build-ifupdown").string
    /// The directory above the `sbin` of an ifupdown; empty where the machine has one of its own, nil where there is none.
    static let above: String? = ["", unpacked].first { place in
        ["/usr/sbin/ifup", "/sbin/ifup"].contains { NetworkFileTests.isThere(place + $0) }
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
        guard case .file(let file) = try #require(wanted.first).state, wanted.count == 1 else { return "" }
        return String(decoding: file.bytes, as: UTF8.self)
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
        let actions = NetworkdAdapter().actions(changed: [.file("/etc/systemd/network/10-cleat-eth0.network")])
        let arguments = actions.map { action -> [String] in
            guard case .command(let command) = action else { return [] }
            return command.ways.first?.arguments ?? []
        }
        #expect(arguments == [["reload"], ["reconfigure", "eth0"]])
    }

    @Test func ifupdown() throws {
        #expect(
            try Self.text(IfupdownAdapter(), Self.whole) == """
                # Written by Cleat from network/interfaces/cleat0.
                auto cleat0
                iface cleat0 inet static
                    pre-up ip link set dev cleat0 mtu 1400
                    address 192.0.2.1
                    netmask 24
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

    @Test("an interface is taken down as it was defined, and up as it is now")
    func ifupdownActions() throws {
        let old = try InterfacesAdapterTests.settings([("eth0/mtu", 1400)])
        let new = try InterfacesAdapterTests.settings([("eth0/mtu", 1500), ("eth1/enabled", false)])
        let board = try TestBoard { root in
            try makeDirectories(root + "/usr/sbin/ifup")
            try makeDirectories(root + "/etc/network/interfaces")
        }
        let change = board.set.change(from: old, to: new)
        let commands = change.parts.flatMap(\.actions).compactMap { action -> ActionCommand? in
            guard case .command(let command) = action else { return nil }
            return command
        }
        #expect(commands.map(\.title) == ["take eth0 down", "bring eth0 up", "switch eth1 off"])
        #expect(commands.first?.ways.first?.arguments == ["-i", "/dev/stdin", "eth0"])
        let input = try #require(commands[0].input)
        #expect(String(decoding: input, as: UTF8.self).hasSuffix("mtu 1400\n"))
    }

    @Test("a directory that is not read, and an interface that somebody else has defined, are refused by name")
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
        for (main, other, expected) in cases {
            let board = try TestBoard { root in
                try makeDirectories(root + "/usr/sbin/ifup")
                try makeDirectories(root + "/etc/network/interfaces.d")
            }
            try board.directory.write(main, to: "root/etc/network/interfaces")
            try board.directory.write("iface eth0 inet dhcp\n", to: "root/etc/network/interfaces.d/cleat-eth0")
            if let other { try board.directory.write(other, to: "root/etc/network/interfaces.d/other") }
            let problems = IfupdownAdapter().check(settings, on: board.system)
            #expect(problems.count == (expected == nil ? 0 : 1), "\(main): \(problems)")
            if let expected, let problem = problems.first {
                #expect(
                    problem.reason.contains(expected), "\(problem)"
                )
            }
        }
    }

    @Test(
        "what has charge of interfaces is found by its files",
        arguments: [
            (["run/systemd/netif/state"], SystemFacts.NetworkService.networkd),
            (["etc/systemd/system/multi-user.target.wants/systemd-networkd.service", "usr/sbin/ifup"], .networkd),
            (["run/NetworkManager", "usr/sbin/ifup", "etc/network/interfaces"], .networkManager),
            (["sbin/ifup", "etc/network/interfaces"], .ifupdown), (["sbin/ifup"], nil),
            (["etc/network/interfaces"], nil),
        ])
    func charge(paths: [String], service: SystemFacts.NetworkService?) throws {
        let board = try TestBoard { root in for path in paths { try makeDirectories(root + "/" + path) } }
        #expect(try SystemFacts(of: board.system).networkService == service)
    }

    @Test("on trial files have the old address, too, and are written anew before the change is confirmed")
    func trial() async throws {
        let places = [["run/systemd/netif/state"], ["usr/sbin/ifup", "etc/network/interfaces"]]
        for (paths, kept) in zip(places, ["Address=192.0.2.1/24\n", "up ip address add 192.0.2.1/24 dev lo\n"]) {
            try await OwnNamespaces.run {
                let board = try TestBoard(isRunning: true) { root in
                    for path in paths { try makeDirectories(root + "/" + path) }
                }
                let (set, system) = (board.set, board.system)
                let a = try InterfacesAdapterTests.settings([("lo/addresses", ["192.0.2.1/24"])])
                let b = try InterfacesAdapterTests.settings([("lo/addresses", ["192.0.2.5/24"])])
                let address = KernelCall.address([192, 0, 2, 1], prefix: 24, interface: 1)
                #expect(try SystemKernelCalls().exchange(address, again: {}, { _ in }) == nil)
                let changed = [try SettingPath("network/interfaces/lo/addresses")]
                let change = try set.onTrial(set.change(from: a, to: b, at: changed), from: a, to: b, on: system)
                #expect(set.apply(change, on: system, origins: [:]).allSatisfy { $0.isSuccess })
                func text() throws -> String {
                    let name = try #require(change.resources.first?.path)
                    return try board.directory.read("root" + name)
                }
                let onTrial = try text()
                #expect(onTrial.contains(kept) && onTrial.contains("192.0.2.5"))
                let last = try set.settling(from: a, to: b, at: changed, on: system)
                #expect(!last.parts.flatMap(\.actions).isEmpty)
                #expect(set.apply(last, on: system, origins: [:]).allSatisfy { $0.isSuccess })
                let confirmed = try text()
                #expect(!confirmed.contains("192.0.2.1") && confirmed.contains("192.0.2.5"))
                #expect(try set.settling(from: a, to: b, at: changed, on: system).isEmpty)
            }
        }
    }

    @Test("names that a service would take for something else are refused")
    func names() throws {
        for name in ["eth*", "!eth0", "a[b]", "eth0=x"] {
            let settings = try InterfacesAdapterTests.settings([("\(name)/mtu", 1400)])
            for adapter in [NetworkdAdapter(), IfupdownAdapter()] as [any Adapter] {
                let desired = adapter.desired(settings)
                #expect(desired.wanted.isEmpty && desired.problems.count == 1, "\(name)")
            }
        }
    }

    @Test("what a plan says of addresses")
    func effects() throws {
        let board = try TestBoard { root in try makeDirectories(root + "/run/systemd/netif/state") }
        func others(_ old: [(String, JSONValue)], _ new: [(String, JSONValue)]) throws -> [String] {
            let change = board.set.change(
                from: try InterfacesAdapterTests.settings(old), to: try InterfacesAdapterTests.settings(new))
            return board.set.effects(of: change).flatMap(\.others)
        }
        let one: (String, JSONValue) = ("eth0/addresses", ["192.0.2.1/24"])
        #expect(
            try others([one], [("eth0/addresses", ["192.0.2.5/24"])])
                == ["change the address of eth0 from 192.0.2.1/24 to 192.0.2.5/24"])
        #expect(try others([], [one]) == ["change the address of eth0 from what it is now to 192.0.2.1/24"])
        #expect(try others([one], []) == ["change the address of eth0 from 192.0.2.1/24 to what it was before Cleat"])
        #expect(try others([one], [one, ("eth0/enabled", false)]) == ["switch eth0 off"])
        #expect(try others([one], [one, ("eth0/mtu", 1400)]).isEmpty)
    }

    static func isThere(_ path: String) -> Bool {
        (try? SystemResources(root: FilePath("/"), isRunning: false).kind(at: path)) == .regular
    }

    static let program = "/usr/lib/systemd/systemd-networkd"

    @Test(
        "the real systemd-networkd takes the file",
        .enabled(
            if: TestLink.isAvailable && TestMachine.has("ip") && isThere(program),
            "needs systemd-networkd, ip(8) and a kernel that makes veth pairs in a namespace"))
    func realNetworkd() async throws {
        let routes = InterfaceRouteTests.routes(
            ("10.0.0.0/8", "192.0.2.8", 7), ("203.0.113.0/24", nil, nil), ("2001:db9::/32", "2001:db8::9", nil))
        let file = try Self.text(NetworkdAdapter(), Self.whole + [("cleat0/routes", routes)])
        let loop = try EventLoop()
        let result = try loop.block {
            try await Namespace.run(
                """
                mount -o remount,ro,bind /sys || mount -t sysfs -o ro none /sys
                mount -t tmpfs none /run
                mkdir -p /run/systemd/netif /run/systemd/network
                chown systemd-network:systemd-network /run/systemd/netif 2>/dev/null || true
                printf '%s' "$FILE" >/run/systemd/network/10-cleat-cleat0.network
                ip link add cleat0 type veth peer name cleat1
                ip link set cleat1 up
                \(Self.program) 2>/dev/null &
                tries=0
                while [ $tries -lt 100 ]; do
                    ip -o address show cleat0 | grep -q 2001:db8::1 && ip route | grep -q default \
                        && ip -6 route | grep -q 2001:db9 && break
                    tries=$((tries + 1))
                    sleep 0.1
                done
                ip -o address show cleat0
                ip route
                ip -6 route
                cat /sys/class/net/cleat0/mtu
                """, environment: ["FILE": file], on: loop)
        }
        for expected in [
            "inet 192.0.2.1/24 ", "inet 198.51.100.1/24 ", "inet6 2001:db8::1/64 ", "default via 192.0.2.9 dev cleat0",
            "\n1400\n", "10.0.0.0/8 via 192.0.2.8 dev cleat0 proto static metric 7",
            "203.0.113.0/24 dev cleat0 proto static scope link", "2001:db9::/32 via 2001:db8::9 dev cleat0",
        ] {
            #expect(result.outputText.contains(expected), "\(expected) in \(result.outputText)")
        }
    }

    @Test(
        "the real ifup and ifdown take the file, and leave nothing behind",
        .enabled(
            if: TestLink.isAvailable && TestMachine.has("ip") && IfupdownPrograms.above != nil,
            "needs ifupdown, ip(8) and a kernel that makes veth pairs in a namespace"))
    func realIfupdown() async throws {
        let routes = InterfaceRouteTests.routes(
            ("10.0.0.0/8", "203.0.113.1", 7), ("203.0.113.1/32", nil, nil), ("2001:db9::/32", "2001:db8::9", nil))
        let before = try Self.text(IfupdownAdapter(), Self.whole + [("cleat0/routes", routes)])
        let after = try Self.text(IfupdownAdapter(), [("cleat0/addresses", ["198.51.100.7/24"])])
        let directory = try TemporaryDirectory()
        let loop = try EventLoop()
        let result = try loop.block {
            try await Namespace.run(
                """
                mkdir -p $D/etc/network/interfaces.d
                for part in pre-up up down post-down; do mkdir $D/etc/network/if-$part.d; done
                cp /etc/passwd /etc/group $D/etc
                mount --bind $D/etc /etc
                mount -t tmpfs none /run
                mkdir /run/network
                if [ -n "$IFUPDOWN" ]; then
                    # It calls scripts of its own in /lib/ifupdown, which appear there for this namespace only.
                    lib=$(readlink -f /lib)
                    mkdir /run/lib /run/both
                    mount --bind "$lib" /run/lib
                    ln -s /run/lib/* "$IFUPDOWN/lib/ifupdown" /run/both
                    mount --bind /run/both "$lib"
                    PATH=$IFUPDOWN/sbin:$PATH
                fi
                echo 'source-directory /etc/network/interfaces.d' >/etc/network/interfaces
                printf '%s' "$BEFORE" >/etc/network/interfaces.d/cleat-cleat0
                ip link add cleat0 type veth peer name cleat1
                ip link set cleat1 up
                ifup cleat0
                ip -o address show cleat0
                ip route
                ip -6 route
                printf '%s' "$AFTER" >/etc/network/interfaces.d/cleat-cleat0
                printf '%s' "$BEFORE" | ifdown -i /dev/stdin cleat0 2>&1
                echo "down: $(ip -o address show cleat0)$(ip route)$(ip -6 route show dev cleat0)"
                ifup cleat0
                echo up again:
                ip route
                """,
                environment: [
                    "BEFORE": before, "AFTER": after, "D": directory.text, "IFUPDOWN": IfupdownPrograms.above ?? "",
                ], on: loop)
        }
        #expect(result.isSuccess, "\(result)")
        for expected in [
            "inet 192.0.2.1/24 ", "inet 198.51.100.1/24 ", "inet6 2001:db8::1/64 ", "default via 192.0.2.9 dev cleat0",
            "10.0.0.0/8 via 203.0.113.1 dev cleat0 metric 7", "203.0.113.1 dev cleat0 scope link",
            "2001:db9::/32 via 2001:db8::9 dev cleat0", "down: \n",
            "up again:\n198.51.100.0/24 dev cleat0 proto kernel scope link src 198.51.100.7",
        ] {
            #expect(result.outputText.contains(expected), "\(expected) in \(result.outputText)")
        }
    }
}
