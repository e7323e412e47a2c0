import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of programs that take part in changes, with the real service and a program in another language.
@Suite(
    "Programs that take part in changes",
    .enabled(
        if: Machine.can("python3 --version && unshare --net --mount --uts true", "python3 and namespaces are needed")))
struct AdapterProgramTests {
    private static let schema = """
        {"type": "object", "properties": {"camera": {"type": "object", "properties": {
          "exposure": {"type": "integer", "default": 10}, "name": {"type": "string"}}},
         "plain": {"type": "integer"}}}
        """

    /// A board whose service runs in namespaces of its own, with the program `camera`.
    private struct Camera: Sendable {
        let board: Board
        let space: PrivateNamespace
        let place: String

        /// Makes the files; nothing is started.
        init(_ board: Board, limit: Int64, schema: String) async throws {
            self.board = board
            place = board.directory.appending("camera")
            try SystemCalls.makeDirectory(place)
            for name in ["schema.d", "adapters.d"] { try SystemCalls.makeDirectory(board.config + "/" + name) }
            try board.write(admin: "schema.d/camera.json", schema)
            let text = try contents(of: TestPlaces.package.appending("Tests/Fixtures/adapter.py"))
            let program = try board.directory.write(text, to: "adapter.py", mode: 0o755)
            try board.write(
                admin: "adapters.d/camera.json5",
                "{ prefixes: ['camera'], command: ['\(program)', '\(place)'], timeLimit: '\(limit)s' }")
            // The machine's /etc is not for tests.
            space = try await board.makeNamespace(
                """
                mkdir "$D/etc-own"
                cp -a /etc/passwd /etc/group "$D/etc-own"
                mount --bind "$D/etc-own" /etc
                hostname board
                """)
        }

        func start(_ environment: [String: String] = [:]) async throws -> RunningAgent {
            var options = space.options
            options.isRooted = false
            options.environment = environment
            return try await board.start(options)
        }

        /// The state of the program.
        var state: String? { try? contents(of: FilePath(place + "/state")) }

        /// The calls that the program got since the last reading.
        func calls() throws -> [String] {
            let file = place + "/calls"
            guard SystemCalls.exists(file) else { return [] }
            let text = try contents(of: FilePath(file))
            try SystemCalls.remove(file)
            return text.split(separator: "\n").map(String.init)
        }

        func fail(_ faults: String...) throws {
            try board.directory.write(faults.joined(separator: "\n"), to: "camera/fault")
        }
    }

    /// The longest time until the second automatic retry, a minute after the first one, which a busy machine may make
    /// before its test is ready.
    private static let retried = Board.patience + .seconds(70)
    /// A time limit in seconds that a program that works keeps on this machine.
    private static let short = 2 * Int64(TestMachine.slowness)

    private static func with(
        limit: Int64 = 30, schema: String = schema, _ body: @escaping @Sendable (Camera) async throws -> Void
    ) async throws {
        try await Board.with { board in
            let camera = try await Camera(board, limit: limit, schema: schema)
            try await body(camera)
        }
    }

