import CleatAdapters
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// Programs that have services take up a change.
@Suite(.tags(.board)) struct ActionRunnerTests {
    static func run(
        _ actions: [AdapterAction], stopsAtFailure: Bool = true, root: FilePath? = nil
    ) async throws -> [ActionResult] {
        try await withLoop { loop in
            let system = try SystemResources(root: root)
            return await ActionRunner(on: loop, system).run(actions, stopsAtFailure: stopsAtFailure)
        }
    }

    static func shell(_ script: String, limit: Duration = .seconds(30).onThisMachine, needs: String? = nil)
        -> AdapterAction
    {
        .command(
            ActionCommand(
                "run \(script)", ways: [.init("/bin/sh", ["-c", script], needs: needs)], timeLimit: limit))
    }

    @Test func theFirstWayThatIsThereIsTaken() async throws {
        let results = try await Self.run([
            .command(
                ActionCommand(
                    "try",
                    ways: [
                        .init("/no/such/program"), .init("/bin/sh", ["-c", "exit 3"], needs: "/no/such/place"),
                        .init("/bin/sh", ["-c", "exit 0"], needs: "/usr"),
                    ]))
        ])
        #expect(results.map(\.outcome) == [.done])
    }

    @Test func whatIsNowhereIsSkippedUnlessItIsRequired() async throws {
        let command = ActionCommand("reload it", ways: [.init("/no/such/program")])
        var required = command
        required.isRequired = true
        let results = try await Self.run([.command(command), .command(required)])
        #expect(results.map(\.isSuccess) == [true, false])
        guard case .failed(let text) = results[1].outcome else { return }
        #expect(text == "Could not reload it: none of /no/such/program is here; install one of them.")
    }

    @Test func aFailureEndsAChangeAndNotARevert() async throws {
        let actions = [Self.shell("echo broken; exit 4"), Self.shell("exit 0")]
        let stopped = try await Self.run(actions)
        #expect(stopped.count == 1)
        guard case .failed(let text) = stopped[0].outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(text.hasSuffix("/bin/sh exited with 4, saying “broken”; see its own log."), "\(text)")
        #expect(try await Self.run(actions, stopsAtFailure: false).map(\.isSuccess) == [false, true])
    }

    @Test func aProgramThatHangsIsEnded() async throws {
        let results = try await Self.run([Self.shell("sleep 600", limit: .milliseconds(200))])
        guard case .failed(let text) = results[0].outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(text.utf8.count < 300 && !results[0].isSuccess, "\(text)")
    }

    @Test func nothingRunsUnderARoot() async throws {
        let directory = try TemporaryDirectory()
        let results = try await Self.run(
            [Self.shell("touch \(directory.appending("made"))"), .reboot("a reason")], root: directory.path)
        try #require(results.count == 2, "\(results)")
        #expect(results[0].outcome == .skipped("under a root directory no service is spoken to"))
        // Nothing is done for that in any place.
        #expect(results[1].outcome == .needsReboot("a reason"))
        #expect(try names(in: directory.text) == [])
    }

    @Test("what is done to an interface takes the place of what was to be done to it, and of nothing else")
    func superseding() {
        func command(_ title: String, of subject: String?) -> AdapterAction {
            .command(ActionCommand(title, ways: [.init("/bin/true")], subject: subject))
        }
        let down = command("take eth0 down", of: "eth0")
        #expect(command("bring eth0 up", of: "eth0").supersedes(down))
        #expect(!command("bring eth1 up", of: "eth1").supersedes(down))
        #expect(!command("reload", of: nil).supersedes(down) && !down.supersedes(command("reload", of: nil)))
        #expect(command("reload", of: nil).supersedes(command("reload", of: nil)))
        #expect(!command("reload", of: nil).supersedes(command("restart", of: nil)))
        #expect(!AdapterAction.reboot("x").supersedes(.reboot("y")))
    }
}
