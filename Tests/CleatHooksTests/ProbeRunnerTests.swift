import CTestKernel
import CleatAPI
import CleatHooks
import CleatIO
import CleatObservers
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Running probes", .tags(.board))
struct ProbeRunnerTests {
    private static func look(_ text: String, _ runner: ProbeRunner) async throws -> ProbeOutcome {
        await runner.look(at: try Probe(text))
    }

    private static func runner(
        _ loop: EventLoop, _ commands: [ProbeCommand] = []
    ) -> ProbeRunner {
        var set = ProbeSet()
        for command in commands { set.commands[command.name] = command }
        return ProbeRunner(loop: loop, probes: set, socket: "/run/x", policy: TrustPolicy(user: Files.user))
    }

    private static func command(_ name: String, _ script: String, timeout: Int64 = 60_000) -> ProbeCommand {
        ProbeCommand(name: name, file: "/x", command: ["/bin/sh", "-c", script], timeout: timeout)
    }

    @Test(
        "A command holds if it ends with 0 in time; otherwise its end and its last output are reported")
    func commands() async throws {
        try await withLoop { loop in
            let runner = Self.runner(
                loop,
                [
                    Self.command("well", #"test "$CLEAT_PROBE $CLEAT_SOCKET" = "well /run/x" && test ! -t 0 && pwd"#),
                    Self.command("ill", "echo first; echo 'no \u{1B}[31mlight' >&2; exit 3"),
                    Self.command("slow", "exec sleep 100", timeout: 50), Self.command("killed", "kill -9 $$"),
                    Self.command(
                        "loud",
                        "i=0; while [ $i -lt 400 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done; exit 1"
                    ),
                ])
            #expect(try await Self.look("command:well", runner) == ProbeOutcome(holds: true, "it ended with 0"))
            #expect(
                try await Self.look("command:ill", runner)
                    == ProbeOutcome(holds: false, "/bin/sh exited with 3, saying “no [31mlight”"))
            #expect(
                try await Self.look("command:slow", runner)
                    == ProbeOutcome(holds: false, "/bin/sh did not end within 50 ms"))
            #expect(
                try await Self.look("command:killed", runner)
                    == ProbeOutcome(holds: false, "/bin/sh was ended by signal 9"))
            let loud = try await Self.look("command:loud", runner)
            #expect(!loud.holds && loud.message.utf8.count < 300, "\(loud)")
            let absent = try await Self.look("command:absent", runner)
            #expect(!absent.holds && absent.message.contains("absent.json5"), "\(absent)")
            runner.reload(ProbeSet())
            #expect(try await Self.look("command:well", runner).holds == false)
        }
    }

    @Test("Several are checked at the same time, and reported in their order; the loop turns meanwhile")
    func together() async throws {
        try await withLoop { loop in
            let directory = try TemporaryDirectory()
            let (here, there) = (directory.appending("here"), directory.appending("there"))
            // Each waits for the start of the other: run one after the other they would never succeed.
            let runner = Self.runner(
                loop,
                [
                    Self.command("one", "mkfifo \(here) && echo >\(here)"),
                    Self.command("two", "until [ -p \(here) ]; do sleep 0.01; done; cat <\(here); >\(there)"),
                ])
            let outcomes = await runner.look(
                at: try ["command:two", "link:lo", "command:one", "command:none"].map { text in try Probe(text) })
            #expect(outcomes.map(\.holds) == [true, false, true, false], "\(outcomes)")
            #expect(outcomes[1].message == "the links have not been read yet")
        }
    }

    @Test("A cancelled check ends at once, and its command with it")
    func cancelled() async throws {
        try await withLoop { loop in
            let directory = try TemporaryDirectory()
            let begun = directory.appending("begun")
            let runner = Self.runner(loop, [Self.command("slow", "echo $$ >\(begun); exec sleep 1000")])
            let task = loop.task { () async throws -> ProbeOutcome in try await Self.look("command:slow", runner) }
            #expect(try await loop.eventually { (try? contents(of: FilePath(begun)).hasSuffix("\n")) == true })
            task.cancel()
            #expect(try await task.value.holds == false)
            let pid = try #require(Int32(try contents(of: FilePath(begun)).dropLast()))
            #expect(!Files.isAlive(pid))
        }
    }

    private static let hasVeth: Bool = {
        guard Namespace.isAvailable, let loop = try? EventLoop() else { return false }
        let script = "ip link add p0 type veth peer name p1 && ip -6 addr add 2001:db8::1/64 dev p0 nodad"
        return (try? loop.block { try await Namespace.run(script, on: loop) })?.isSuccess == true
    }()

    /// Runs the body on a loop whose thread has a network of its own, with links that are followed.
    private static func inOwnNetwork(
        _ body:
            @escaping @Sendable (ProbeRunner, EventLoop, @escaping @Sendable (String) async throws -> Void) async throws
            -> Void
    ) async throws {
        try await withLoop { loop in
            let entered = ctest_enter_namespaces()
            try #require(entered == 0)
            let links = try LinkObserver(loop: loop, bus: EventBus(bootID: "boot"))
            let following = loop.task { try? await links.run() }
            await links.waitUntilReady()
            let runner = Self.runner(loop)
            runner.follow { await links.table }
            try await body(runner, loop) { script in
                var command = ChildCommand("/bin/sh", ["-e", "-c", script])
                command.environment = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
                let result = try await loop.run(command)
                #expect(result.isSuccess, "\(script): \(result.outputText)")
            }
            following.cancel()
            await following.value
        }
    }

    @Test(
        "Links and addresses, in a network of its own: missing, off, without carrier, up; without address, tentative, there",
        .enabled(if: hasVeth, "needs namespaces, and the ip(8) of iproute2"))
    func links() async throws {
        try await Self.inOwnNetwork { runner, loop, shell in
            func expect(_ probe: String, _ outcome: ProbeOutcome, _ place: SourceLocation = #_sourceLocation)
                async throws
            {
                // The kernel reports a change a moment after it was made.
                let told = try await loop.eventually { try await Self.look(probe, runner) == outcome }
                let last = try await Self.look(probe, runner)
                #expect(told, "\(probe): \(last)", sourceLocation: place)
            }
            try await expect("link:p0", ProbeOutcome(holds: false, "there is no such link", isImpossible: true))
            try await expect("address:p0", ProbeOutcome(holds: false, "there is no such link", isImpossible: true))
            try await shell("ip link add p0 type veth peer name p1")
            try await expect("link:p0", ProbeOutcome(holds: false, "it is switched off"))
            try await shell("ip link set p0 up")
            try await expect("link:p0", ProbeOutcome(holds: false, "it has no carrier"))
            try await expect("address:192.0.2.7", ProbeOutcome(holds: false, "no link has it"))
            try await expect("address:p1", ProbeOutcome(holds: false, "it has no address"))
            try await shell("ip link set p1 up; ip addr add 192.0.2.7/24 dev p0")
            try await expect("link:p0", ProbeOutcome(holds: true, "it is up"))
            try await expect("address:p0", ProbeOutcome(holds: true, "it has 192.0.2.7/24"))
            try await expect("address:192.0.2.7", ProbeOutcome(holds: true, "p0 has it"))
            // No other interface has this address, but the kernel detects that only once there is a carrier.
            try await shell("ip link set p1 down; ip -6 addr add 2001:db8::7/64 dev p0")
            try await expect("address:2001:db8::7", ProbeOutcome(holds: false, "it cannot be used yet"))
            try await shell("ip -6 addr del 2001:db8::7/64 dev p0; ip -6 addr add 2001:db8::7/64 dev p0 nodad")
            try await expect("address:2001:db8::7", ProbeOutcome(holds: true, "p0 has it"))
            try await shell("ip addr flush dev p0; ip link set lo up")
            try await expect("address:p0", ProbeOutcome(holds: false, "it has no address"))
            try await expect("link:lo", ProbeOutcome(holds: true, "it is up"))
        }
    }

    @Test(
        "Ping by an ICMP socket: not allowed by name, answered, no way, silence; both families, and one that is local to a link",
        .enabled(if: hasVeth, "needs namespaces, and the ip(8) of iproute2"))
    func ping() async throws {
        try await Self.inOwnNetwork { runner, loop, shell in
            try await shell(
                "echo 1 0 >/proc/sys/net/ipv4/ping_group_range; ip link set lo up; ip link add p0 type veth peer name p1"
            )
            try await shell(
                "ip link set p0 up; ip link set p1 up; ip addr add 192.0.2.7/24 dev p0; ip -6 addr add fe80::7/64 dev p0 nodad"
            )
            // By raw sockets, which the kernel's default leaves to those with CAP_NET_RAW, and by its own.
            for range in ["1 0", "0 2147483647"] {
                try await shell("echo \(range) >/proc/sys/net/ipv4/ping_group_range")
                for probe in ["ping:127.0.0.1", "ping:::1", "ping:192.0.2.7", "ping:fe80::7%p0"] {
                    #expect(
                        try await Self.look(probe, runner) == ProbeOutcome(holds: true, "it answered"),
                        "\(probe) \(range)")
                }
                let silent = await #expect(throws: ReachError.self) {
                    try await NetworkProbe(loop: loop).ping([192, 0, 2, 9], within: .milliseconds(100))
                }
                #expect(silent == .noAnswer(.milliseconds(100)), "\(range)")
            }
            let nowhere = try await Self.look("ping:198.51.100.1", runner)
            #expect(!nowhere.holds && nowhere.message == "\(Errno.networkUnreachable)", "\(nowhere)")
            #expect(try await Self.look("ping:fe80::1%p9", runner) == ProbeOutcome(holds: false, "there is no link p9"))
            let start = BootTime.now()
            let error = await #expect(throws: ReachError.self) {
                try await NetworkProbe(loop: loop).ping([192, 0, 2, 9], within: .milliseconds(100))
            }
            #expect(error == .noAnswer(.milliseconds(100)), "\(String(describing: error))")
            #expect(BootTime.now().duration(since: start) < .seconds(30).onThisMachine)
        }
    }

    @Test(
        "TCP: accepted, refused, no way, silence; both families",
        .enabled(if: hasVeth, "needs namespaces, and the ip(8) of iproute2"))
    func tcp() async throws {
        try await Self.inOwnNetwork { runner, loop, shell in
            try await shell("ip link set lo up; ip link add p0 type veth peer name p1; ip addr add 192.0.2.7/24 dev p0")
            try await shell("ip link set p0 up; ip link set p1 up")
            let listener = try Listener()
            defer { listener.close() }
            for probe in [
                "tcp:127.0.0.1:\(listener.port)", "tcp:[::1]:\(listener.port)", "tcp:192.0.2.7:\(listener.port)",
            ] {
                #expect(
                    try await Self.look(probe, runner) == ProbeOutcome(holds: true, "it accepted a connection"),
                    "\(probe)")
            }
            // No program listens on port 1: a closed listener may stay open in a child that another test is about to
            // start.
            let refused = try await Self.look("tcp:127.0.0.1:1", runner)
            #expect(refused == ProbeOutcome(holds: false, "Connection refused"))
            let nowhere = try await Self.look("tcp:198.51.100.1:22", runner)
            #expect(nowhere == ProbeOutcome(holds: false, "Network is unreachable"))
            let error = await #expect(throws: ReachError.self) {
                try await NetworkProbe(loop: loop).connect([192, 0, 2, 9], port: 22, within: .milliseconds(100))
            }
            #expect(error == .noAnswer(.milliseconds(100)), "\(String(describing: error))")
        }
    }
}
