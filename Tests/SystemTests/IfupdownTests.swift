import CleatAPI
import CleatIO
import CleatTestSupport
import Testing

/// Tests of the real service with the real ifup and ifdown, on an interface that they brought up before Cleat was
/// installed: the results are those of ip(8).
@Suite(
    "Interfaces by ifupdown, end to end", .serialized, .tags(.fault), .enabled(if: Machine.hasVeth, Machine.vethReason),
    .enabled(if: !IfupdownPrograms.all.isEmpty, "needs ifupdown or BusyBox's ifup"))
struct IfupdownTests {
    /// Makes a link that a stanza configures, has ifup bring it up, and takes the stanza out again, as the refusal of a
    /// setting asks for.
    private static func preparation(_ programs: IfupdownPrograms, _ stanza: String) -> String {
        UnmanagedTests.preparation + InterfaceFamilies.writable + """

            mount -t tmpfs -o mode=755 none /run
            mkdir -p /run/network /etc/network/interfaces.d /etc/udhcpc
            for part in pre-up up down post-down; do mkdir -p /etc/network/if-$part.d; done

            """ + RealServices.appear + programs.appearance + """

                echo 'source-directory /etc/network/interfaces.d' >/etc/network/interfaces
                ip link set lo up
                ip link add cleat0 type veth peer name cleat1
                ip link set cleat1 up
                cp /etc/network/interfaces /etc/network/interfaces.cleat
                printf 'auto cleat0\n\(stanza)\n' >>/etc/network/interfaces

                """
    }

    /// The remedy of the message about the conflicting stanza.
    private static let takeOut = "mv /etc/network/interfaces.cleat /etc/network/interfaces\n"

    private static let look = """
        ip -o link show dev cleat0 | grep -o '[<,]UP[,>]' || echo off
        ip -o -4 address show dev cleat0 scope global | grep -o 'inet [^ ]*' | sort || true
        ip route show dev cleat0 default | cut -d ' ' -f 1-3
        """

    @Test(
        "The first change of an interface that ifup has brought up works, on trial and after; unset brings it up again",
        arguments: IfupdownPrograms.all)
    func firstChange(programs: IfupdownPrograms) async throws {
        try await Board.with { board in
            let stanza = #"iface cleat0 inet static\naddress 203.0.113.5\nnetmask 255.255.255.0\ngateway 203.0.113.1"#
            let space = try await board.makeNamespace(
                Self.preparation(programs, stanza) + "ifup cleat0 >&2\n")
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let theirs = ",UP,\ninet 203.0.113.5/24\ndefault via 203.0.113.1\n"
            let ours = ",UP,\ninet 192.0.2.5/24\ndefault via 192.0.2.1\n"
            func looks(_ expected: String, _ when: Comment) async throws {
                let found = try await space.script(Self.look).output
                #expect(found == expected, when)
            }
            func run(_ words: String..., status: Int32 = 0) async throws -> Board.Finished {
                let done = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(done.status == status, "\(words): \(done)")
                return done
            }
            let path = "network/interfaces/cleat0"
            let change = ["\(path)/addresses=[\"192.0.2.5/24\"]", "\(path)/gateway=192.0.2.1"]

            let refused = try await run("set", change[0], status: 65)
            #expect(refused.errorText.contains("cleat adopt interface:cleat0"), "\(refused)")
            try await space.script(Self.takeOut)
            try await looks(theirs, "before")

            _ = try await run("set", change[0], change[1], "--confirm", "5m", "--id", "t1")
            try await looks(
                ",UP,\ninet 192.0.2.5/24\ninet 203.0.113.5/24\ndefault via 192.0.2.1\n",
                "on trial, beside the old address")
            _ = try await run("abort", "t1")
            try await looks(theirs, "undone")

            _ = try await run("set", change[0], change[1], "--confirm", "5m", "--id", "t2")
            _ = try await run("confirm", "t2")
            try await looks(ours, "confirmed")
            #expect(try await agent.findings().isEmpty)

            // Drift asks the kernel, too.
            try await space.script("ip address del 192.0.2.5/24 dev cleat0; ip address add 10.1.1.1/24 dev cleat0")
            let drift = try await agent.call(SystemInterface.Drift.self, .init()).drift
            #expect(drift.map(\.name) == ["interface:cleat0"], "\(drift)")
            let message = drift.first?.message ?? ""
            #expect(drift.map(\.state) == [.changed], "\(drift)")
            #expect(["192.0.2.5/24", "default", "10.1.1.1/24"].allSatisfy(message.contains), "\(message)")
            let adopted = try await run("adopt", "interface:cleat0", status: 65)
            #expect(adopted.errorText.contains("ifupdown"), "\(adopted)")
            _ = try await run("reapply", "interface:cleat0")
            try await looks(ours, "reapplied")
            #expect(try await agent.findings().isEmpty)

            _ = try await run("set", "\(path)/addresses=[\"192.0.2.6/24\"]")
            try await looks(",UP,\ninet 192.0.2.6/24\ndefault via 192.0.2.1\n", "changed again")
            _ = try await run("unset", path)
            try await looks(theirs, "unset: as it was before Cleat, up")
            #expect(try await space.script("ls /etc/network/interfaces.d").output == "")
            _ = try await run("set", change[0], change[1])
            try await looks(ours, "set again")
            _ = try await run("reset", "--yes")
            try await looks(theirs, "reset: as it was before Cleat, up")
            try await agent.stop()
        }
    }

