import CleatAPI
import CleatIO
import CleatTestSupport
import Testing

/// BusyBox's udhcpc and udhcpd, as `.ci/setup` has unpacked them.
private enum BusyBox {
    static let place = RealServices.unpacked(".build-busybox")
    static let isThere = Machine.can(
        "test -x \(place)/busybox && test -x \(place)/default.script && grep -qw overlay /proc/filesystems",
        "needs BusyBox's udhcpc (.ci/setup test), and overlayfs")

    /// Makes a link whose peer has a DHCP server once `$D/udhcpd` exists, and installs the client.
    static let preparation =
        InterfaceTests.preparation + """

            mkdir -p $D/usr/sbin $D/usr/bin /etc/udhcpc
            cp \(place)/busybox $D/usr/bin/busybox
            ln -s ../bin/busybox $D/usr/sbin/udhcpc
            cp \(place)/default.script /etc/udhcpc/default.script
            mount -t overlay -o lowerdir=$D/usr:/usr overlay /usr
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
            { while ! test -e $D/udhcpd; do sleep 0.05; done; exec busybox udhcpd -f /run/udhcpd.conf; } >/dev/null 2>&1 &

            """
}

/// Addresses from DHCP where nothing but the kernel runs the network: the real udhcpc, started by the real service, and a
/// real server.
@Suite(
    "DHCP by udhcpc, end to end", .serialized, .enabled(if: Machine.hasVeth, Machine.vethReason),
    .enabled(if: BusyBox.isThere, "needs BusyBox's udhcpc (.ci/setup test), and overlayfs"))
struct LeaseTests {
    private static let path = "network/interfaces/cleat0"
    private static let addresses = "ip -o -4 address show dev cleat0 | grep -o 'inet [^ ]*' | sort"
    /// Prints the PIDs of the clients in this network namespace.
    private static let clients = """
        for process in /proc/[0-9]*; do
            case "$(tr '\\0' ' ' 2>/dev/null <$process/cmdline)" in
            /usr/sbin/udhcpc\\ *-i\\ cleat0*)
                if [ "$(readlink $process/ns/net)" = "$(readlink /proc/self/ns/net)" ]; then echo ${process#/proc/}; fi ;;
            esac
        done
        """
    private static let count = "{ \(clients); } | wc -l"

    @Test(
        "A lease configures the interface, survives the service, is drift without its client, and ends with the setting"
    )
    func lease() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(BusyBox.preparation)
            let look = InterfaceTests.look("cleat0") + "\nip route show default; cat /etc/resolv.conf"
            try await space.script("echo nameserver 192.0.2.1 >/etc/resolv.conf")
            let before = try await space.script(look).output
            var agent = try await board.start(InterfaceTests.options(space))

            // Without a server the client goes on asking, and the answer says so.
            let set = try await VirtualLinkTests.run(board, "set", "\(Self.path)/dhcp=true")
            #expect((set.output + set.errorText).contains("no DHCP server has answered cleat0"), "\(set)")
            #expect(try await space.script(Self.count).output == "1\n")
            try await space.script("touch $D/udhcpd")
            try await board.eventually(space, Self.addresses, prints: "inet 198.51.100.20/24\n")
            try await board.eventually(
                space, "ip route show default | cut -d ' ' -f 1-3; cat /etc/resolv.conf",
                prints: "default via 198.51.100.1\n\nnameserver 198.51.100.53\n")
            #expect(try await board.cleat("drift").status == 0)
            let live = try await VirtualLinkTests.run(board, "get", "--live", "\(Self.path)/addresses")
            #expect(live.output.contains("198.51.100.20/24"), "\(live)")

            // It is the board's, not the service's.
            try await agent.stop(.kill)
            #expect(try await space.script(Self.count).output == "1\n")
            agent = try await board.start(InterfaceTests.options(space))
            #expect(try await board.cleat("drift").status == 0)
            try await space.script("kill -9 $(\(Self.clients))")
            let drift = try await VirtualLinkTests.run(board, "drift", status: 1)
            #expect(drift.output.contains("has no DHCP client"), "\(drift)")
            _ = try await VirtualLinkTests.run(board, "reapply", "--all")
            try await board.eventually(space, Self.count, prints: "1\n")
            try await board.eventually(space, Self.addresses, prints: "inet 198.51.100.20/24\n")

            // A trial of fixed addresses ends the client, and its end starts it again.
            _ = try await VirtualLinkTests.run(
                board, "set", "\(Self.path)/dhcp=false", "\(Self.path)/addresses=[\"192.0.2.1/24\"]", "--confirm", "5m",
                "--id", "t1")
            #expect(try await space.script(Self.count).output == "0\n")
            #expect(try await space.script(Self.addresses).output.hasPrefix("inet 192.0.2.1/24\n"))
            _ = try await VirtualLinkTests.run(board, "abort", "t1")
            try await board.eventually(space, Self.count, prints: "1\n")
            try await board.eventually(space, Self.addresses, prints: "inet 198.51.100.20/24\n")

            for key in ["addresses=[\"192.0.2.1/24\"]", "gateway=192.0.2.9", "metric=7"] {
                let refused = try await VirtualLinkTests.run(board, "set", "\(Self.path)/\(key)", status: 65)
                #expect(refused.errorText.contains("next to dhcp=true"), "\(refused)")
            }
            _ = try await VirtualLinkTests.run(
                board, "set", "\(Self.path)/dhcp=false", "\(Self.path)/addresses=[\"192.0.2.1/24\"]", "--confirm", "5m",
                "--id", "t2")
            _ = try await VirtualLinkTests.run(board, "confirm", "t2")
            #expect(try await space.script(Self.addresses).output == "inet 192.0.2.1/24\n")
            #expect(try await space.script("ip route show default").output == "", "that of the lease is gone")
            _ = try await VirtualLinkTests.run(board, "unset", Self.path)
            try await board.eventually(space, Self.count, prints: "0\n")
            try await board.eventually(space, look, prints: before)
        }
    }

    @Test("An interface is configured when it appears, and another client is neither used nor ended")
    func others() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(BusyBox.preparation)
            _ = try await board.start(InterfaceTests.options(space))
            let later = try await VirtualLinkTests.run(board, "set", "network/interfaces/cleat9/dhcp=true")
            #expect((later.output + later.errorText).contains("it does not exist"), "\(later)")
            try await space.script("/usr/sbin/udhcpc -b -S -t 1 -T 1 -i cleat0 >/dev/null 2>&1")
            let refused = try await VirtualLinkTests.run(board, "set", "\(Self.path)/dhcp=true", status: 10)
            #expect(refused.errorText.contains("Another udhcpc runs for cleat0"), "\(refused)")
            #expect(try await space.script(Self.count).output == "1\n")
            try await space.script("kill -9 $(\(Self.clients))")
        }
    }

    @Test("Without the client, or without its script, DHCP is refused with what to install")
    func missing() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(InterfaceTests.preparation)
            let agent = try await board.start(InterfaceTests.options(space))
            let script = try await VirtualLinkTests.run(board, "set", "\(Self.path)/dhcp=true", status: 65)
            #expect(script.errorText.contains("install /usr/share/udhcpc/default.script"), "\(script)")
            try await space.script("mkdir /etc/udhcpc; touch /etc/udhcpc/default.script")
            let client = try await VirtualLinkTests.run(board, "set", "\(Self.path)/dhcp=true", status: 65)
            #expect(client.errorText.contains("there is no /usr/sbin/udhcpc"), "\(client)")
            #expect(try await agent.status().generation == 0)
        }
    }
}
