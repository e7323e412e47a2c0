import CleatAdapters
import CleatIO
import CleatJSON
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// The real programs that have charge of interfaces, each with the file that is written for it.
@Suite(.tags(.board), .enabled(if: Namespace.isAvailable, "\(Namespace.reason)"))
struct NetworkProgramTests {
    static let program = "/usr/lib/systemd/systemd-networkd"

    @Test(
        "the real systemd-networkd accepts the file",
        .enabled(
            if: TestLink.isAvailable && TestMachine.has("ip") && TestMachine.isThere(program),
            "needs systemd-networkd, ip(8) and a kernel that makes veth pairs in a namespace"))
    func networkd() async throws {
        let routes = InterfaceRouteTests.routes(
            ("10.0.0.0/8", "192.0.2.8", 7), ("203.0.113.0/24", nil, nil), ("2001:db9::/32", "2001:db8::9", nil))
        let file = try NetworkFileTests.text(NetworkdAdapter(), NetworkFileTests.whole + [("cleat0/routes", routes)])
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
        "the real ifup and ifdown accept the file, and leave no state",
        .enabled(
            if: TestLink.isAvailable && TestMachine.has("ip") && !IfupdownPrograms.all.isEmpty,
            "needs ifupdown or BusyBox's, ip(8) and a kernel that makes veth pairs in a namespace"),
        arguments: IfupdownPrograms.all)
    func ifupdown(programs: IfupdownPrograms) async throws {
        let routes = InterfaceRouteTests.routes(
            ("10.0.0.0/8", "203.0.113.1", 7), ("203.0.113.1/32", nil, nil), ("2001:db9::/32", "2001:db8::9", nil))
        let before = try NetworkFileTests.text(IfupdownAdapter(), NetworkFileTests.whole + [("cleat0/routes", routes)])
        let after = try NetworkFileTests.text(IfupdownAdapter(), [("cleat0/addresses", ["198.51.100.7/24"])])
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
                \(programs.script)
                echo 'source-directory /etc/network/interfaces.d' >/etc/network/interfaces
                printf '%s' "$BEFORE" >/etc/network/interfaces.d/cleat-cleat0
                ip link add cleat0 type veth peer name cleat1
                ip link set cleat1 up
                ifup cleat0
                ip -o address show cleat0
                ip route
                ip -6 route
                cat /sys/class/net/cleat0/mtu
                printf '%s' "$AFTER" >/etc/network/interfaces.d/cleat-cleat0
                printf '%s' "$BEFORE" | ifdown -i /proc/self/fd/0 cleat0 2>&1
                echo "down: $(ip -o address show cleat0)$(ip route)$(ip -6 route show dev cleat0)"
                ifup cleat0
                echo up again:
                ip route
                """,
                environment: ["BEFORE": before, "AFTER": after, "D": directory.text], on: loop)
        }
        #expect(result.isSuccess, "\(result)")
        for expected in [
            "inet 192.0.2.1/24 ", "inet 198.51.100.1/24 ", "inet6 2001:db8::1/64 ", "default via 192.0.2.9 dev cleat0",
            "10.0.0.0/8 via 203.0.113.1 dev cleat0 metric 7", "203.0.113.1 dev cleat0 scope link",
            "2001:db9::/32 via 2001:db8::9 dev cleat0", "\n1400\n", "down: \n",
            "up again:\n198.51.100.0/24 dev cleat0 proto kernel scope link src 198.51.100.7",
        ] {
            #expect(result.outputText.contains(expected), "\(expected) in \(result.outputText)")
        }
    }
}
