import CleatAPI
import CleatIO
import CleatTestSupport
import Testing

/// NetworkManager, as `.ci/setup` has unpacked it.
private enum NetworkManager {
    static let place = RealServices.unpacked(".build-networkmanager")
    static let reason: Comment = "needs NetworkManager (.ci/setup test), dbus-daemon(1) and overlayfs"
    static let isThere = Machine.can(
        "test -x \(place)/usr/sbin/NetworkManager && test -x \(place)/usr/bin/nmcli && command -v dbus-daemon "
            + "&& grep -qw overlay /proc/filesystems", reason)

    /// BusyBox, whose udhcpd leases an address.
    static let leases = RealServices.unpacked(".build-busybox") + "/busybox"
    static let hasLeases = Machine.can("test -x \(leases)", reason)

    /// Makes a link, and starts NetworkManager for it: without udev it waits for no device if `/sys` cannot be written,
    /// except the links, whose MTU Cleat restores.
    static let preparation =
        UnmanagedTests.preparation + InterfaceFamilies.writable + """

            mount -t overlay -o lowerdir=\(place)/usr:/usr overlay /usr
            mount -t tmpfs none /run
            mount -t tmpfs none /var/lib
            mount -o remount,rw /sys
            mount --bind /sys/devices/virtual/net /sys/devices/virtual/net
            mount -o remount,bind,ro /sys
            mkdir -p /run/NetworkManager /var/lib/NetworkManager
            mkdir -p /etc/NetworkManager/system-connections /etc/NetworkManager/conf.d
            echo 0123456789abcdef0123456789abcdef >/etc/machine-id
            cat >/etc/NetworkManager/NetworkManager.conf <<'END'
            [main]
            plugins=keyfile
            [device-peer]
            match-device=interface-name:=cleat1
            managed=0
            END
            ip link add cleat0 type veth peer name cleat1
            ip link set cleat1 up
            while :; do
                while ! test -e $D/networkmanager; do sleep 0.05; done
                /usr/sbin/NetworkManager --no-daemon --log-level=INFO >>$D/networkmanager.log 2>&1
            done &

            """

    /// Starts it, as a child of what holds the namespaces.
    static let start = "touch $D/networkmanager\n"

    /// Prints `runs` once NetworkManager answers.
    static let answers = "nmcli -t general status >/dev/null 2>&1 && echo runs || true"

    /// Ends NetworkManager, and waits for that.
    static let stop =
        "rm -f $D/networkmanager\n"
        + forProcess("kill $process; while kill -0 $process 2>/dev/null; do sleep 0.05; done")

    /// Runs commands for the process, which is the only one of that name in these namespaces: `$process`.
    static func forProcess(_ commands: String) -> String {
        """
        for directory in /proc/[0-9]*; do
            if [ "$(cat $directory/comm 2>/dev/null)" = NetworkManager ] \
                && [ "$(readlink $directory/ns/net)" = "$(readlink /proc/self/ns/net)" ]; then
                process=${directory#/proc/}
                \(commands)
            fi
        done

        """
    }
}

/// Tests of the real service with the real NetworkManager, in namespaces: the results are those of ip(8) after nmcli(1)
/// has activated the profiles.
@Suite(
    "Interfaces by NetworkManager, end to end", .serialized, .enabled(if: Machine.hasVeth, Machine.vethReason),
    .enabled(if: NetworkManager.isThere, NetworkManager.reason))
struct NetworkManagerTests {
    private static let path = "network/interfaces/cleat0"
    private static let directory = "/etc/NetworkManager/system-connections"

    /// A profile of the administrator.
    private static let office = """
        cat >\(directory)/office.nmconnection <<'END'
        [connection]
        id=office
        uuid=0fb3a6a2-9e3f-4dd6-9f3c-4f5f2a1b7c11
        type=ethernet
        interface-name=cleat0

        [ethernet]

        [ipv4]
        address1=203.0.113.5/24,203.0.113.9
        method=manual
        route1=10.9.0.0/16,203.0.113.8

        [ipv6]
        addr-gen-mode=default
        method=auto
        END
        chmod 600 \(directory)/office.nmconnection

        """

