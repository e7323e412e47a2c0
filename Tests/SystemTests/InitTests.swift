import CleatAPI
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of `cleat init` below a root directory, on the layouts of several systems.
@Suite("The present configuration becomes settings")
struct InitTests {
    /// A prepared system: its files, and what is printed for it.
    struct Prepared: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Shell lines that make it, in its root directory.
        let files: String
        /// The lines of the settings.
        let settings: [String]
        /// The beginnings of the lines of skipped parts.
        let skipped: [String]
        /// The files of others that the change writes.
        var changed: [String] = []
    }

    private static let units = """
        mkdir -p etc/systemd/system/multi-user.target.wants etc/systemd/system/sysinit.target.wants usr/lib/systemd/system
        enable() { touch usr/lib/systemd/system/$1.service
            ln -s /usr/lib/systemd/system/$1.service etc/systemd/system/$2.target.wants/; }

        """

    static let systems = [
        Prepared(
            testDescription: "Raspberry Pi OS with NetworkManager",
            files: units + """
                enable NetworkManager multi-user; enable systemd-timesyncd sysinit; touch usr/lib/systemd/systemd-timesyncd
                mkdir -p usr/share/zoneinfo/Europe etc/NetworkManager/system-connections etc/sysctl.d
                touch usr/share/zoneinfo/Europe/London
                ln -s /usr/share/zoneinfo/Europe/London etc/localtime; echo Europe/London >etc/timezone
                echo raspberrypi >etc/hostname; printf '127.0.0.1\tlocalhost\n127.0.1.1\t\traspberrypi\n' >etc/hosts
                printf '[Time]\n#NTP=\nNTP=a.example b.example\n' >etc/systemd/timesyncd.conf
                printf '#net.ipv4.ip_forward=1\nkernel.printk = 3 4 1 3\nvm.min_free_kbytes=16384\n' >etc/sysctl.d/98-rpi.conf
                printf '[connection]\nid=wired\nuuid=1\ntype=ethernet\ninterface-name=eth0\n\n[ipv4]\nmethod=manual\n' \
                    >etc/NetworkManager/system-connections/wired.nmconnection
                printf 'address1=192.0.2.5/24,192.0.2.1\ndns=192.0.2.53;\ndns-search=lan;\n\n[ipv6]\nmethod=auto\n' \
                    >>etc/NetworkManager/system-connections/wired.nmconnection
                printf '[connection]\nid=home\ntype=wifi\ninterface-name=wlan0\n[wifi]\nssid=home\n' \
                    >etc/NetworkManager/system-connections/home.nmconnection
                printf '[wifi-security]\nkey-mgmt=wpa-psk\npsk=TOPSECRET\n' \
                    >>etc/NetworkManager/system-connections/home.nmconnection
                chmod 600 etc/NetworkManager/system-connections/*
                """,
            settings: [
                "kernel/sysctl/kernel.printk = 3 4 1 3  /etc/sysctl.d/98-rpi.conf:2",
                "kernel/sysctl/vm.min_free_kbytes = 16384  /etc/sysctl.d/98-rpi.conf:3",
                #"network/interfaces/eth0/addresses = ["192.0.2.5/24"]  "#
                    + "/etc/NetworkManager/system-connections/wired.nmconnection",
                #"network/interfaces/eth0/dns = ["192.0.2.53"]  "#
                    + "/etc/NetworkManager/system-connections/wired.nmconnection",
                "network/interfaces/eth0/gateway = 192.0.2.1  "
                    + "/etc/NetworkManager/system-connections/wired.nmconnection",
                #"network/interfaces/eth0/search = ["lan"]  "#
                    + "/etc/NetworkManager/system-connections/wired.nmconnection",
                "system/hostname = raspberrypi  /etc/hostname:1", "system/timezone = Europe/London  /etc/localtime",
                "time/ntp/enabled = true  /etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service",
                #"time/ntp/servers = ["a.example","b.example"]  /etc/systemd/timesyncd.conf:3"#,
            ],
            skipped: [
                "/etc/NetworkManager/system-connections/home.nmconnection is for the Wi-Fi of wlan0"
            ],
            // The host's own line has one tab, as Debian writes it.
            changed: ["etc/hosts"]),
        Prepared(
            testDescription: "Debian with ifupdown",
            files: """
                mkdir -p usr/sbin usr/share/zoneinfo/Etc etc/network/interfaces.d etc/chrony etc/sysctl.d
                touch usr/sbin/ifup usr/sbin/chronyd usr/share/zoneinfo/Etc/UTC
                cp usr/share/zoneinfo/Etc/UTC etc/localtime; echo debian >etc/hostname
                printf 'source /etc/network/interfaces.d/*\nauto lo\niface lo inet loopback\n' >etc/network/interfaces
                printf 'allow-hotplug eth0\niface eth0 inet dhcp\n' >>etc/network/interfaces
                printf 'iface eth1 inet static\n  address 192.0.2.5/24\n' >etc/network/interfaces.d/eth1
                printf '# servers\npool 2.debian.pool.ntp.org iburst\nsourcedir /etc/chrony/sources.d\n' >etc/chrony/chrony.conf
                printf 'net.ipv4.ip_forward=1\n-net.ipv4.conf.all.rp_filter = 2\n' >etc/sysctl.conf
                printf 'net/ipv4/ip_forward=0\nnet.ipv4.conf.*.rp_filter=1\nkernel.core_pattern=|/bin/x\nnonsense\n' \
                    >etc/sysctl.d/10-x.conf
                ln -s ../sysctl.conf etc/sysctl.d/99-sysctl.conf
                """,
            settings: [
                "kernel/sysctl/net.ipv4.conf.all.rp_filter = 2  /etc/sysctl.conf:2",
                "kernel/sysctl/net.ipv4.ip_forward = 1  /etc/sysctl.conf:1",
                "network/interfaces/eth0/dhcp = true  /etc/network/interfaces:5",
                "system/hostname = debian  /etc/hostname:1",
            ],
            skipped: [
                "/etc/localtime is no link to a zone", "/etc/chrony/chrony.conf:2 stays in force",
                "/etc/sysctl.d/10-x.conf:2 is a pattern",
                "/etc/sysctl.d/10-x.conf:3 sets kernel.core_pattern, which has",
                "/etc/sysctl.d/10-x.conf:4 is no assignment",
                "/etc/network/interfaces.d/eth1:1 defines it in a file of its own",
            ],
            changed: ["etc/network/interfaces"]),
        Prepared(
            testDescription: "systemd-networkd",
            files: units + """
                enable systemd-networkd multi-user; mkdir -p etc/systemd/network
                cat >etc/systemd/network/20-wired.network <<'END'
                [Match]
                Name=eth0

                [Link]
                MTUBytes=1400

                [Network]
                Address=192.0.2.5/24
                DNS=192.0.2.53 192.0.2.54
                Domains=lan example.org
                IPv6AcceptRA=no
                # The first one is reset.
                Gateway=192.0.2.99
                Gateway=

                [Address]
                Address=2001:db8::5/64

                [Route]
                Gateway=192.0.2.1

                [Route]
                Destination=10.0.0.0/8
                Gateway=192.0.2.9
                Metric=7
                END
                printf '[Match]\nName=eth1\n[Network]\nBridge=br0\nDHCP=ipv6\n' >etc/systemd/network/30-bridge.network
                printf '[Match]\nName=eth2\n[Network]\nDHCP=yes\n' >etc/systemd/network/05-first.network
                printf '[Match]\nName=en*\n[Network]\nDHCP=yes\n' >etc/systemd/network/90-all.network
                printf '[Match]\nName=eth7\n[Network]\nDHCP=yes\n' >etc/systemd/network/95-late.network
                printf '[Match]\nName=eth5\n[Network]\nGateway=192.0.3.1\n[DHCP]\nRouteMetric=5\n' >etc/systemd/network/40-metric.network
                printf '[Match]\nName=eth6\n[Link]\nMTUBytes=20\n[Network]\nAddress=192.0.6.5/24\n' >etc/systemd/network/50-bad.network
                printf '[Match]\r\nName=eth8\r\n[Network]\r\nAddress=192.0.8.5/24\r\n' >etc/systemd/network/60-windows.network
                # A reset of one route is none of the others.
                printf '[Match]\nName=eth9\n[Network]\nDHCP=no\nAddress=192.0.9.5/24\n[Route]\nGateway=192.0.9.1\n' >etc/systemd/network/70-routes.network
                printf '[Route]\nDestination=10.9.0.0/16\nGateway=\nGateway=192.0.9.9\n' >>etc/systemd/network/70-routes.network
                """,
            settings: [
                #"network/interfaces/eth0/addresses = ["192.0.2.5/24","2001:db8::5/64"]"#,
                #"network/interfaces/eth0/dns = ["192.0.2.53","192.0.2.54"]"#,
                "network/interfaces/eth0/gateway = 192.0.2.1", "network/interfaces/eth0/ipv6 = static",
                "network/interfaces/eth0/mtu = 1400",
                #"network/interfaces/eth0/routes = [{"destination":"10.0.0.0/8","gateway":"192.0.2.9","metric":7}]"#,
                #"network/interfaces/eth0/search = ["lan","example.org"]"#,
            ].map { $0 + "  /etc/systemd/network/20-wired.network" } + [
                #"network/interfaces/eth8/addresses = ["192.0.8.5/24"]  /etc/systemd/network/60-windows.network"#,
                #"network/interfaces/eth9/addresses = ["192.0.9.5/24"]  /etc/systemd/network/70-routes.network"#,
                "network/interfaces/eth9/gateway = 192.0.9.1  /etc/systemd/network/70-routes.network",
                #"network/interfaces/eth9/routes = [{"destination":"10.9.0.0/16","gateway":"192.0.9.9"}]  "#
                    + "/etc/systemd/network/70-routes.network",
            ],
            skipped: [
                "/etc/systemd/network/05-first.network:1 sorts before 10-cleat-eth2.network",
                "/etc/systemd/network/40-metric.network:6 has RouteMetric= next to a gateway",
                "/etc/systemd/network/50-bad.network has a value that network/interfaces/eth6/mtu",
                "/etc/systemd/network/90-all.network:1 matches by a pattern",
                "/etc/systemd/network/95-late.network:1 is for eth7",
                "/etc/systemd/network/30-bridge.network:4 has Bridge= in [Network]",
                "/etc/systemd/network/30-bridge.network:5 has DHCP= in [Network]",
            ]),
        Prepared(
            testDescription: "netplan's output",
            files: units + """
                enable systemd-networkd multi-user; mkdir -p run/systemd/network
                cat >run/systemd/network/10-netplan-eth0.network <<'END'
                [Match]
                Name=eth0

                [Network]
                DHCP=ipv4
                LinkLocalAddressing=ipv6

                [DHCP]
                RouteMetric=100
                UseMTU=true
                END
                """,
            settings: [
                "network/interfaces/eth0/dhcp = true", "network/interfaces/eth0/metric = 100",
            ].map { $0 + "  /run/systemd/network/10-netplan-eth0.network" },
            skipped: []),
        Prepared(
            testDescription: "BusyBox",
            files: """
                mkdir -p sbin bin etc/network; touch bin/busybox; ln -s ../bin/busybox sbin/ifup; echo busy >etc/hostname
                printf 'auto lo\niface lo inet loopback\nauto eth0\niface eth0 inet static\n' >etc/network/interfaces
                printf '\taddress 192.0.2.5\n\tnetmask 255.255.255.0\n\tgateway 192.0.2.1\n\n' >>etc/network/interfaces
                printf 'auto usb0\niface usb0 inet dhcp\n\thostname x\nsource-directory /etc/network/interfaces.d\n' \
                    >>etc/network/interfaces
                """,
            settings: [
                #"network/interfaces/eth0/addresses = ["192.0.2.5/24"]  /etc/network/interfaces:4"#,
                "network/interfaces/eth0/gateway = 192.0.2.1  /etc/network/interfaces:4",
                "system/hostname = busy  /etc/hostname:1",
            ],
            skipped: ["/etc/network/interfaces:11 has the option “hostname”"],
            changed: ["etc/network/interfaces"]),
    ]

    @Test(
        "What is there is printed, made in one change, and found by no second run; files of others stay",
        arguments: systems)
    func prepared(system: Prepared) async throws {
        try await Board.with { board in
            let made = try await board.script("mkdir -p $D/root/etc && cd $D/root && set -e\n" + system.files)
            try #require(made.status == 0, "\(made)")
            let sums = "cd $D/root && find etc run usr -type f -exec cksum '{}' + | sort -k 3"
            let before = try await board.script(sums).output
            let root = board.root
            func run(_ words: String..., status: Int32 = 0) async throws -> Board.Finished {
                let done = try await board.script(#"exec "$CLEAT" --root "$@""#, [root] + words)
                #expect(done.status == status, "\(words): \(done)")
                return done
            }
            let shown = try await run("init", "--dry-run")
            let lines = shown.lines
            #expect(
                lines.filter { $0.contains(" = ") && $0.contains("/") && !$0.hasPrefix(" ") } == system.settings,
                "\(shown)")
            for text in system.skipped { #expect(lines.contains { $0.hasPrefix(text) }, "\(text): \(shown)") }
            #expect(!shown.output.contains("SECRET"))
            #expect(try await board.script(sums).output == before)
            // It is no change without a word.
            _ = try await run("init", status: 64)

            let done = try await run("init", "--yes")
            #expect(done.output.contains("generation 1"), "\(done)")
            for text in system.skipped { #expect(done.errorText.contains("cleat: " + text), "\(text): \(done)") }
            let again = try await run("init", "--dry-run")
            #expect(again.lines.last == "nothing to import", "\(again)")
            let after = Set(try await board.script(sums).output.split(separator: "\n"))
            for line in before.split(separator: "\n") where !after.contains(line) {
                #expect(system.changed.contains { line.hasSuffix(" " + $0) }, "\(line) has changed")
            }
            #expect(try await run("log").output.contains("cleat init"))
        }
    }

    @Test("Damaged, endless and linked files are named, and do not keep the others from being read")
    func hostile() async throws {
        try await Board.with { board in
            let made = try await board.script(
                """
                set -e; mkdir -p $D/root/etc/sysctl.d $D/root/etc/systemd && cd $D/root
                yes 'vm.swappiness = 10' | head -n 10000 >etc/sysctl.d/10-many.conf
                printf '\\000\\377=\\n===\\nvm.dirty_ratio=\\n../../x=1\\nvm..x=1\\n' >etc/sysctl.d/20-odd.conf
                mkfifo etc/sysctl.d/30-fifo.conf; mkdir etc/sysctl.d/40-directory.conf; ln -s /etc/shadow etc/sysctl.d/50-link.conf
                ln -s 60-loop.conf etc/sysctl.d/60-loop.conf; head -c 3000000 /dev/zero >etc/sysctl.d/70-large.conf
                printf 'two words\\n' >etc/hostname
                """)
            try #require(made.status == 0, "\(made)")
            let agent = try await board.start()
            let found = try await agent.call(SystemInterface.Present.self, .init())
            #expect(
                found.settings.map(\.path).contains("kernel/sysctl/vm.swappiness") || !found.skipped.isEmpty, "\(found)"
            )
            #expect(!"\(found)".contains("root:"), "\(found)")
            let shown = try await board.cleat("init", "--dry-run", "--output", "json")
            #expect(shown.status == 0 && shown.output.contains("\"skipped\""), "\(shown)")
            #expect(try await agent.status().generation == 0)
        }
    }
}