    @Test("a change reaches the program's state, is refused by its check, and is undone by unset, abort and restore")
    func whole() async throws {
        try await Self.with { camera in
            let board = camera.board
            let agent = try await camera.start()
            #expect(try camera.calls().isEmpty)
            let set = try await board.cleat("set", "camera/exposure=20")
            #expect(set.status == 0 && set.output.contains("set the state of the program camera"), "\(set)")
            #expect(camera.state == "exposure 20")
            #expect(try camera.calls().last == "Fingerprint")
            let refused = try await board.cleat("set", "camera/exposure=60")
            #expect(
                refused.status != 0
                    && refused.errorText.contains("camera/exposure: is longer than this sensor allows; use at most 50"),
                "\(refused)")
            let plan = try await board.cleat("plan", "camera/exposure=30")
            #expect(plan.status == 0 && plan.output.contains("the state of the program camera"), "\(plan)")
            #expect(camera.state == "exposure 20")

            let trial = try await board.cleat("set", "camera/exposure=40", "--confirm", "10m", "--id", "t1")
            #expect(trial.status == 0 && camera.state == "exposure 40", "\(trial)")
            #expect(try await board.cleat("abort", "t1").status == 0)
            #expect(camera.state == "exposure 20")

            // An outside edit is reported, and a snapshot has the state that the settings do not say.
            try board.directory.write("by hand", to: "camera/state")
            let drift = try await board.cleat("drift")
            #expect(drift.status == 1 && drift.output.contains("cleat adopt program:camera --as-is"), "\(drift)")
            #expect(try await board.cleat("snapshot", "create", "s1").status == 0)
            #expect(try await board.cleat("reapply", "--all").status == 0)
            #expect(camera.state == "exposure 20")
            let restored = try await board.cleat("snapshot", "restore", "s1", "--files")
            #expect(restored.status == 0 && camera.state == "by hand", "\(restored)")

            // Without a setting the state before Cleat is back; a setting that no program follows does not call it.
            #expect(try await board.cleat("unset", "camera/exposure").status == 0)
            #expect(camera.state == "factory")
            _ = try camera.calls()
            #expect(try await board.cleat("set", "plain=1").status == 0)
            #expect(try camera.calls().isEmpty)
            try await agent.stop()
        }
    }

    @Test(
        "a program that hangs, dies, lies or answers garbage makes the change revert, and the service goes on",
        arguments: [
            ("Apply hang", "did not answer Apply within "),
            ("Apply die", "it exited with 3 in Apply: the sensor is gone"),
            ("Apply garbage", "its answer to Apply is not valid (the reply is not JSON"),
            ("Apply lie", "it reported success, but its state is not as the settings say"),
            ("Apply fail", "the sensor does not answer; check its cable"),
            ("Apply error", "its answer to Apply is not valid (the error org.example.Other)"),
            ("Capture large", "its state has 524288 bytes"), ("Capture die", "it exited with 3 in Capture"),
            ("Fingerprint lie", "its fingerprint has 0 bytes"),
            ("Check hang", "cannot be checked by the program camera"),
        ])
    func faults(_ fault: String, _ reason: String) async throws {
        // Only a program that hangs is waited for as long as that.
        try await Self.with(limit: fault.hasSuffix("hang") ? Self.short : 30) { camera in
            let board = camera.board
            let agent = try await camera.start()
            try await agent.set(["camera/exposure": 20])
            try camera.fail(fault)
            let failed = try await board.cleat("set", "camera/exposure=30", "plain=2")
            #expect(failed.status != 0 && failed.errorText.contains(reason), "\(failed)")
            #expect(camera.state == "exposure 20")
            let status = try await agent.status()
            #expect(status.trial == nil, "\(status)")
            try SystemCalls.remove(camera.place + "/fault")
            let values = (try await agent.get("camera/exposure"), try await agent.get("plain"))
            #expect(values.0 == 20 && values.1 == nil)
            try await agent.set(["camera/exposure": 30])
            #expect(camera.state == "exposure 30")
            try await agent.stop()
        }
    }

    @Test(
        "where the service is killed in the middle of a change, the program's state is that of the settings",
        .enabled(if: TestMachine.slowness == 1, "needs crash points"),
        arguments: [
            ("apply begins", false), ("applied the state of the program camera", false), ("apply ends", false),
            ("arm ends", false), ("beginWindow ends", true), ("restore begins", true),
            ("reverting is stored", false), ("restored the state of the program camera", false),
            ("recordRevert ends", false),
        ])
    func crash(_ place: String, _ isOnTrial: Bool) async throws {
        try await Self.with { camera in
            let first = try await camera.start()
            try await first.set(["camera/exposure": 20])
            try await first.stop()
            let dying = try await camera.start(["CLEAT_CRASH_POINT": place])
            await #expect(throws: (any Error).self) {
                _ = try await dying.call(
                    SettingsInterface.Set.self,
                    .init(changes: [.init(path: "camera/exposure", value: 30)], id: "t1", confirm: 600_000))
                _ = try await dying.call(TransactionsInterface.Abort.self, .init(id: "t1"))
            }
            let end = try await dying.waitUntilEnded()
            #expect(end.outputText.contains("crash point \(place)\n"), "\(end.outputText)")
            let agent = try await camera.start()
            #expect((try await agent.status().trial?.id == "t1") == isOnTrial)
            if isOnTrial {
                #expect(camera.state == "exposure 30")
                _ = try await agent.call(TransactionsInterface.Abort.self, .init(id: "t1"))
            }
            #expect(camera.state == "exposure 20")
            #expect(try await agent.get("camera/exposure") == 20)
            #expect(try await agent.call(SystemInterface.Drift.self, .init()).drift.isEmpty)
            try await agent.stop()
        }
    }

    @Test("a program does not outlive a service that is killed, so that it cannot change a state that is reverted")
    func killed() async throws {
        try await Self.with { camera in
            let board = camera.board
            let first = try await camera.start()
            try await first.set(["camera/exposure": 20])
            try camera.fail("Apply late")
            _ = try camera.calls()
            let set = board.loop.task { try await board.cleat("set", "camera/exposure=30") }
            try await board.eventually("the program was called") {
                (try? contents(of: FilePath(camera.place + "/calls")))?.contains("Apply") ?? false
            }
            try await first.stop(.kill)
            _ = try await set.value
            try await board.eventually("the program had ended") {
                try await board.script("pgrep -f '\(camera.place)$'").status == 1
            }
            try camera.fail()
            let agent = try await camera.start()
            #expect(camera.state == "exposure 20")
            #expect(try await agent.get("camera/exposure") == 20)
            #expect(try await agent.call(SystemInterface.Drift.self, .init()).drift.isEmpty)
            try await agent.stop()
        }
    }

    @Test("a program that hangs delays neither other changes, nor a confirmation, nor the end of the service")
    func others() async throws {
        try await Self.with(limit: 60) { camera in
            let board = camera.board
            let agent = try await camera.start()
            try await agent.set(["camera/exposure": 20])
            try camera.fail("Fingerprint hang")
            _ = try camera.calls()
            // The comparison waits for the program, and nothing waits for the comparison.
            let drift = board.loop.task { try await board.cleat("drift") }
            try await board.eventually("the program was called") {
                (try? contents(of: FilePath(camera.place + "/calls")))?.contains("Fingerprint") ?? false
            }
            let began = BootTime.now()
            try await agent.set(["plain": 1])
            let trial = try await board.cleat("set", "plain=2", "--confirm", "5m", "--id", "t1")
            #expect(trial.status == 0, "\(trial)")
            #expect(try await board.cleat("confirm", "t1").status == 0)
            let end = try await agent.stop()
            #expect(end.status == .exited(0), "\(end)")
            #expect(BootTime.now().duration(since: began) < .seconds(30).onThisMachine)
            _ = try await drift.value
        }
    }

    @Test("words of a program that follows a secret setting are not shown")
    func secrets() async throws {
        let schema = """
            {"type": "object", "properties": {"camera": {"type": "object", "properties": {
              "exposure": {"type": "integer", "default": 10}, "key": {"type": "string", "writeOnly": true}}}}}
            """
        try await Self.with(schema: schema) { camera in
            let board = camera.board
            let agent = try await camera.start()
            try camera.fail("Apply fail")
            let failed = try await board.cleat("set", "camera/key=hunter2")
            #expect(failed.status == 10 && failed.errorText.contains("its own words are not shown"), "\(failed)")
            let log = try await board.cleat("log")
            let end = try await agent.stop()
            for text in [failed.errorText, failed.output, log.output, end.outputText] {
                #expect(!text.contains("hunter2"), "\(text)")
            }
        }
    }

    @Test("a state that outlasts a boot is restored when its volatile setting is gone, and much noise changes nothing")
    func volatileSetting() async throws {
        try await Self.with { camera in
            let board = camera.board
            let first = try await camera.start()
            try camera.fail("Apply loud")
            let set = try await board.cleat("set", "camera/exposure=33", "--volatile")
            #expect(set.status == 0 && camera.state == "exposure 33", "\(set)")
            #expect(try await board.cleat("drift").status == 0)
            try await first.stop()
            #expect(try await board.script(#"rm -r "$D"/run/*"#).status == 0)
            let agent = try await camera.start()
            try await board.eventually("the state from before was restored") { camera.state == "factory" }
            #expect(try await board.cleat("drift").status == 0)
            try await agent.stop()
        }
    }

    @Test("a second answer to one call is not taken for the answer to the next one")
    func twice() async throws {
        try await Self.with { camera in
            let agent = try await camera.start()
            try camera.fail("Fingerprint twice", "Capture twice", "Apply twice", "Check twice")
            try await agent.set(["camera/exposure": 20])
            #expect(camera.state == "exposure 20")
            try await agent.set(["camera/exposure": 30])
            #expect(camera.state == "exposure 30")
            try await agent.stop()
        }
    }

    @Test("a Swift program serves its adapter; its schema and one file are all that a board needs")
    func swift() async throws {
        try await Self.with { camera in
            let board = camera.board
            let made = try await board.script(
                #"""
                "$SHUTTER" --cleat-schema > "$D/etc/schema.d/shutter.json" && mkdir "$D/device" &&
                    echo 7 > "$D/device/register" && install -m 755 "$SHUTTER" "$D/shutter"
                """#, environment: ["SHUTTER": TestPlaces.program("shutter").string])
            #expect(made.status == 0, "\(made)")
            let (program, device) = (board.directory.appending("shutter"), board.directory.appending("device"))
            try board.write(
                admin: "adapters.d/shutter.json5", "{ prefixes: ['shutter'], command: ['\(program)', '\(device)'] }")
            let agent = try await camera.start()
            let register = FilePath(device + "/register")
            try await agent.set(["shutter/exposure": 250])
            #expect(try contents(of: register) == "250\n")
            let refused = try await board.cleat("set", "shutter/exposure=600")
            #expect(refused.errorText.contains("is longer than this device can do; use at most 500"), "\(refused)")
            let set = try await board.cleat("set", "shutter/exposure=300", "--confirm", "10m", "--id", "t1")
            #expect(set.status == 0, "\(set)")
            #expect(try contents(of: register) == "300\n")
            #expect(try await board.cleat("abort", "t1").status == 0)
            #expect(try contents(of: register) == "250\n")
            #expect(try await board.cleat("unset", "shutter/exposure").status == 0)
            #expect(try contents(of: register) == "7\n")
            // A failure has the program's own words.
            try SystemCalls.remove(register.string)
            let failed = try await board.cleat("set", "shutter/exposure=20")
            #expect(failed.status != 0 && failed.errorText.contains("register"), "\(failed)")
            try await agent.stop()
        }
    }

    @Test("a state that cannot be restored is given up by removing the program's file")
    func givenUp() async throws {
        try await Self.with { camera in
            let board = camera.board
            let agent = try await camera.start()
            try await agent.set(["camera/exposure": 20])
            let set = try await board.cleat("set", "camera/exposure=30", "--confirm", "10m", "--id", "t1")
            #expect(set.status == 0, "\(set)")
            try camera.fail("Restore fail")
            let failed = try await board.cleat("abort", "t1")
            #expect(failed.status == 11 && failed.errorText.contains("remove its file from adapters.d"), "\(failed)")
            try SystemCalls.remove(board.config + "/adapters.d/camera.json5")
            try await agent.reload()
            let aborted = try await board.cleat("abort", "t1")
            #expect(
                aborted.status == 0 && aborted.output.contains("skipped the state of the program camera"), "\(aborted)")
            // It says so too if it was reverted before, by an automatic retry for example.
            let repeated = try await board.cleat("abort", "t1")
            #expect(
                repeated.status == 0 && repeated.output.contains("skipped the state of the program camera"),
                "\(repeated)")
            #expect(try await agent.status().trial == nil)
            try await agent.set(["plain": 1])
            #expect(camera.state == "exposure 30")
            try await agent.stop()
        }
    }

    @Test(
        "a restore that fails at the start keeps its state, is reported and retried, and holds up nothing else",
        .enabled(if: TestMachine.slowness == 1, "needs crash points"))
    func failedRestore() async throws {
        try await Self.with { camera in
            let board = camera.board
            let first = try await camera.start()
            try await first.set(["camera/exposure": 20, "system/hostname": "before"])
            try await first.stop()
            let dying = try await camera.start(["CLEAT_CRASH_POINT": "reverting is stored"])
            let set = try await board.cleat(
                "set", "camera/exposure=30", "system/hostname=after", "--confirm", "10m", "--id", "t1")
            #expect(set.status == 0 && camera.state == "exposure 30", "\(set)")
            #expect(try await board.cleat("abort", "t1").status != 0)
            _ = try await dying.waitUntilEnded()
            #expect(try await camera.space.script("hostname").output == "after\n")
            try camera.fail("Restore fail")
            let agent = try await camera.start()
            try await board.eventually("the failure was reported") {
                let status = try await board.cleat("status")
                return status.output.contains("could not be reverted")
                    && status.output.contains("the sensor does not answer")
            }
            #expect(try await camera.space.script("hostname").output == "before\n")
            try SystemCalls.remove(camera.place + "/fault")
            try await board.eventually("the retry had restored it", within: Self.retried) {
                camera.state == "exposure 20"
            }
            try await board.eventually("the trial had ended") { try await agent.status().trial == nil }
            try await agent.stop()
        }
    }

    @Test("a program that hangs at a boot does not delay the service, is asked again, and then has its state")
    func boot() async throws {
        // The one retry that the test waits for has time to answer on a busy machine.
        try await Self.with(limit: 4 * Self.short) { camera in
            let board = camera.board
            let first = try await camera.start()
            try await first.set(["camera/exposure": 20])
            try await first.stop()
            // As after a boot: the marks of the former one and the state of the device are gone.
            #expect(try await board.script(#"rm -r "$D"/run/*"#).status == 0)
            try camera.fail("Fingerprint hang")
            try board.directory.write("lost at the boot", to: "camera/state")
            let agent = try await camera.start()
            #expect(try await agent.get("camera/exposure") == 20)
            try await board.eventually("the failure was reported") {
                try await (agent.status().findings ?? 0) > 0
            }
            try SystemCalls.remove(camera.place + "/fault")
            try await board.eventually("the state was applied", within: Self.retried) { camera.state == "exposure 20" }
            try await board.eventually("nothing was reported any more") {
                try await (agent.status().findings ?? 0) == 0
            }
            try await agent.stop()
        }
    }

    @Test("the process ends when it was not called for a while, and files of adapters.d are read again and checked")
    func files() async throws {
        try await Self.with { camera in
            let board = camera.board
            let agent = try await camera.start()
            try await agent.set(["camera/exposure": 20])
            let running = "pgrep -f '\(camera.place)$'"
            try await board.eventually("the process was seen") {
                // It ends after some seconds without calls, which a busy machine may need for the script.
                _ = try await board.cleat("drift")
                return try await board.script(running).status == 0
            }
            try await board.eventually("the process had ended") { try await board.script(running).status == 1 }

            for (text, reason) in [
                ("{ prefixes: ['system'], command: ['/bin/true'] }", "system is a setting of the board"),
                ("{ prefixes: ['camera'], command: ['true'] }", "begins with the absolute path of a program"),
                ("{ prefixes: [], command: ['/bin/true'] }", "prefixes must be a list of paths"),
                ("{ prefixes: ['camera'], command: ['/bin/true'], user: 'nobody-here' }", "no user is called"),
                ("{ prefixes: ['camera'], command: ['/bin/true'], timeLimit: '1h' }", "timeLimit must be a duration"),
                ("{ prefixes: ['camera'] }", "prefixes and command are needed"),
                ("{ prefix: 'camera' }", "unknown member 'prefix'"),
            ] {
                try board.write(admin: "adapters.d/other.json5", text)
                try await agent.reload()
                let findings = try await agent.findings()
                #expect(findings.contains { $0.message.contains(reason) }, "\(findings)")
            }
            try SystemCalls.remove(board.config + "/adapters.d/other.json5")
            try await agent.reload()
            #expect(try await agent.findings().isEmpty)
            #expect(camera.state == "exposure 20")
            // Without its file the program is not called, and its state stays and is given up.
            try SystemCalls.remove(board.config + "/adapters.d/camera.json5")
            try await agent.reload()
            #expect(camera.state == "exposure 20")
            let drift = try await board.cleat("drift")
            #expect(drift.status == 0, "\(drift)")
            #expect(try await board.cleat("unset", "camera/exposure").status == 0)
            #expect(camera.state == "exposure 20")
            try await agent.stop()
        }
    }
}