    @Test(
        "The lines of an interface are taken over by adopt and by init, and are as before once nothing is set",
        arguments: IfupdownPrograms.all)
    func takenOver(programs: IfupdownPrograms) async throws {
        try await Board.with { board in
            let stanza =
                #"iface cleat0 inet static\n  address 203.0.113.5\n  # ours\n  netmask 255.255.255.0\n"#
                + #"\n  gateway 203.0.113.1\niface cleat9 inet dhcp\n  up true"#
            let space = try await board.makeNamespace(
                Self.preparation(programs, stanza) + "cp /etc/network/interfaces /run/before; ifup cleat0 >&2\n")
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let theirs = ",UP,\ninet 203.0.113.5/24\ndefault via 203.0.113.1\n"
            func looks(_ expected: String, _ when: Comment) async throws {
                let found = try await space.script(Self.look).output
                #expect(found == expected, when)
            }
            func run(_ words: String...) async throws -> Board.Finished {
                let done = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(done.status == 0, "\(words): \(done)")
                return done
            }
            let path = "network/interfaces/cleat0"
            for takeOver in [["adopt", "interface:cleat0"], ["init", "--yes"]] {
                let done = try await board.script(#"exec "$CLEAT" "$@""#, takeOver)
                #expect(done.status == 0, "\(done)")
                try await looks(theirs, "taken over: the same")
                #expect(try await run("get", "\(path)/gateway").output == "203.0.113.1\n")
                let file = try await space.script("cat /etc/network/interfaces").output
                #expect(file.contains("# cleat cleat0: auto cleat0\n"), "\(file)")
                #expect(file.contains("# cleat cleat0:   address 203.0.113.5\n  # ours\n"), "\(file)")
                #expect(file.contains("\niface cleat9 inet dhcp\n  up true"), "\(file)")
                _ = try await run("set", "\(path)/addresses=[\"192.0.2.5/24\"]", "\(path)/gateway=192.0.2.1")
                try await looks(",UP,\ninet 192.0.2.5/24\ndefault via 192.0.2.1\n", "changed")
                #expect(try await agent.findings().isEmpty)
                // A reverted release makes the lines comments again.
                let changed = try await space.script("cat /etc/network/interfaces").output
                _ = try await run("unset", path, "--confirm", "5m", "--id", takeOver[0])
                try await looks(theirs, "unset on trial")
                _ = try await run("abort", takeOver[0])
                try await looks(",UP,\ninet 192.0.2.5/24\ndefault via 192.0.2.1\n", "aborted")
                #expect(try await space.script("cat /etc/network/interfaces").output == changed)
                _ = try await run("reset", "--yes")
                try await looks(theirs, "reset")
                #expect(try await space.script("cmp /run/before /etc/network/interfaces").output == "")
            }
            // An outside edit that brings the lines back is reported.
            _ = try await run("adopt", "interface:cleat0")
            try await space.script("cp /run/before /etc/network/interfaces")
            let drift = try await agent.call(SystemInterface.Drift.self, .init()).drift
            #expect(drift.map(\.name) == ["/etc/network/interfaces"], "\(drift)")
            _ = try await run("reapply", "/etc/network/interfaces")
            try await looks(theirs, "reapplied")
            #expect(try await agent.findings().isEmpty)
            try await agent.stop()
        }
    }

    @Test(
        "IPv6, search domains and the metric follow their settings, and are as before once they are unset",
        arguments: IfupdownPrograms.all)
    func families(programs: IfupdownPrograms) async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation(programs, "") + Self.takeOut)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            try await InterfaceFamilies.follow(
                board, space, domains: true, dns: "192.0.2.53", restoresAcceptance: true)
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("If ifup reports success without an effect, the change fails and reverts")
    func notDone() async throws {
        let programs = try #require(IfupdownPrograms.all.first)
        try await Board.with { board in
            let space = try await board.makeNamespace(
                Self.preparation(programs, "") + Self.takeOut + """
                    printf '#!/bin/sh\\nexit 0\\n' >/run/shown/usr/sbin/ifup

                    """)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let done = try await board.refusal("set", #"network/interfaces/cleat0/addresses=["192.0.2.5/24"]"#)
            #expect(done.status == 10 && done.code == "NotApplied", "\(done)")
            #expect(try await space.script("ls /etc/network/interfaces.d").output == "")
            let undone = try #require(try await agent.generation(1))
            let failed = undone.results?.filter { $0.state == .failed } ?? []
            #expect(undone.state == .reverted, "\(undone)")
            #expect(failed.contains { $0.message.contains("ifupdown") && $0.message.contains("cleat0") }, "\(undone)")
            try await agent.stop()
        }
    }

    @Test(
        "The first change stops the DHCP client of the interface, and its revert starts it again",
        .enabled(if: IfupdownPrograms.busyBox != nil, "needs BusyBox's udhcpc and udhcpd"),
        arguments: IfupdownPrograms.all)
    func dhcp(programs: IfupdownPrograms) async throws {
        guard let busyBox = IfupdownPrograms.busyBox else { return }
        try await Board.with { board in
            let server = """
                cp \(busyBox) /run/shown/usr/sbin/udhcpc
                mkdir -p /run/leases
                printf 'start 203.0.113.50\\nend 203.0.113.50\\ninterface cleat1\\nlease_file /run/leases/l\\n\
                pidfile /run/leases/pid\\noption subnet 255.255.255.0\\noption router 203.0.113.1\\noption lease 3600\\n' \
                    >/run/udhcpd.conf
                : >/run/leases/l
                ip address add 203.0.113.1/24 dev cleat1
                cat >/etc/udhcpc/default.script <<'END'
                #!/bin/sh
                case $1 in
                bound|renew)
                    /bin/ip address replace "$ip/$mask" dev "$interface" valid_lft "$lease" preferred_lft "$lease"
                    /bin/ip route replace default via "$router" dev "$interface"
                    ;;
                deconfig) /bin/ip -4 address flush dev "$interface"; /bin/ip link set dev "$interface" up ;;
                esac
                END
                chmod 755 /etc/udhcpc/default.script
                \(busyBox) udhcpd -f /run/udhcpd.conf >&2 &
                ifup cleat0 >&2 </dev/null
                \(Self.takeOut)
                """
            let space = try await board.makeNamespace(
                Self.preparation(programs, "iface cleat0 inet dhcp") + server)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let leased = ",UP,\ninet 203.0.113.50/24\ndefault via 203.0.113.1\n"
            /// Returns the processes of clients in these namespaces, which outlive their parents.
            @Sendable func clients() async throws -> [Substring] {
                try await space.script(
                    """
                    for process in /proc/[0-9]*; do
                        test "$(readlink $process/ns/net)" = "$(readlink /proc/self/ns/net)" || continue
                        if tr '\\0' ' ' <$process/cmdline | grep -q '^udhcpc '; then echo ${process#/proc/}; fi
                    done 2>/dev/null
                    """
                ).output.split(separator: "\n")
            }
            #expect(try await space.script(Self.look).output == leased)
            // A client that has its lease forks, and its parent ends: a search at that instant may miss both.
            #expect(try await eventually { try await clients().count == 1 })
            let path = "network/interfaces/cleat0"
            let set = try await board.cleat(
                "set", "\(path)/addresses=[\"192.0.2.5/24\"]", "\(path)/gateway=192.0.2.1", "--confirm", "5m", "--id",
                "t1")
            #expect(set.status == 0, "\(set)")
            #expect(
                try await space.script(Self.look).output
                    == ",UP,\ninet 192.0.2.5/24\ninet 203.0.113.50/24\ndefault via 192.0.2.1\n")
            let left = try await clients().count
            #expect(left == 0)
            let abort = try await board.cleat("abort", "t1")
            #expect(abort.status == 0, "\(abort)")
            try await board.eventually(space, Self.look, prints: leased)
            #expect(try await eventually { try await clients().count == 1 })
            try await agent.stop()
            for process in try await clients() { try await space.script("kill \(process)") }
        }
    }
}