    /// The MTU, whether it is on, its addresses and routes.
    private static let look = """
        cat /sys/class/net/cleat0/mtu
        ip -o link show dev cleat0 | grep -o '[<,]UP[,>]' || echo off
        ip -o address show dev cleat0 scope global | grep -o 'inet6\\{0,1\\} [^ ]*' | sort || true
        ip route show dev cleat0 | cut -d ' ' -f 1-3 | sort
        """

    private static let theirs = """
        1500
        ,UP,
        inet 203.0.113.5/24
        10.9.0.0/16 via 203.0.113.8
        203.0.113.0/24 proto kernel
        default via 203.0.113.9

        """

    private static let ours = """
        1400
        ,UP,
        inet 192.0.2.1/24
        inet6 2001:db8::1/64
        10.8.0.0/16 via 192.0.2.9
        192.0.2.0/24 proto kernel
        default via 192.0.2.9

        """

    private static func run(_ board: Board, _ words: [String], status: Int32 = 0) async throws -> Board.Finished {
        let done = try await board.script(#"exec "$CLEAT" "$@""#, words)
        #expect(done.status == status, "\(words): \(done)")
        return done
    }

    @Test("A profile of others is named, adopted, replaced, and in force again once nothing is set")
    func adoption() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + Self.office + RealServices.bus + NetworkManager.start)
            let kernel = "{ \(Self.look)\n} 2>/dev/null"
            try await board.eventually(space, kernel, prints: Self.theirs)
            let files = "cd /etc/NetworkManager && find . -type f -exec sha256sum '{}' + | sort"
            let before = try await space.script(files).output
            var options = space.options
            options.isRooted = false
            var agent = try await board.start(options)
            func run(_ words: String..., status: Int32 = 0) async throws -> Board.Finished {
                try await Self.run(board, words, status: status)
            }
            let refused = try await run("set", "\(Self.path)/mtu=1400", status: 65)
            #expect(
                refused.errorText.contains("the profile “office” (\(Self.directory)/office.nmconnection)")
                    && refused.errorText.contains("cleat adopt interface:cleat0"), "\(refused)")
            #expect(try await space.script(files).output == before)

            let theirs = try await run("status", "network")
            #expect(
                theirs.output.contains("others  the profile “office” (\(Self.directory)/office.nmconnection)"),
                "\(theirs)")
            _ = try await run("adopt", "interface:cleat0")
            #expect(try await agent.generation(1)?.comment == "adopted interface:cleat0")
            let ours = try await run("status", "network")
            #expect(ours.output.contains("Cleat  \(Self.directory)/cleat-cleat0.nmconnection"), "\(ours)")
            try await board.eventually(space, kernel, prints: Self.theirs)
            let list = try await run("get", Self.path, "--output", "json")
            for text in [#""203.0.113.5/24""#, #""gateway":"203.0.113.9""#, #""destination":"10.9.0.0/16""#] {
                #expect(list.output.filter { !$0.isWhitespace }.contains(text), "\(text): \(list)")
            }
            #expect(try await space.script("nmcli -g GENERAL.CONNECTION device show cleat0").output == "cleat-cleat0\n")
            #expect(try await agent.findings().isEmpty)

            _ = try await run(
                "set", "\(Self.path)/addresses=[\"192.0.2.1/24\",\"2001:db8::1/64\"]", "\(Self.path)/mtu=1400",
                "\(Self.path)/routes=[{\"destination\":\"10.8.0.0/16\",\"gateway\":\"192.0.2.9\"}]",
                "\(Self.path)/gateway=192.0.2.9", "\(Self.path)/dns=[\"192.0.2.53\"]")
            try await board.eventually(space, kernel, prints: Self.ours)
            #expect(try await space.script("cat /etc/resolv.conf").output.contains("nameserver 192.0.2.53\n"))
            func live(_ key: String) async throws -> String {
                try await run("get", "--live", "\(Self.path)/\(key)").output
            }
            #expect(try await live("dns").contains("192.0.2.53"))
            try await space.script(
                """
                mkdir -p /run/systemd/resolve/netif
                printf '# private\\nSERVERS=192.0.2.54 2001:db8::54\\nDOMAINS=lan\\n' \
                    >/run/systemd/resolve/netif/$(cat /sys/class/net/cleat0/ifindex)
                """)
            #expect(try await live("dns").contains("2001:db8::54"), "systemd-resolved has others")
            #expect(try await live("search").contains("lan"))
            try await space.script("rm -r /run/systemd/resolve")

            // Another profile is activated outside: that is drift.
            try await space.script("nmcli connection up office >/dev/null")
            #expect(try await board.cleat("drift").status == 1)
            let drift = try await agent.call(SystemInterface.Drift.self, .init()).drift
            #expect(drift.map(\.name) == ["interface:cleat0"] && drift.map(\.state) == [.changed], "\(drift)")
            _ = try await run("reapply", "interface:cleat0")
            try await board.eventually(space, kernel, prints: Self.ours)

            // The old address stays while another one is on trial.
            let trial = [
                "set", "\(Self.path)/addresses=[\"198.51.100.5/24\"]", "\(Self.path)/mtu=1300",
                "\(Self.path)/routes=[]",
                "\(Self.path)/gateway=198.51.100.9", "--confirm", "5m", "--id",
            ]
            let onTrial = """
                1300
                ,UP,
                inet 192.0.2.1/24
                inet 198.51.100.5/24
                inet6 2001:db8::1/64
                192.0.2.0/24 proto kernel
                198.51.100.0/24 proto kernel
                default via 198.51.100.9

                """
            _ = try await Self.run(board, trial + ["t1"])
            try await board.eventually(space, kernel, prints: onTrial)
            _ = try await run("abort", "t1")
            try await board.eventually(space, kernel, prints: Self.ours)

            // NetworkManager is started again while a change is on trial.
            _ = try await Self.run(board, trial + ["t2"])
            try await space.script(NetworkManager.stop + NetworkManager.start)
            try await board.eventually(space, NetworkManager.answers, prints: "runs\n")
            try await board.eventually(space, kernel, prints: onTrial)
            _ = try await run("abort", "t2")
            try await board.eventually(space, kernel, prints: Self.ours)

            _ = try await run("set", "\(Self.path)/enabled=false", "--confirm", "5m", "--id", "t3")
            // NetworkManager itself resets the MTU.
            try await board.eventually(space, "{ \(Self.look)\n} 2>/dev/null | tail -n +2", prints: "off\n")
            _ = try await run("abort", "t3")
            try await board.eventually(space, kernel, prints: Self.ours)

            // The service is killed while a change is on trial, which ends in time after the next start.
            _ = try await Self.run(board, trial.map { $0 == "5m" ? "3s" : $0 } + ["t4"])
            await agent.kill()
            agent = try await board.start(options)
            try await board.eventually(space, kernel, prints: Self.ours)
            let ended = try await board.cleat("confirm", "t4")
            #expect(ended.status != 0, "\(ended)")

            _ = try await run("reset", Self.path, "--yes")
            try await board.eventually(space, kernel, prints: Self.theirs)
            #expect(try await space.script(files).output == before)
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test(
        "An address is leased while the old one stays, which goes with the confirmation; a lease is no drift",
        .enabled(if: NetworkManager.hasLeases, "needs BusyBox's udhcpd (.ci/setup test)"))
    func lease() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + """
                    ip address add 198.51.100.1/24 dev cleat1
                    cat >/run/udhcpd.conf <<'END'
                    start 198.51.100.20
                    end 198.51.100.20
                    interface cleat1
                    lease_file /run/udhcpd.leases
                    opt subnet 255.255.255.0
                    opt router 198.51.100.1
                    opt dns 198.51.100.53
                    END
                    touch /run/udhcpd.leases
                    \(NetworkManager.leases) udhcpd -f /run/udhcpd.conf >/dev/null 2>&1 &

                    """ + RealServices.bus + NetworkManager.start)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            try await board.eventually(space, NetworkManager.answers, prints: "runs\n")
            _ = try await Self.run(board, ["set", #"\#(Self.path)/addresses=["192.0.2.1/24"]"#])
            let addresses = "ip -o -4 address show dev cleat0 | grep -o 'inet [^ ]*' | sort"
            #expect(try await space.script(addresses).output == "inet 192.0.2.1/24\n")

            _ = try await Self.run(
                board,
                ["set", "\(Self.path)/dhcp=true", "\(Self.path)/addresses=[]", "--confirm", "5m", "--id", "d"])
            try await board.eventually(space, addresses, prints: "inet 192.0.2.1/24\ninet 198.51.100.20/24\n")
            _ = try await Self.run(board, ["confirm", "d"])
            try await board.eventually(space, addresses, prints: "inet 198.51.100.20/24\n")
            try await board.eventually(
                space,
                "ip route show default dev cleat0 | cut -d ' ' -f 1-3; grep ^nameserver /etc/resolv.conf || true",
                prints: "default via 198.51.100.1\nnameserver 198.51.100.53\n")
            #expect(try await agent.findings().isEmpty)

            // An interface that does not exist yet is configured when it appears.
            let later = try await Self.run(
                board, ["set", #"network/interfaces/cleat7/addresses=["203.0.113.7/24"]"#])
            #expect(later.output.contains("it does not exist"), "\(later)")
            try await space.script("ip link add cleat7 type veth peer name cleat8; ip link set cleat8 up")
            try await board.eventually(
                space, "ip -o -4 address show dev cleat7 2>/dev/null | grep -o 'inet [^ ]*' || true",
                prints: "inet 203.0.113.7/24\n")
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("The profiles that are there are made settings by init, and stay as they are")
    func initialised() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + Self.office + RealServices.bus + NetworkManager.start)
            let look = "{ \(Self.look)\ncksum \(Self.directory)/office.nmconnection; } 2>/dev/null"
            try await board.eventually(space, "{ \(Self.look)\n} 2>/dev/null", prints: Self.theirs)
            let before = try await space.script(look).output
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let done = try await board.cleat("init", "--yes")
            #expect(
                done.status == 0 && done.output.contains(#"cleat0/addresses: unset -> ["203.0.113.5/24"]"#)
                    && done.output.contains("cleat0/gateway: unset -> 203.0.113.9"), "\(done)")
            try await board.eventually(space, look, prints: before)
            #expect(try await space.script("nmcli -g GENERAL.CONNECTION device show cleat0").output == "cleat-cleat0\n")
            #expect(try await board.cleat("init", "--dry-run").lines.last == "nothing to import")
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("IPv6, search domains and the metric follow their settings, and are as before once they are unset")
    func families() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + RealServices.bus + NetworkManager.start)
            try await board.eventually(space, NetworkManager.answers, prints: "runs\n")
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            try await InterfaceFamilies.follow(board, space, domains: true)
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("A bridge is made, changed on trial, and gone once it is unset; its port is configured as before then")
    func bridge() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + RealServices.bus + Self.office + NetworkManager.start)
            try await board.eventually(space, NetworkManager.answers, prints: "runs\n")
            try await board.eventually(space, Self.look, prints: Self.theirs)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            try await VirtualLinkTests.follow(board, space, mends: true)
            try await board.eventually(space, Self.look, prints: Self.theirs)
            #expect(try await space.script("ls \(Self.directory)").output == "office.nmconnection\n")
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("Wi-Fi networks of an interface that is not there yet are profiles, as NetworkManager reads them")
    func wireless() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + RealServices.bus + NetworkManager.start)
            try await board.eventually(space, NetworkManager.answers, prints: "runs\n")
            var options = space.options
            options.isRooted = false
            var agent = try await board.start(options)
            let wlan = "network/interfaces/wlan0/wifi"
            _ = try await Self.run(
                board,
                [
                    "set", "\(wlan)/home/ssid=Käfer; 3=\\x", #"\#(wlan)/home/passphrase= a "quo\ted; "#,
                    "\(wlan)/home/priority=7", "\(wlan)/home/hidden=true", "\(wlan)/open/ssid=12;13;",
                    "\(wlan)/open/security=open",
                ])
            let show =
                "LC_ALL=C.UTF-8 nmcli -s -e no -g 802-11-wireless.ssid,802-11-wireless.hidden,connection.autoconnect-priority"
            try await board.eventually(
                space, "\(show),802-11-wireless-security.psk connection show id cleat-wlan0-home",
                prints: "Käfer; 3=\\x\nyes\n907\n a \"quo\\ted; \n")
            try await board.eventually(
                space, "\(show) connection show id cleat-wlan0-open", prints: "12;13;\nno\n900\n")
            // The passphrase is in no plan and no listing.
            let plan = try await Self.run(board, ["plan", "\(wlan)/home/ssid=other"])
            #expect(!"\(plan)".contains("quo"), "\(plan)")
            let plain = try await Self.run(
                board, ["set", "network/interfaces/cleat0/wifi/a/security=open"], status: 65)
            #expect(plain.errorText.contains("ssid"), "\(plain)")
            let none = try await Self.run(
                board,
                [
                    "set", "network/interfaces/cleat0/wifi/a/security=open", "network/interfaces/cleat0/wifi/a/ssid=a",
                ], status: 65)
            #expect(none.errorText.contains("which is no Wi-Fi interface"), "\(none)")
            // Without NetworkManager, wpa_supplicant does not join them untested: the profiles stay.
            let profiles = "sha256sum \(Self.directory)/cleat-wlan0+*; ls /etc/wpa_supplicant 2>/dev/null || true"
            let before = try await space.script(profiles).output
            try await agent.stop()
            try await space.script(NetworkManager.stop)
            agent = try await board.start(options)
            let held = try await agent.call(SystemInterface.Drift.self, .init()).drift
            #expect(
                held.map(\.name) == ["/etc/wpa_supplicant/wpa_supplicant-wlan0.conf"]
                    && held.first?.message.contains("made when NetworkManager ran the network") == true, "\(held)")
            let refused = try await Self.run(board, ["set", "\(wlan)/home/priority=3"], status: 65)
            #expect(refused.errorText.contains("made for another network service"), "\(refused)")
            #expect(try await space.script(profiles).output == before)
            try await space.script(NetworkManager.start)
            try await board.eventually(space, NetworkManager.answers, prints: "runs\n")
            #expect(try await agent.call(SystemInterface.Drift.self, .init()).drift == [])
            _ = try await Self.run(board, ["unset", "network/interfaces/wlan0"])
            try await board.eventually(
                space, "nmcli -g NAME connection show | grep cleat-wlan0 || echo none", prints: "none\n")
        }
    }

    @Test("What settings cannot express is named; a profile of netplan is recognised; with --root only files change")
    func inexpressible() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + """
                    cat >\(Self.directory)/netplan-cleat0.nmconnection <<'END'
                    [connection]
                    id=netplan-cleat0
                    uuid=0fb3a6a2-9e3f-4dd6-9f3c-4f5f2a1b7c12
                    type=ethernet
                    interface-name=cleat0
                    [ipv4]
                    method=manual
                    address1=203.0.113.5/24
                    [ipv6]
                    method=disabled
                    never-default=true
                    END
                    chmod 600 \(Self.directory)/netplan-cleat0.nmconnection

                    """ + RealServices.bus + NetworkManager.start)
            try await board.eventually(
                space, "nmcli -g GENERAL.STATE device show cleat0 2>/dev/null | cut -d ' ' -f 1 || true",
                prints: "100\n")
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let refused = try await Self.run(board, ["set", "\(Self.path)/mtu=1400"], status: 65)
            #expect(
                refused.errorText.contains("netplan-cleat0") && refused.errorText.contains("/etc/netplan"), "\(refused)"
            )
            let adopted = try await Self.run(board, ["adopt", "interface:cleat0"], status: 65)
            #expect(adopted.errorText.contains("ipv6.never-default"), "\(adopted)")
            #expect(try await agent.status().generation == 0)
        }
    }

    @Test("While NetworkManager hangs a change is undone, and the service answers; it is as before once it runs on")
    func hanging() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + Self.office + RealServices.bus + NetworkManager.start)
            let kernel = "{ \(Self.look)\n} 2>/dev/null"
            try await board.eventually(space, kernel, prints: Self.theirs)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            _ = try await Self.run(board, ["adopt", "interface:cleat0"])
            let profile = "sha256sum \(Self.directory)/cleat-cleat0.nmconnection"
            let before = try await space.script(profile).output

            try await space.script(NetworkManager.forProcess("kill -STOP $process"))
            async let change = board.script(
                #"exec "$CLEAT" set "$1" "$2""#, ["\(Self.path)/mtu=1400", "\(Self.path)/gateway=203.0.113.1"])
            try await board.eventually("the profile is written") {
                try await space.script(profile).output != before
            }
            let start = ContinuousClock.now
            _ = try await Self.run(board, ["get", Self.path])
            #expect(ContinuousClock.now - start < .seconds(5), "a reader does not wait")
            let failed = try await change
            #expect(
                failed.status != 0 && failed.errorText.contains("make NetworkManager load its profiles"), "\(failed)")
            #expect(try await space.script(profile).output == before)
            #expect(try await space.script(kernel).output == Self.theirs)
            #expect(!(try await board.cleat("list", "network", "--only-set").output.contains("mtu")))
            let doctor = try await Self.run(board, ["doctor"], status: 1)
            #expect(doctor.output.contains("NetworkManager"), "\(doctor)")

            try await space.script(NetworkManager.forProcess("kill -CONT $process"))
            _ = try await Self.run(board, ["reapply", "--all"])
            try await board.eventually(space, kernel, prints: Self.theirs)
            #expect(try await agent.findings().isEmpty)
            _ = try await Self.run(board, ["set", "\(Self.path)/mtu=1400"])
            #expect(try await space.script("cat /sys/class/net/cleat0/mtu").output == "1400\n")
        }
    }

    @Test("Without NetworkManager running the profile waits for it; another service is noticed, and so is a second one")
    func stopped() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                NetworkManager.preparation + """
                    mkdir -p /etc/systemd/system/multi-user.target.wants
                    ln -s /usr/lib/systemd/system/NetworkManager.service /etc/systemd/system/multi-user.target.wants/

                    """ + RealServices.bus)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let set = try await Self.run(
                board, ["set", #"\#(Self.path)/addresses=["192.0.2.1/24"]"#, "\(Self.path)/gateway=192.0.2.9"])
            #expect(set.output.contains("NetworkManager is not running"), "\(set)")
            try await space.script(NetworkManager.start)
            try await board.eventually(
                space, "{ \(Self.look)\n} 2>/dev/null",
                prints: """
                    1500
                    ,UP,
                    inet 192.0.2.1/24
                    192.0.2.0/24 proto kernel
                    default via 192.0.2.9

                    """)
            #expect(try await agent.findings().isEmpty)

            // Another service runs the network from now on: nothing is applied by it until it is requested.
            try await space.script(NetworkManager.stop + "mkdir -p /run/systemd/netif/state")
            let drift = try await agent.call(SystemInterface.Drift.self, .init()).drift
            #expect(
                drift.map(\.name) == ["/etc/systemd/network/10-cleat-cleat0.network"]
                    && drift.first?.message.contains("NetworkManager") == true, "\(drift)")
            try await space.script(
                """
                rmdir /run/systemd/netif/state
                ln -s /usr/lib/systemd/system/systemd-networkd.service /etc/systemd/system/multi-user.target.wants/
                \(NetworkManager.start)
                """)
            try await board.eventually(
                space, "nmcli -g GENERAL.STATE device show cleat0 2>/dev/null | cut -d ' ' -f 1 || true",
                prints: "100\n")
            let doctor = try await Self.run(board, ["doctor"], status: 1)
            #expect(
                doctor.output.contains("systemd-networkd.service and NetworkManager.service, which are both enabled"),
                "\(doctor)")
        }
    }
}
