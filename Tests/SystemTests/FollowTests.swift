import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// A board and a computer in networks of their own, with a wire between them and a real sshd on the board.
private struct WiredBoard: Sendable {
    let board: Board
    let space: PrivateNamespace

    static let reason: Comment = "needs root, namespaces, ssh, sshd and ssh-keygen, for a board at the end of a wire"
    static let isAvailable = Machine.can(
        """
        test $(id -u) -eq 0 && unshare --net --mount --uts true && command -v sshd && command -v ssh &&
        command -v ssh-keygen && command -v ip && command -v nsenter
        """, reason)

    /// The computer's network is held by a process that ends with the board's.
    private static let wire = """
        unshare --net sleep 600 &
        pc=$!
        while test "$(readlink /proc/$pc/ns/net)" = "$(readlink /proc/self/ns/net)"; do sleep 0.05; done
        ip link add board0 type veth peer name pc0
        ip link set pc0 netns $pc
        ip address add 192.0.2.1/24 dev board0
        ip link set board0 up
        nsenter --target $pc --net ip address add 192.0.2.100/24 dev pc0
        nsenter --target $pc --net ip link set pc0 up
        nsenter --target $pc --net ip link set lo up
        nsenter --target $pc --net ip address add 192.0.2.66/32 dev lo
        echo $pc >$D/pc
        """

    static func with(
        on system: String = UnmanagedTests.preparation,
        _ body: @escaping @Sendable (WiredBoard) async throws -> Void
    ) async throws {
        try await Board.with { board in
            let place = board.directory
            let made = try await board.script(
                """
                cd $D
                for key in host user stranger; do ssh-keygen -q -t ed25519 -N '' -f key-$key || exit; done
                cp key-user.pub authorized
                echo "192.0.2.1 $(cat key-host.pub)" >known_hosts
                """)
            try #require(made.status == 0, "\(made.errorText)")
            try place.write(
                """
                Port 22
                ListenAddress 0.0.0.0
                HostKey \(place.appending("key-host"))
                AuthorizedKeysFile \(place.appending("authorized"))
                PidFile \(place.appending("sshd.pid"))
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                PermitRootLogin prohibit-password
                PrintMotd no

                """, to: "sshd_config")
            let space = try await board.makeNamespace(
                system + "\n" + wire + """

                    mount -t tmpfs -o mode=755 none /run
                    mkdir -m 0755 /run/sshd
                    $(command -v sshd) -D -e -f $D/sshd_config &
                    sed -e s/key-host/key-stranger/ -e s/sshd.pid/stranger.pid/ $D/sshd_config >$D/stranger_config
                    nsenter --target $pc --net $(command -v sshd) -D -e -f $D/stranger_config &
                    """)
            for name in ["sshd.pid", "stranger.pid"] {
                try await board.eventually("sshd listened") { SystemCalls.exists(place.appending(name)) }
            }
            try await body(WiredBoard(board: board, space: space))
        }
    }

    /// Starts the service on the board's own system.
    func start() async throws -> RunningAgent {
        var options = space.options
        options.isRooted = false
        return try await board.start(options)
    }

    /// Runs `cleat` on the computer.
    func cleat(
        _ arguments: String..., host: String = "root@192.0.2.1", options: String = ""
    ) async throws -> Board.Finished {
        let place = board.directory
        let ssh =
            "ssh \(options) -F none -i \(place.appending("key-user")) -o IdentitiesOnly=yes "
            + "-o UserKnownHostsFile=\(place.appending("known_hosts")) -o GlobalKnownHostsFile=none"
        let relay = TestPlaces.program("cleatd").string + " connect --socket \(board.socket)"
        return try await board.script(
            #"exec nsenter --target $(cat $D/pc) --net "$CLEAT" "$@""#,
            ["-H", host, "--ssh", ssh, "--remote-command", relay] + arguments,
            environment: ["CLEAT_SOCKET": "/nowhere/socket", "HOME": place.text])
    }