/// Tests of `cleat init` on interfaces that others have configured in the kernel.
@Suite(
    "The configured interfaces become settings, and the kernel's state stays", .serialized, .tags(.board),
    .enabled(if: Machine.hasVeth, Machine.vethReason))
struct InitKernelTests {
    @Test("Addresses, gateway, routes and name servers of the kernel alone are equal before and after")
    func kernel() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                UnmanagedTests.preparation + """

                    mount -t tmpfs -o mode=755 none /run
                    ip link add cleat0 type veth peer name cleat1
                    ip link set cleat1 up
                    ip address add 192.0.2.5/24 dev cleat0
                    ip address add 2001:db8::5/64 dev cleat0 nodad
                    ip link set cleat0 up
                    ip route add default via 192.0.2.9
                    ip route add 10.0.0.0/8 via 192.0.2.8 metric 7
                    ip address add 10.8.0.6 peer 10.8.0.5 dev cleat1
                    mkdir -p /etc/sysctl.d
                    echo 'net.ipv4.tcp_fastopen_key=11111111-22222222-33333333-44444444' >/etc/sysctl.d/50-s.conf
                    printf '# theirs\\nsearch lan\\nnameserver 192.0.2.53\\n' >/etc/resolv.conf
                    """)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            // The kernel's own link-local address comes later, and its flags change meanwhile.
            let look = """
                ip -o address show dev cleat0 scope global | sed 's/ *valid_lft.*//; s/^[0-9]*: //'
                { ip route show; ip -6 route show; } | grep -v '^fe80\\|^multicast\\|^ff00' | sed 's/ linkdown//; s/ *$//'
                cat /sys/class/net/cleat0/mtu; grep -v '^#' /etc/resolv.conf
                """
            let before = try await space.script(look).output
            let links = try await board.cleat("status", "network").lines.map {
                $0.split(separator: " ").map(String.init)
            }
            #expect(links.contains(["cleat0", "-", "-", "-"]), "\(links)")
            let done = try await board.cleat("init", "--yes")
            #expect(done.status == 0 && !done.output.contains("11111111"), "\(done)")
            for text in [
                "/etc/sysctl.d/50-s.conf:1 sets net.ipv4.tcp_fastopen_key, which not all users may read",
                "the kernel has an address or a route of cleat1 that settings cannot express",
            ] { #expect(done.errorText.contains("cleat: " + text), "\(text): \(done)") }
            for text in [
                #"cleat0/addresses: unset -> ["192.0.2.5/24","2001:db8::5/64"]"#, "cleat0/gateway: unset -> 192.0.2.9",
                #""destination":"10.0.0.0/8""#, #"cleat0/dns: unset -> ["192.0.2.53"]"#,
                #"cleat0/search: unset -> ["lan"]"#,
            ] { #expect(done.output.contains(text), "\(text): \(done)") }
            #expect(try await space.script(look).output == before)
            let now = try await board.cleat("status", "network").lines.map { $0.split(separator: " ").map(String.init) }
            #expect(now.contains(["cleat0", "kernel", "Cleat", "-"]), "\(now)")
            #expect(try await board.cleat("init", "--dry-run").lines.last == "nothing to import")
            #expect(try await agent.findings().isEmpty)
        }
    }
}
