import CleatAPI
import CleatIO
import CleatTestSupport
import Testing

/// systemd-networkd, as the machine has it.
private enum Networkd {
    static let program = "/usr/lib/systemd/systemd-networkd"
    static let reason: Comment = "needs systemd-networkd, networkctl(1) and dbus-daemon(1)"
    static let isThere = Machine.can(
        "test -x \(program) && command -v networkctl dbus-daemon && grep ^systemd-network: /etc/passwd", reason)
}

/// Tests of the real service with the real systemd-networkd, in namespaces: the results are those of ip(8) after
/// networkctl(1) has reloaded the files.
@Suite(
    "Interfaces by systemd-networkd, end to end", .serialized, .enabled(if: Machine.hasVeth, Machine.vethReason),
    .enabled(if: Networkd.isThere, Networkd.reason))
struct NetworkdTests {
    /// Makes a link that a file of the administrator configures, and starts networkd: without udev it waits for no
    /// device if `/sys` cannot be written, except the links, whose MTU Cleat restores.
    private static let preparation =
        UnmanagedTests.preparation + InterfaceFamilies.writable + """

            mount -t tmpfs none /run
            mount -o remount,rw /sys
            mount --bind /sys/devices/virtual/net /sys/devices/virtual/net
            mount -o remount,bind,ro /sys
            mkdir -p /run/systemd/netif /etc/systemd/network
            chown systemd-network /run/systemd/netif
            echo 0123456789abcdef0123456789abcdef >/etc/machine-id
            cat >/etc/systemd/network/20-theirs.network <<'END'
            [Match]
            Name=cleat0
            [Network]
            DHCP=no
            Address=203.0.113.5/24
            [Route]
            Destination=10.9.0.0/16
            Gateway=203.0.113.9
            END
            ip link add cleat0 type veth peer name cleat1
            ip link set cleat1 up

            """ + RealServices.bus + "\(Networkd.program) 2>$D/networkd.log &\n"

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
        10.9.0.0/16 via 203.0.113.9
        203.0.113.0/24 proto kernel

        """

    private static let ours = """
        1400
        ,UP,
        inet 192.0.2.1/24
        inet6 2001:db8::1/64
        10.8.0.0/16 via 192.0.2.9
        192.0.2.0/24 proto kernel

        """

    /// Starts the service once systemd-networkd has configured the link.
    private static func start(_ board: Board) async throws -> (PrivateNamespace, RunningAgent) {
        let space = try await board.makeNamespace(preparation)
        try await board.eventually(
            space, "test -S /run/dbus/system_bus_socket && test -e /run/systemd/netif/state && \(look) || true",
            prints: theirs)
        var options = space.options
        options.isRooted = false
        return (space, try await board.start(options))
    }

    @Test("Set values are on the link once it is reloaded; reverted, and unset, the link is as it was before")
    func reload() async throws {
        try await Board.with { board in
            let (space, agent) = try await Self.start(board)
            let path = "network/interfaces/cleat0"
            func change(_ words: String...) async throws {
                let verbose = ["set", "unset", "rollback", "reapply"].contains(words.first) ? ["--verbose"] : []
                let done = try await board.script(#"exec "$CLEAT" "$@""#, words + verbose)
                #expect(done.status == 0, "\(words): \(done)")
                // What has become of a change on trial is not told line by line.
                guard !words.contains("--confirm"), words.first != "abort" else { return }
                #expect(done.output.contains("done: make systemd-networkd reload its files"), "\(done)")
            }
            try await change(
                "set", "\(path)/addresses=[\"192.0.2.1/24\",\"2001:db8::1/64\"]", "\(path)/mtu=1400",
                "\(path)/routes=[{\"destination\":\"10.8.0.0/16\",\"gateway\":\"192.0.2.9\"}]")
            try await board.eventually(space, Self.look, prints: Self.ours)

            _ = try await board.script(#"exec "$CLEAT" "$@""#, ["set", "\(path)/dns=[\"192.0.2.53\"]"])
            let live = try await board.script(#"exec "$CLEAT" "$@""#, ["get", "--live", "\(path)/dns"])
            #expect(live.output == "[\"192.0.2.53\"]\n", "\(live)")

            // Drift asks the kernel.
            try await space.script("ip address del 192.0.2.1/24 dev cleat0")
            #expect(try await board.cleat("drift").status == 1)
            let drift = try await agent.call(SystemInterface.Drift.self, .init()).drift
            #expect(drift.map(\.name) == ["interface:cleat0"] && drift.map(\.state) == [.changed], "\(drift)")
            #expect(drift.first?.message.contains("192.0.2.1/24") == true, "\(drift)")
            try await change("reapply", "interface:cleat0")
            try await board.eventually(space, Self.look, prints: Self.ours)

            // The old address stays while another one is on trial.
            try await change(
                "set", "\(path)/addresses=[\"198.51.100.5/24\"]", "\(path)/mtu=1300", "\(path)/routes=[]", "--confirm",
                "5m", "--id", "t1")
            try await board.eventually(
                space, Self.look,
                prints: """
                    1300
                    ,UP,
                    inet 192.0.2.1/24
                    inet 198.51.100.5/24
                    inet6 2001:db8::1/64
                    192.0.2.0/24 proto kernel
                    198.51.100.0/24 proto kernel