    /// The addresses of the board's end of the wire.
    func addresses() async throws -> [String] {
        try await space.script("ip -4 -o address show dev board0").lines.map {
            $0.split(separator: " ")[3].description
        }
    }
}

/// Tests of changes of a board's own address by `-H`, through a real sshd, applied by rtnetlink.
@Suite(
    "The command line follows a board to another address", .serialized,
    .enabled(if: WiredBoard.isAvailable, WiredBoard.reason))
struct FollowTests {
    @Test("It continues at the new address with a message; a confirmation by either address, or by itself, ends there")
    func follows() async throws {
        try await WiredBoard.with { wired in
            let agent = try await wired.start()
            let set = try await wired.cleat(
                "set", #"network/interfaces/board0/addresses=["192.0.2.2/24"]"#, "--confirm", "5m", "--id", "move")
            #expect(set.status == 0 && ["generation 1", "move"].allSatisfy(set.output.contains), "\(set)")
            #expect(["192.0.2.2", "board0"].allSatisfy(set.errorText.contains), "\(set)")
            let both = try await wired.addresses()
            #expect(both.sorted() == ["192.0.2.1/24", "192.0.2.2/24"], "\(both)")
            // Another process, by the old address: the confirmation uses the new one, and is answered.
            let confirmed = try await wired.cleat("confirm")
            #expect(confirmed.status == 0 && confirmed.output == "confirmed: generation 1 (id move)\n", "\(confirmed)")
            #expect(confirmed.errorText.contains("192.0.2.2"), "\(confirmed)")
            #expect(try await wired.addresses() == ["192.0.2.2/24"])

            // Who types the new address knows the key under that; the wait ends although the old one goes meanwhile.
            try wired.board.directory.write(
                "192.0.2.2 \(wired.board.directory.read("key-host.pub"))", to: "known_hosts")
            let waited = try await wired.cleat(
                "set", #"network/interfaces/board0/addresses=["192.0.2.3/24"]"#, "--until", "address:192.0.2.3",
                "--wait", host: "root@192.0.2.2")
            #expect(waited.status == 0 && waited.output.contains("address:192.0.2.3"), "\(waited)")
            #expect(try await wired.addresses() == ["192.0.2.3/24"])
            #expect(try await agent.status().trial == nil)
        }
    }

    @Test(
        "A client whose link is down ends with a message; the half-open connection blocks no client", .tags(.fault))
    func halfOpen() async throws {
        try await WiredBoard.with { wired in
            let agent = try await wired.start()
            let before = try await agent.status().connections
            // A cut link takes 45 seconds to be noticed by itself.
            let events = wired.board.loop.task {
                try await wired.cleat("events", options: "-o ServerAliveInterval=1 -o ServerAliveCountMax=2")
            }
            try await wired.board.eventually("the client follows") {
                try await agent.status().connections == before + 1
            }
            try await wired.space.script("nsenter --target $(cat $D/pc) --net ip link set pc0 down")
            let ended = try await events.value
            #expect(ended.status == 69 && !ended.errorText.isEmpty, "\(ended)")
            try await wired.space.script("nsenter --target $(cat $D/pc) --net ip link set pc0 up")
            let set = try await wired.cleat("set", "system/hostname=after")
            #expect(set.status == 0, "\(set)")
            #expect(try await agent.get("system/hostname") == "after")
        }
    }

    @Test(
        "A change that ends the connection is on trial by itself, and confirmed by a new connection at the new address",
        .tags(.fault))
    func guarded() async throws {
        try await WiredBoard.with { wired in
            let agent = try await wired.start()
            let set = try await wired.cleat(
                "set", #"network/interfaces/board0/addresses=["192.0.2.2/24"]"#, "--id", "move")
            #expect(set.status == 0, "\(set)")
            let made = try await agent.generation(1)
            #expect(made?.id == "move" && made?.state == nil, "\(made as Any)")
            for words in [
                "the change ends your connection: it uses 192.0.2.1 on board0, which loses this address; it is on trial for 2m",
                "the board answers at 192.0.2.2", "the change was confirmed over a new connection",
                "192.0.2.2 was added to the hosts that ssh knows, with the key of 192.0.2.1",
            ] {
                #expect(set.errorText.contains(words), "\(words): \(set)")
            }
            #expect(try await agent.status().trial == nil)
            #expect(try await wired.addresses() == ["192.0.2.2/24"])
            // The key is known under the new address now.
            let shown = try await wired.cleat("show", "move", host: "root@192.0.2.2")
            #expect(shown.status == 0 && shown.output.contains("board0/addresses"), "\(shown)")
            let unknown = try await wired.cleat("show", "other", host: "root@192.0.2.2")
            #expect(unknown.status != 0 && unknown.errorText.contains("other"), "\(unknown)")

            // Where the new address does not answer, the old one would not answer any more once it is kept.
            let lost = try await wired.cleat(
                "set", #"network/interfaces/board0/addresses=["198.51.100.2/24"]"#, "--id", "lost",
                host: "root@192.0.2.2")
            #expect(lost.status == 10 && lost.errorText.contains("198.51.100.2"), "\(lost)")
            #expect(try await agent.generations(of: "lost").contains { $0.state == .reverted })
            #expect(try await agent.status().trial == nil)
            #expect(try await wired.addresses() == ["192.0.2.2/24"])

            // What does not touch the way goes its way.
            let name = try await wired.cleat("set", "network/interfaces/pc9/mtu=1400", host: "root@192.0.2.2")
            #expect(name.status == 0 && !name.errorText.contains("cleat: "), "\(name)")
        }
    }

    @Test(
        "Rules that may keep the caller out are on trial by themselves, and confirmed by a new connection or reverted",
        .tags(.fault), .enabled(if: ReadySchemas.hasNftables, ReadySchemas.nftablesReason))
    func guardedRules() async throws {
        try await WiredBoard.with(on: ReadySchemas.preparation([ReadySchemas.nftables])) { wired in
            let agent = try await wired.start()
            let enabled = try await wired.cleat("schema", "enable", "nftables")
            #expect(enabled.status == 0, "\(enabled)")
            let plan = try await wired.cleat("plan", "network/firewall/input=drop")
            #expect(
                plan.output.contains(
                    "your connection: unknown (/run/cleat-firewall.nft changes, which may keep you from connecting again)"
                ),
                "\(plan)")
            let set = try await wired.cleat(
                "set", "network/firewall/input=drop", "network/firewall/open/ssh/ports=[22]")
            #expect(set.status == 0, "\(set)")
            for words in [
                "the change may end your connection: /run/cleat-firewall.nft changes", "it is on trial for 2m",
                "the change was confirmed over a new connection",
            ] { #expect(set.errorText.contains(words), "\(words): \(set)") }
            let status = try await agent.status()
            #expect(status.trial == nil && status.generation == 1)
            #expect(try await wired.cleat("get", "network/firewall/input").output == "drop\n")

            // Without the open port no new connection is accepted, so nothing confirms it.
            let locked = wired.board.loop.task {
                try await wired.cleat("unset", "network/firewall/open/ssh/ports", options: "-o ConnectTimeout=1")
            }
            try await wired.board.eventually("the change is on trial") { try await agent.status().trial != nil }
            try await wired.board.eventually(
                wired.space, "nft list table inet cleat | grep -c 'dport 22' || true", prints: "0\n")
            // The end of its time is not waited for.
            let trial = try #require(try await agent.status().trial)
            #expect(try await wired.board.cleat("abort", trial.id).status == 0)
            let reverted = try await locked.value
            #expect(
                reverted.status == 10 && reverted.errorText.contains("the change was reverted"), "\(reverted)")
            try await wired.space.script("nft list table inet cleat | grep 'dport 22'")
            #expect(try await wired.cleat("get", "network/firewall/open/ssh/ports").output.contains("22"))
            // Its settings do not keep others from being changed without a trial.
            let other = try await wired.cleat("set", "system/hostname=other")
            #expect(other.status == 0 && !other.errorText.contains("on trial"), "\(other)")
        }
    }

    @Test(
        "In a session on the board the change waits for a new session; a volatile one is refused; an option skips that",
        .tags(.fault))
    func guardedSession() async throws {
        try await WiredBoard.with { wired in
            let agent = try await wired.start()
            func inSession(_ words: String) async throws -> Board.Finished {
                try await wired.board.script(
                    #"""
                    nsenter --target $(cat $D/pc) --net ssh -F none -i $D/key-user -o IdentitiesOnly=yes \
                        -o UserKnownHostsFile=$D/known_hosts -o GlobalKnownHostsFile=none -o ServerAliveInterval=5 \
                        root@192.0.2.1 "CLEAT_SOCKET=$CLEAT_SOCKET $CLEAT $1"
                    """#, [words])
            }
            let change = #"'network/interfaces/board0/addresses=["192.0.2.2/24"]'"#
            let refused = try await inSession("set --volatile \(change)")
            #expect(refused.status == 65, "\(refused)")
            #expect(try await wired.addresses() == ["192.0.2.1/24"])
            let set = try await inSession("set \(change) --id here")
            #expect(set.status == 0 && set.output.contains("here"), "\(set)")
            #expect(set.errorText.contains("cleat confirm here"), "\(set)")
            #expect(try await agent.status().trial?.id == "here")
            let aborted = try await wired.cleat("abort", "here")
            #expect(aborted.status == 0, "\(aborted)")

            // Nothing is asked, and nothing answers any more: the error says how to ask, and where it went is known.
            let insisted = try await wired.cleat(
                "set", #"network/interfaces/board0/addresses=["192.0.2.2/24"]"#, "--id", "there", "--yes-cut-me-off")
            #expect(insisted.status == 69, "\(insisted)")
            #expect(insisted.errorText.contains("cleat -H root@192.0.2.1 show there"), "\(insisted)")
            #expect(try await wired.addresses() == ["192.0.2.2/24"])
            #expect(try await agent.status().trial == nil)
        }
    }

    @Test("A new address that does not answer, or has another's key, is reported; the old one answers, and aborts")
    func staysBehind() async throws {
        try await WiredBoard.with { wired in
            let agent = try await wired.start()
            let set = try await wired.cleat(
                "set", #"network/interfaces/board0/addresses=["198.51.100.2/24"]"#, "--confirm", "5m", "--id", "wrong")
            #expect(set.status == 0 && set.output.contains("wrong"), "\(set)")
            // What the login shell says there is not ours.
            let lines = set.errorText.split(separator: "\n").filter { $0.hasPrefix("cleat:") }
            #expect(
                lines.first.map { $0.contains("board0") && $0.contains("198.51.100.2: ssh: connect to host") } == true,
                "\(set)")
            #expect(lines.last?.contains("root@192.0.2.1 (192.0.2.1)") == true, "\(set)")
            let aborted = try await wired.cleat("abort", "wrong")
            #expect(aborted.status == 0 && aborted.output.contains("generation 2"), "\(aborted)")
            #expect(try await wired.addresses() == ["192.0.2.1/24"])

            // Another host has the new address, and accepts the same user: its key differs, so nothing is sent there.
            let tried = try await wired.cleat(
                "try", #"network/interfaces/board0/addresses=["192.0.2.66/24"]"#, "--id", "t1", "--", "false")
            #expect(tried.status == 1 && tried.errorText.contains("generation 4"), "\(tried)")
            #expect(tried.errorText.contains("192.0.2.66: Host key verification failed"), "\(tried)")
            #expect(try await wired.addresses() == ["192.0.2.1/24"])
            #expect(try await agent.status().trial == nil)
        }
    }
}
