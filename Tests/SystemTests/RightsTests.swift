import CleatAPI
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of an ordinary user's service and settings of the system, with the real programs.
@Suite("A service without rights", .tags(.board), .serialized)
struct RightsTests {
    private static let canTry = Machine.isRoot && Machine.hasNamespaces && Machine.canStartUnprivileged
    private static let reason: Comment = "needs root, namespaces and the setpriv(1) of util-linux"

    @Test(
        "Settings of the system are refused before anything is written, naming the missing right; others are accepted",
        .enabled(if: canTry, reason))
    func refused() async throws {
        try await Board.with { board in
            try SystemCalls.makeDirectory(board.state, mode: 0o700)
            let prepared = try await board.script(
                #"""
                chmod 755 "$D" && cp "$CLEATD" "$D/cleatd" && chmod 755 "$D/cleatd"
                mkdir -p "$D/run" && chown -R 65534:65534 "$D/state" "$D/run" "$D/etc"
                """#)
            try #require(prepared.status == 0, "\(prepared)")
            // Its network, mounts and host name are the test's own, whatever it should do.
            let namespace = try await board.makeNamespace()
            let agent = try await board.start(
                .init(
                    launcher: namespace.launcher,
                    preparation: """
                        chmod 777 "$NOTIFY_SOCKET"
                        set -- --state "\(board.state)" --runtime "\(board.runtime)" --config "\(board.config)"
                        exec setpriv --reuid=65534 --regid=65534 --clear-groups "\(board.directory.text)/cleatd" "$@"
                        """))
            let before = try await namespace.script(
                "uname -n; ls -l /etc; cksum /proc/sys/net/ipv4/ip_forward")
            for verb in ["set", "plan", "set --check", "plan --rehearse"] {
                let refused = try await board.script(
                    #"exec "$CLEAT" \#(verb) system/hostname=other system/timezone=UTC kernel/sysctl/net.ipv4.ip_forward=1"#
                )
                #expect(refused.status == 65 && refused.output.isEmpty, "\(verb) \(refused)")
                for word in [
                    "system/hostname: needs to write /etc/hostname", "CAP_SYS_ADMIN", "start the service as root",
                    "system/timezone: needs to write /etc/localtime", "--root", "/proc/sys/net/ipv4/ip_forward",
                ] {
                    #expect(refused.errorText.contains(word), "\(verb): \(word) in \(refused)")
                }
            }
            #expect(try await agent.status().generation == 0)
            let after = try await namespace.script(
                "uname -n; ls -l /etc; cksum /proc/sys/net/ipv4/ip_forward")
            #expect(after.output == before.output)
            let own = try await board.cleat("set", "agent/log/level=debug")
            #expect(own.status == 0, "\(own)")
            #expect(try await agent.status().generation == 1)
        }
    }

    @Test("Root without a capability gets an error that names it", .enabled(if: canTry, reason))
    func bounded() async throws {
        try await Board.with { board in
            let namespace = try await board.makeNamespace()
            let agent = try await board.start(
                .init(
                    launcher: namespace.launcher,
                    preparation: """
                        set -- --state "\(board.state)" --runtime "\(board.runtime)" --config "\(board.config)"
                        exec setpriv --bounding-set=-sys_admin,-net_admin,-net_raw --inh-caps=-sys_admin,-net_admin,-net_raw "$CLEATD" "$@"
                        """))
            let refused = try await board.cleat("set", "system/hostname=other", "network/interfaces/eth0/mtu=1400")
            #expect(refused.status == 65, "\(refused)")
            for word in ["CAP_SYS_ADMIN", "CAP_NET_ADMIN", "the service is root: see its unit or container"] {
                #expect(refused.errorText.contains(word), "\(word) in \(refused)")
            }
            #expect(!refused.errorText.contains("start the service as root"), "\(refused)")
            #expect(try await agent.status().generation == 0)
            // A probe that can never succeed here proves nothing; the error names what would permit it.
            let ping = try await board.cleat("set", "agent/log/level=info", "--until", "ping:127.0.0.1")
            for word in ["lacks CAP_NET_RAW", "cleat set 'kernel/sysctl/net.ipv4.ping_group_range=0 2147483647'"] {
                #expect(ping.status == 65 && ping.errorText.contains(word), "\(word) in \(ping)")
            }
        }
    }
}
