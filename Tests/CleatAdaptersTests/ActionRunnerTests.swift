import CleatAdapters
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of programs that make services reload a change.
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
                "run \(script)", program: "/bin/sh", ["-c", script], needs: needs.map { RunningSign($0) },
                timeLimit: limit))
    }

    /// Boards with and without a merged /usr have their programs in different directories.
    @Test(
        "A program is found in each directory of the search path, and nowhere else", .tags(.fault),
        arguments: ["/usr/sbin", "/usr/bin", "/sbin", "/bin"])
    func search(directory: String) async throws {
        let root = try TemporaryDirectory()
        for place in ["usr", "usr/sbin", "usr/bin", "sbin", "bin", "opt"] { try root.makeDirectory(place) }
        let system = try SystemResources(root: root.path)
        let command = ActionCommand("reload it", program: "reloader")
        try root.write("", to: "opt/reloader", mode: 0o755)
        #expect(command.path(on: system) == nil)
        try root.write("", to: String((directory + "/reloader").dropFirst()), mode: 0o755)
        #expect(command.path(on: system) == directory + "/reloader")
    }

    @Test("A missing program is a failure, unless the service that it reloads does not run", .tags(.fault))
    func missing() async throws {
        let needed = ActionCommand("reload it", service: "it.service", program: "no-such-program", needs: "/usr")
        var useless = needed
        useless.needs = "/no/such/place"
        let results = try await Self.run([.command(useless), .command(needed)])
        #expect(results.map(\.isSuccess) == [true, false])
        #expect(results[0].outcome == .skipped("it.service is not running"))
        guard case .failed(let text) = results[1].outcome else { return }
        #expect(
            text == "Could not reload it: there is no /usr/sbin/no-such-program, /usr/bin/no-such-program, "
                + "/sbin/no-such-program, /bin/no-such-program; install it.")
    }

    @Test func aFailureEndsAChangeAndNotARevert() async throws {
        let actions = [Self.shell("echo broken; exit 4"), Self.shell("exit 0")]
        let stopped = try await Self.run(actions)
        #expect(stopped.count == 1)
        guard case .failed(let text) = stopped[0].outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(["/bin/sh", "4", "broken"].allSatisfy(text.contains), "\(text)")
        #expect(try await Self.run(actions, stopsAtFailure: false).map(\.isSuccess) == [false, true])
    }

    @Test("A program that reports that it has done nothing has failed, whatever its status", .tags(.fault))
    func doneNothing() async throws {
        let script = "echo 'ifup: interface eth0 already configured'"
        var command = ActionCommand("bring eth0 up", program: "/bin/sh", ["-c", script])
        #expect(try await Self.run([.command(command)]).map(\.isSuccess) == [true])
        command.failureMark = "already configured"
        let results = try await Self.run([.command(command)])
        guard case .failed(let text) = results[0].outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(text.contains("ifup: interface eth0 already configured"), "\(text)")
    }

    @Test func aProgramThatHangsIsEnded() async throws {
        let results = try await Self.run([Self.shell("sleep 600", limit: .milliseconds(200))])
        guard case .failed(let text) = results[0].outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(text.utf8.count < 300 && !results[0].isSuccess, "\(text)")
    }

    @Test("A service that hangs is asked once, and others still", .tags(.fault))
    func hangingService() async throws {
        let actions = [("sleep 600", "/usr"), ("exit 0", "/usr"), ("exit 0", "/dev"), ("exit 0", nil)].map {
            Self.shell($0, limit: $0 == "sleep 600" ? .milliseconds(200) : .seconds(30).onThisMachine, needs: $1)
        }
        let results = try await Self.run(actions, stopsAtFailure: false)
        #expect(results.map(\.isSuccess) == [false, false, true, true])
        #expect(results[1].outcome == .failed("Could not run exit 0: /bin/sh has just hung, and was not run again."))
        // A failure is no hang.
        let failing = [Self.shell("exit 1", needs: "/usr"), Self.shell("exit 0", needs: "/usr")]
        #expect(try await Self.run(failing, stopsAtFailure: false).map(\.isSuccess) == [false, true])
    }

    @Test func nothingRunsUnderARoot() async throws {
        let directory = try TemporaryDirectory()
        let results = try await Self.run(
            [Self.shell("touch \(directory.appending("made"))"), .reboot("a reason")], root: directory.path)
        try #require(results.count == 2, "\(results)")
        #expect(results[0].outcome == .skipped("services are not notified with --root"))
        // Nothing is done for that in any place.
        #expect(results[1].outcome == .needsReboot("a reason"))
        #expect(try names(in: directory.text) == [])
    }

    @Test("a later action on an interface replaces an earlier one, and no other action")
    func superseding() {
        func command(_ title: String, of subject: String?) -> AdapterAction {
            .command(ActionCommand(title, program: "/bin/true", subject: subject))
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