                    """)
            try await change("abort", "t1")
            try await board.eventually(space, Self.look, prints: Self.ours)

            try await change("set", "\(path)/enabled=false", "--confirm", "5m", "--id", "t2")
            try await board.eventually(space, Self.look, prints: "1400\noff\n")
            try await change("abort", "t2")
            try await board.eventually(space, Self.look, prints: Self.ours)

            try await change("unset", "\(path)/addresses", "\(path)/mtu", "\(path)/routes", "\(path)/dns")
            try await board.eventually(space, Self.look, prints: Self.theirs)
            #expect(try await space.script("ls /etc/systemd/network").output == "20-theirs.network\n")
        }
    }

    @Test("IPv6 and the metric of the default route follow their settings, and are as before once they are unset")
    func families() async throws {
        try await Board.with { board in
            let (space, agent) = try await Self.start(board)
            try await InterfaceFamilies.follow(board, space, domains: false)
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("A bridge is made, changed on trial, and gone once it is unset; its port is configured as before then")
    func bridge() async throws {
        try await Board.with { board in
            let (space, agent) = try await Self.start(board)
            // What others have is not taken: addresses without a file, and interfaces of the same name.
            try await space.script(
                "ip link add cleat7 type veth peer name cleat8; ip address add 198.51.100.7/24 dev cleat7; "
                    + "ip link add brx type bridge")
            for (words, reason) in [
                ("br0/bridge/ports=[\"cleat7\"]", "whose addresses (198.51.100.7/24) no file of systemd-networkd has"),
                ("brx/bridge/stp=true", "not made by Cleat"),
            ] {
                let refused = try await board.script(#"exec "$CLEAT" "$@""#, ["set", "network/interfaces/\(words)"])
                #expect(refused.status == 65 && refused.errorText.contains(reason), "\(refused)")
            }
            // A port that is not there yet is one once it is.
            _ = try await VirtualLinkTests.run(board, "set", "network/interfaces/br9/bridge/ports=[\"cleat9\"]")
            try await space.script("ip link add cleat9 type veth peer name cleat10")
            try await board.eventually(space, "ls /sys/class/net/br9/brif", prints: "cleat9\n")
            _ = try await VirtualLinkTests.run(board, "unset", "network/interfaces/br9")
            try await VirtualLinkTests.follow(board, space, mends: false)
            try await board.eventually(space, Self.look, prints: Self.theirs)
            #expect(try await space.script("ls /etc/systemd/network").output == "20-theirs.network\n")
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("The configuration that is there is made settings by init, and stays as it is")
    func initialised() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            let look = Self.look + "\nip route show default; cksum /etc/systemd/network/20-theirs.network"
            try await board.eventually(
                space,
                "test -S /run/dbus/system_bus_socket && test -e /run/systemd/netif/state && \(Self.look) || true",
                prints: Self.theirs)
            let before = try await space.script(look).output
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            #expect(
                try await board.cleat("status", "network").output.contains("/etc/systemd/network/20-theirs.network"))
            let done = try await board.cleat("init", "--yes")
            #expect(
                done.status == 0 && done.output.contains(#"cleat0/addresses: unset -> ["203.0.113.5/24"]"#)
                    && done.output.contains("wrote /etc/systemd/network/10-cleat-cleat0.network"), "\(done)")
            try await board.eventually(space, look, prints: before)
            #expect(try await space.script("networkctl status cleat0 | grep -c 10-cleat-cleat0").output == "1\n")
            #expect(try await board.cleat("init", "--dry-run").lines.last == "nothing to import")
            #expect(try await agent.findings().isEmpty)
            #expect(try await board.cleat("reset", "--yes").status == 0)
            try await board.eventually(space, look, prints: before)
        }
    }
}
