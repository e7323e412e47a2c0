import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Commands that watch a change on trial while the service is killed and started again, with the real programs.
@Suite("Waiting for a trial through a restart of the service", .serialized)
struct RestartTests {
    /// Begins a trial with `--wait`, and kills the service once that is under way.
    private static func wait(
        _ board: Board, _ agent: RunningAgent, _ id: String, _ name: String
    ) async throws -> Task<Board.Finished, any Error> {
        let waiting = board.loop.task {
            try await board.script(
                """
                "$CLEAT" set "system/hostname=$2" --confirm 5m --id "$1" --wait >"$D/out-$1"
                status=$?
                cat "$D/out-$1"
                exit $status
                """, [id, name])
        }
        // It has received all values that it has printed.
        let output = board.directory.appending("out-\(id)")
        try await board.eventually("the command waited") {
            guard SystemCalls.exists(output), try contents(of: FilePath(output)).contains("(id \(id))") else {
                return false
            }
            return try await agent.status().trial?.id == id
        }
        try await agent.stop(.kill)
        return waiting
    }

    @Test("It continues with the next run of the service, and reports the end; also of one that was reverted meanwhile")
    func continues() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            var waiting = try await Self.wait(board, agent, "t1", "one")
            agent = try await board.start()
            let next = agent
            try await board.eventually("the command was back") { try await next.status().connections == 2 }
            #expect(try await board.cleat("confirm", "t1").status == 0)
            let kept = try await waiting.value
            #expect(kept.status == 0 && ["generation 2", "t1"].allSatisfy(kept.output.contains), "\(kept)")
            #expect(kept.errorText.hasPrefix("cleat: "), "\(kept)")

            // Where the directory of the socket goes, too, it is waited for above.
            waiting = try await Self.wait(board, agent, "t2", "two")
            #expect(try await board.script("rm -r \(board.runtime)").status == 0)
            agent = try await board.start()
            #expect(try await board.cleat("abort", "t2").status == 0)
            let undone = try await waiting.value
            #expect(undone.status == 10 && undone.output.contains("generation 4"), "\(undone)")
            #expect(try await agent.get("system/hostname") == "one")

            // Where another store answers, it is another board.
            waiting = try await Self.wait(board, agent, "t3", "three")
            #expect(try await board.script("rm -r \(board.state)").status == 0)
            agent = try await board.start()
            let other = try await waiting.value
            #expect(other.status == 75, "\(other)")
        }
    }

    @Test("`cleat try` keeps or reverts its changes with the next run; without one it ends after the trial's time")
    func tries() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let pid = try agent.pid
            let (kill, killed) = ("kill -KILL \(pid); touch $D/killed", board.directory.appending("killed"))
            let trying = board.loop.task {
                try await board.cleat("try", "system/hostname=one", "--id", "t1", "--", "sh", "-c", kill)
            }
            try await board.eventually("the service was killed") { SystemCalls.exists(killed) }
            let next = try await board.start()
            let kept = try await trying.value
            #expect(kept.status == 0 && ["generation 2", "t1"].allSatisfy(kept.errorText.contains), "\(kept)")
            #expect(try await next.get("system/hostname") == "one")

            // It waits by the clock, as long on any machine, for what does not differ there.
            if TestMachine.slowness > 1 { return }
            let gone = try await board.cleat(
                "try", "system/hostname=two", "--id", "t2", "--confirm", "1s", "--", "sh", "-c",
                "kill -KILL \(next.pid)")
            #expect(
                gone.status == 69 && gone.errorText.contains("t2"), "\(gone)")
            let last = try await board.start()
            try await board.eventually("it was undone") { try await last.get("system/hostname") == "one" }
        }
    }

    /// Stands for ssh: the answer to the first change, or confirmation, is lost when it has come.
    private static let losingRelay = """
        import os, subprocess, sys, threading
        marker, relay = sys.argv[1], subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        was_lost, loses = os.path.exists(marker), threading.Event()
        def up():
            while data := os.read(0, 65536):
                is_change = b'"confirm"' in data and b'"plan"' not in data
                if not was_lost and (is_change or b'Transactions.Confirm"' in data):
                    loses.set()
                relay.stdin.write(data)
                relay.stdin.flush()
            relay.stdin.close()
        threading.Thread(target=up, daemon=True).start()
        while data := relay.stdout.read1(65536):
            if loses.is_set():
                open(marker, 'w').close()
                os._exit(255)
            os.write(1, data)
        """
    private static let reason: Comment = "needs python3, for a connection that loses an answer"
    private static let hasPython = Machine.can("command -v python3", reason)

    @Test(
        "An answer that is lost is requested again, by the id: the change is made once",
        .enabled(if: hasPython, reason))
    func lostAnswers() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let place = board.directory
            try place.write(Self.losingRelay, to: "relay.py")
            let ssh = try board.write(
                program: "ssh",
                "exec python3 \(place.appending("relay.py")) \(place.appending("lost")) \"$CLEATD\" connect "
                    + "--socket \(board.socket)")
            func cleat(_ words: String...) async throws -> Board.Finished {
                try await board.script(
                    #"exec "$CLEAT" -H root@board --ssh "$@""#, ["sh " + ssh] + words,
                    environment: ["CLEAT_SOCKET": "/nowhere/socket"])
            }
            let set = try await cleat("set", "system/hostname=one", "--confirm", "5m")
            #expect(set.status == 0 && set.output.contains("generation 1"), "\(set)")
            #expect(set.errorText.contains("root@board"), "\(set)")
            #expect(SystemCalls.exists(place.appending("lost")))
            #expect(try await agent.status().generation == 1)
            try SystemCalls.remove(place.appending("lost"))
            let confirmed = try await cleat("confirm")
            #expect(SystemCalls.exists(place.appending("lost")))
            #expect(confirmed.status == 0 && confirmed.output.contains("generation 1"), "\(confirmed)")
            let log = try await agent.call(SettingsInterface.Log.self, .init())
            #expect(log.generations.map(\.number) == [1], "\(log)")
        }
    }
}
