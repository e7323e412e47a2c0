import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

@Suite("Hooks of the service", .tags(.board), .serialized)
struct HookTests {
    @Test("A file with an error is listed with its position; the others are in force")
    func brokenFiles() async throws {
        try await Board.with { board in
            try board.write(hook: "10-good", #"{ match: { source: "agent" }, run: ["/bin/true"] }"#)
            try board.write(hook: "20-syntax", "{\n  match: { source: \"link\" },\n  run: [\"/bin/true\" \"x\"],\n}\n")
            try board.write(
                hook: "30-member", "{\n  match: { source: \"link\", colour: \"red\" }, run: [\"/bin/true\"] }")
            try board.write(hook: "40-relative", "{ match: { source: \"link\" },\n  run: [\"true\"] }")
            try board.write(hook: "50-missing", "{ match: { source: \"link\" },\n  run: [\"/bin/no-such-program\"] }")
            try board.write(hook: "60-open", "{ match: { source: \"link\" }, run: [\"/bin/true\"] }")
            try SystemCalls.changeMode(board.hooks + "/60-open.json5", 0o666)
            let plain = try board.directory.write("#!/bin/sh\n", to: "plain", mode: 0o644)
            try board.write(hook: "70-plain", "{ match: { source: \"link\" }, run: [\"\(plain)\"] }")
            let agent = try await board.start()
            let list = try await agent.call(HooksInterface.List.self, .init())
            #expect(list.hooks.map(\.name).contains("10-good"))
            func problem(_ name: String) -> HookProblem? { list.problems.first { $0.file.hasSuffix(name + ".json5") } }
            let syntax = try #require(problem("20-syntax"))
            #expect(syntax.line == 3 && syntax.column == 21, "\(syntax)")
            let member = try #require(problem("30-member"))
            #expect(member.line == 2 && member.column == 28, "\(member)")
            #expect(member.message.contains("colour"))
            #expect(problem("40-relative")?.line == 2)
            #expect(problem("50-missing")?.message.contains("/bin/no-such-program") == true, "\(list.problems)")
            #expect(problem("60-open") != nil)
            #expect(problem("70-plain")?.message.contains(plain) == true, "\(list.problems)")
            #expect(list.problems.allSatisfy { $0.file.hasPrefix(board.hooks) })
            let status = try await agent.status()
            #expect(status.hooks == list.hooks.count && status.hookProblems == list.problems.count)
            #expect(try await agent.stop().outputText.contains("20-syntax.json5:3:21"))
        }
    }

    @Test("An event of a program runs the hook that names its emitter, and no other")
    func emitted() async throws {
        try await Board.with { board in
            let log = board.directory.path.appending("log").string
            for (name, match) in [
                ("named", #"{ source: "app", properties: { EMITTER_UID: "\#(ProcessSelf.uid)" } }"#),
                ("other", #"{ source: "app", properties: { EMITTER_UID: "4711" } }"#),
                ("any", #"{ action: "pressed" }"#),
            ] {
                let program = try board.write(
                    program: name, "echo \(name) $CLEAT_SOURCE $CLEAT_SUBJECT $KEY $EMITTER_UID >>\(log)")
                try board.write(hook: name, #"{ match: \#(match), run: ["\#(program)"] }"#)
            }
            _ = try await board.start()
            let done = try await board.cleat("emit", "pressed", "door/front", "--property", "KEY=1", "--output", "json")
            #expect(done.status == 0, "\(done)")
            try await board.eventually("the hook has run") { (try? board.directory.read("log")) != nil }
            let last = try await board.cleat("emit", "pressed", "door/back")
            #expect(last.status == 0, "\(last)")
            try await board.eventually("the hook has run again") {
                try board.directory.read("log")
                    == "named app door/front 1 \(ProcessSelf.uid)\nnamed app door/back \(ProcessSelf.uid)\n"
            }
        }
    }

    @Test("A program that stops being executable is refused when it is to run")
    func notExecutable() async throws {
        try await Board.with { board in
            let program = try board.write(program: "program", "echo ran")
            try board.write(hook: "hook", #"{ match: { source: "agent" }, run: ["\#(program)"] }"#)
            let agent = try await board.start()
            #expect(try await agent.test("hook").output == "ran\n")
            try SystemCalls.changeMode(program, 0o644)
            let run = try await agent.test("hook")
            #expect(run.status == .refused)
            #expect(run.output.contains(program))
            try SystemCalls.changeMode(program, 0o777)
            #expect(try await agent.test("hook").status == .refused, "others could have written it")
        }
    }

    @Test("A hook that hangs is killed at its timeout with all that it has started")
    func hangs() async throws {
        try await Board.with { board in
            let program = try board.write(
                program: "program",
                """
                sh -c 'trap "" TERM; echo $$ >>\(board.directory.appending("pids")); while :; do sleep 600; done' &
                trap '' TERM
                sleep 600 &
                echo $! $$ >>\(board.directory.appending("pids"))
                while :; do wait; done
                """)
            try board.write(hook: "hook", #"{ match: { source: "agent" }, run: ["\#(program)"], timeout: "2s" }"#)
            let agent = try await board.start()
            let run = try await agent.test("hook")
            #expect(run.status == .timedOut, "\(run)")
            // Its own timeout ended it, and not the one that holds for files that name none.
            #expect((2_000..<30_000).contains(run.duration), "\(run.duration)")
            let pids = try board.directory.read("pids").split { $0.isWhitespace }.compactMap { Int32($0) }
            #expect(pids.count == 3)
            try await board.eventually("they were dead") { !pids.contains(where: SystemCalls.isAlive) }
            #expect(try await agent.get("system/hostname") == nil)
        }
    }

    @Test("Children that a hook leaves are killed, and the service does not wait for their output")
    func forks() async throws {
        try await Board.with { board in
            let pids = board.directory.appending("pids")
            let program = try board.write(
                program: "program", "for n in 1 2 3; do sleep 600 & echo $! >>\(pids); done\necho done")
            try board.write(hook: "hook", #"{ match: { source: "agent" }, run: ["\#(program)"] }"#)
            let agent = try await board.start()
            let run = try await agent.test("hook")
            #expect(run.status == .exited && run.code == 0 && run.output == "done\n", "\(run)")
            let children = try board.directory.read("pids").split { $0.isWhitespace }.compactMap { Int32($0) }
            #expect(children.count == 3)
            try await board.eventually("they were dead") { !children.contains(where: SystemCalls.isAlive) }
        }
    }

    @Test("Of a hundred megabytes of output the start is kept and the others are counted, without more memory")
    func floods() async throws {
        let size: Int64 = TestMachine.slowness > 1 ? 20_000_000 : 100_000_000
        try await Board.with { board in
            let program = try board.write(program: "program", "echo begin; head -c \(size) /dev/zero | tr '\\0' x")
            try board.write(
                hook: "hook",
                #"{ match: { source: "agent" }, run: ["\#(program)"], timeout: "\#(min(50 * TestMachine.slowness, 3600))s" }"#
            )
            let agent = try await board.start()
            let before = try #require(await agent.status().memoryPrivate)
            let run = try await agent.test("hook")
            #expect(run.status == .exited && run.code == 0, "\(run.status)")
            #expect(run.outputBytes == size + 6)
            #expect(run.output.utf8.count <= 64 << 10 && run.output.hasPrefix("begin\nxxx"))
            let after = try #require(await agent.status().memoryPrivate)
            #expect(after - before < 8 << 20, "\(before) before, \(after) after")
        }
    }

    @Test(
        "The end of a hook is reported",
        arguments: [
            ("exit 3", HookRun.Status.exited, 3), ("kill -KILL $$", .signalled, 9), ("kill -SEGV $$", .signalled, 11),
            ("exit 0", .exited, 0),
        ])
    func ends(script: String, status: HookRun.Status, code: Int) async throws {
        try await Board.with { board in
            let program = try board.write(program: "program", script)
            try board.write(hook: "hook", #"{ match: { source: "setting" }, run: ["\#(program)"] }"#)
            let agent = try await board.start()
            let run = try await agent.test("hook")
            #expect(run.status == status && run.code == code, "\(run)")
            // The same on an event: counted, and listed as the last run.
            try await agent.set(["system/hostname": "pump-7"])
            try await board.eventually("the hook ran") { try await agent.hook("hook").runs == 1 }
            let hook = try await agent.hook("hook")
            #expect(hook.failures == (code == 0 ? 0 : 1))
            #expect(hook.last?.status == status && hook.last?.code == code)
        }
    }

    @Test("A hook gets the event in its environment and on standard input, and nothing that could harm it")
    func environment() async throws {
        try await Board.with { board in
            let program = try board.write(
                program: "program", "env | sort >$CLEAT_TEST_DIR/env; cat >$CLEAT_TEST_DIR/in")
            let script = "CLEAT_TEST_DIR=\(board.directory.text) exec \(program)"
            try board.write(
                hook: "hook", #"{ match: { properties: { COLOUR: "r?d" } }, run: ["/bin/sh", "-c", "\#(script)"] }"#)
            let agent = try await board.start(.init(environment: ["SECRET": "s", "LD_LIBRARY_PATH": "/nowhere"]))
            let asked = HooksInterface.TestEvent(
                name: "hook", source: "device", action: "add", subject: "/devices/x",
                properties: ["COLOUR": "red", "LD_PRELOAD": "/tmp/evil.so", "PATH": "/tmp", "IFS": "x"])
            // What would run is what runs; it is only shown.
            let dry = try await agent.call(HooksInterface.Test.self, asked)
            #expect(dry.matches && dry.clauses.map(\.name) == ["properties.COLOUR"], "\(dry)")
            #expect(!SystemCalls.exists(board.directory.appending("env")))
            let reply = try await agent.call(HooksInterface.Run.self, asked)
            #expect(reply.matches && reply.run?.status == .exited, "\(reply)")
            let variables = try board.directory.read("env").split(separator: "\n").map(String.init)
            for wanted in [
                "CLEAT_SOURCE=device", "CLEAT_ACTION=add", "CLEAT_SUBJECT=/devices/x", "COLOUR=red",
                "CLEAT_SOCKET=\(board.socket)", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            ] {
                #expect(variables.contains(wanted), "\(wanted) in \(variables)")
            }
            let shown = Set(dry.environment.filter { $0.key != "CLEAT_TIME" }.map { "\($0)=\($1)" })
            #expect(shown.isSubset(of: Set(variables)), "\(shown.subtracting(variables))")
            for name in ["LD_PRELOAD", "LD_LIBRARY_PATH", "SECRET", "IFS", "NOTIFY_SOCKET"] {
                #expect(!variables.contains { $0.hasPrefix(name + "=") }, "\(name) in \(variables)")
            }
            let event = try Event(wire: JSONReader.read(board.directory.read("in")).objectValue ?? [:])
            #expect(event.source == .device && event.subject == "/devices/x" && event.properties["COLOUR"] == "red")

            try SystemCalls.remove(board.directory.appending("env"))
            let blue = HooksInterface.TestEvent(name: "hook", properties: ["COLOUR": "blue"])
            let other = try await agent.call(HooksInterface.Run.self, blue)
            #expect(!other.matches && other.run == nil && !SystemCalls.exists(board.directory.appending("env")))
            #expect(
                try await agent.refusal("dev.cleat.Hooks.Test", ["name": "none"]).name == "dev.cleat.Hooks.UnknownHook")
        }
    }

    @Test(
        "A hook runs on a link that comes up and on an event that is requested through sysfs",
        .enabled(if: Machine.hasVeth, Machine.vethReason))
    func realEvents() async throws {
        try await Board.with { board in
            try board.directory.write("{ deviceSource: \"kernel\" }", to: "etc/cleatd.json5")
            let seen = board.directory.appending("seen")
            let script = "echo $CLEAT_SOURCE $CLEAT_ACTION $CLEAT_SUBJECT $OPERSTATE >>\(seen)"
            let run = #"["/bin/sh", "-c", "\#(script)"]"#
            try board.write(
                hook: "link", #"{ match: { source: "link", action: "up", subject: "cleat-*" }, run: \#(run) }"#)
            try board.write(
                hook: "device",
                #"{ match: { source: "device", action: "change", properties: { SUBSYSTEM: "mem" } }, run: \#(run) }"#)
            let space = try await board.makeNamespace()
            _ = try await board.start(space.options)
            try await space.script(
                """
                ip link add cleat-a type veth peer name cleat-b
                ip link set cleat-b up
                ip link set cleat-a up
                echo change >/sys/devices/virtual/mem/null/uevent
                """)
            @Sendable func lines() throws -> [String] {
                SystemCalls.exists(seen) ? try contents(of: FilePath(seen)).split(separator: "\n").map(String.init) : []
            }
            try await board.eventually("the hooks ran") {
                let lines = try lines()
                return lines.contains("link up cleat-a up") && lines.contains("link up cleat-b up")
                    && lines.contains { $0.hasPrefix("device change /devices/virtual/mem/null") }
            }
        }
    }

    @Test(
        "A hook runs on a loop device", .enabled(if: Machine.hasNamespaces, Machine.namespacesReason),
        .enabled(if: Machine.hasLoopDevices, Machine.loopDevicesReason))
    func loopDevice() async throws {
        try await Board.with { board in
            try board.directory.write("{ deviceSource: \"kernel\" }", to: "etc/cleatd.json5")
            let seen = board.directory.appending("seen")
            let run = #"["/bin/sh", "-c", "echo $CLEAT_SOURCE $CLEAT_ACTION $CLEAT_SUBJECT >>\#(seen)"]"#
            try board.write(
                hook: "block", #"{ match: { source: "device", subject: "*/block/loop*" }, run: \#(run) }"#)
            let space = try await board.makeNamespace()
            let agent = try await board.start(space.options)
            let device =
                try await space.script(
                    """
                    truncate -s 1M $D/disk
                    device=$(losetup --find --show $D/disk)
                    echo ${device##*/}
                    losetup --detach $device
                    """
                ).lines.first ?? ""
            try await board.eventually("the hook ran on the loop device") {
                guard SystemCalls.exists(seen) else { return false }
                let lines = try contents(of: FilePath(seen)).split(separator: "\n")
                return lines.contains { $0.hasPrefix("device change /devices/virtual/block/\(device)") }
            }
            // A run counts once it has ended, which is after its line was written.
            try await board.eventually("the run on the loop device is counted") {
                try await agent.hook("block").runs > 0
            }
        }
    }

    @Test("A hook whose change would trigger it again is interrupted, and the cause is reported")
    func loop() async throws {
        try await Board.with { board in
            // Whatever it is run on, it changes the setting that it follows.
            let program = try board.write(
                program: "program",
                "echo run >>\(board.directory.appending("runs")); exec \(TestPlaces.directory)/cleat set \"$1=h$$\""
            )
            func hook(_ name: String, follows: String, sets: String) throws {
                try board.write(
                    hook: name,
                    #"{ match: { source: "setting", subject: "\#(follows)" }, run: ["\#(program)", "\#(sets)"] }"#)
            }
            try hook("self", follows: "system/hostname", sets: "system/hostname")
            let agent = try await board.start()
            let collector = try await EventCollector(agent, .init(sources: ["setting"]))
            try await agent.set(["system/hostname": "pump-7"])
            try await board.eventually("the loop was cut") { try await agent.counter("hooks.cut") == 1 }
            try await board.eventually("it had ended") { try await agent.hook("self").runs == 1 }
            #expect(try board.directory.read("runs") == "run\n")
            #expect(collector.events.count == 2)
            #expect(collector.events.map { $0.cause ?? "" } == ["", "hook:self"])
            #expect(try await agent.hook("self").suppressed == 1)
            let log = try await agent.stop().outputText
            #expect(log.contains("hook self") || log.contains("self"), "\(log)")
            collector.close()
        }
    }

    @Test(
        "A hook whose program changes what triggers it in the kernel is paused, until it is corrected and resumed",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason), .enabled(if: Machine.hasVeth, Machine.vethReason)
    )
    func kernelLoop() async throws {
        try await Board.with { board in
            let program = try board.write(
                program: "program", "exec ip link set \"$CLEAT_SUBJECT\" mtu $((1300 + $$ % 100))")
            try board.write(
                hook: "mtu", #"{ match: { source: "link", action: "changed", subject: "e0" }, run: ["\#(program)"] }"#)
            let space = try await board.makeNamespace("ip link add e0 type veth peer name e1")
            let agent = try await board.start(space.options)
            try await space.script("ip link set e0 mtu 1400")
            try await board.eventually("the hook is paused") { try await agent.hook("mtu").paused == .loop }
            let runs = try await agent.hook("mtu").runs
            #expect(runs == 20)
            let finding = try await agent.findings().first { $0.kind == .hook }
            #expect(
                finding?.message.contains("its runs on e0 trigger it again") == true, "\(String(describing: finding))")
            try await space.script("ip link set e0 mtu 1280")
            try await board.eventually("an event was held") { try await agent.counter("hooks.paused") == 1 }
            let list = try await board.cleat("hook", "list")
            #expect(list.output.contains("paused: loop"), "\(list)")

            try board.write(program: "program", "echo $CLEAT_SUBJECT $MTU >>\(board.directory.appending("seen"))")
            let resumed = try await board.cleat("hook", "resume", "mtu")
            #expect(resumed.status == 0 && resumed.output == "hook mtu runs again\n", "\(resumed)")
            try await board.eventually("it has run on the present state") {
                try await agent.hook("mtu").runs == runs + 1
            }
            #expect(try board.directory.read("seen") == "e0 1280\n")
            #expect(try await agent.hook("mtu").paused == nil)

            let paused = try await board.cleat("hook", "pause", "mtu", "--output", "json")
            #expect(paused.status == 0 && paused.output.contains("\"paused\": true"), "\(paused)")
            #expect(try await agent.hook("mtu").paused == .byUser)
            #expect(try await board.cleat("hook", "pause", "gone").status != 0)
            #expect(
                try await board.cleat("hook", "resume", "gone").errorText.contains("no hook in force is called gone"))
            let log = try await agent.stop().outputText
            #expect(log.split(separator: "\n").count { $0.contains("hook mtu is paused") } == 1, "\(log)")
        }
    }

    @Test("An event whose run a restart interrupts runs again, once", arguments: [false, true])
    func restarted(isKilled: Bool) async throws {
        try await Board.with { board in
            let (seen, go) = (board.directory.appending("seen"), board.directory.appending("go"))
            let program = try board.write(
                program: "program",
                "echo began $CLEAT_SUBJECT >>\(seen); until test -e \(go); do sleep 0.05; done; cat >>\(seen)")
            try board.write(
                hook: "slow", #"{ match: { source: "setting", subject: "system/hostname" }, run: ["\#(program)"] }"#)
            @Sendable func began() throws -> Int {
                SystemCalls.exists(seen) ? try board.directory.read("seen").split(separator: "\n").count : 0
            }
            let first = try await board.start()
            try await first.set(["system/hostname": "pump-7"])
            try await board.eventually("the hook runs") { try began() == 1 }
            if isKilled {
                try await board.eventually("its event is kept") { SystemCalls.exists("\(board.runtime)/hooks.json") }
                await first.kill()
            } else {
                try await first.stop()
            }
            let second = try await board.start()
            try await board.eventually("the hook runs again") { try began() == 2 }
            if isKilled {
                try board.directory.write("", to: "go")
                try await board.eventually("it has run") { try await second.hook("slow").runs == 1 }
                let line = try board.directory.read("seen").split(separator: "\n").last.map(String.init) ?? ""
                let event = try JSONReader.read(Array(line.utf8))
                #expect(event["restored"] == true && event["subject"] == "system/hostname", "\(line)")
                #expect(event["properties"]?["VALUE"] == "pump-7", "\(line)")
                try await second.stop()
                #expect(!SystemCalls.exists("\(board.runtime)/hooks.json"))
            } else {
                // A hook whose program ends the service does not do so for ever.
                try await second.stop()
                let third = try await board.start()
                try board.directory.write("", to: "go")
                try await third.set(["system/hostname": "pump-8"])
                try await board.eventually("the next event has run") { try await third.hook("slow").runs == 1 }
                #expect(try began() == 4, "two runs that a restart has ended, and one with its event")
            }
        }
    }

    @Test("Two hooks that trigger each other are interrupted as well")
    func pingPong() async throws {
        try await Board.with { board in
            let program = try board.write(
                program: "program",
                "exec \(TestPlaces.directory)/cleat set \"network/interfaces/$1/mtu=$((1000 + $$ % 9000))\"")
            for (name, follows, sets) in [("ping", "a", "b"), ("pong", "b", "a")] {
                try board.write(
                    hook: name,
                    #"{ match: { source: "setting", subject: "network/interfaces/\#(follows)/mtu" }, run: ["\#(program)", "\#(sets)"] }"#
                )
            }
            let agent = try await board.start()
            try await agent.set(["network/interfaces/a/mtu": 600])
            try await board.eventually("the loop was cut") { try await agent.counter("hooks.cut") == 1 }
            try await board.eventually("both had ended") {
                let pong = try await agent.hook("pong").runs
                return try await agent.hook("ping").runs == 1 && pong == 1
            }
            #expect(try await agent.status().generation == 3)
        }
    }
}

/// Tests that take a minute, and have the same result on every machine.
@Suite("Hooks at their rate", .tags(.fault))
struct HookRateTests {
    /// Seen before: a hook whose cause is lost on the way ran for ever, and the doctor was content.
    @Test("A hook that has been at its rate limit for a minute is a finding", .tags(.fault))
    func limited() async throws {
        try await Board.with { board in
            try board.write(
                hook: "round",
                #"""
                { match: { source: "file" }, rate: { burst: 1, perSecond: 2 },
                  run: ["/bin/sh", "-c", "echo x >\#(board.state)/files/inbox/again"] }
                """#)
            let agent = try await board.start()
            _ = try await board.script("echo x >$D/state/files/inbox/again")
            try await board.eventually("the hook runs again and again") { try await agent.hook("round").runs > 10 }
            #expect(try await board.cleat("doctor").status == 0)
            let isFound = try await board.loop.eventually(within: .seconds(120).onThisMachine) {
                try await agent.findings().contains { $0.kind == .hook && $0.subject.hasSuffix("/round.json5") }
            }
            #expect(isFound)
            #expect(try await board.cleat("doctor").status == 1)
            // The remedy, word by word.
            try board.write(hook: "round", #"{ match: { source: "file" }, run: ["/bin/true"], enabled: false }"#)
            Signal.hangUp.send(to: try agent.pid)
            try await board.eventually("the finding is gone") { try await board.cleat("doctor").status == 0 }
        }
    }
}

extension RunningAgent {
    /// Runs a hook on a made-up event.
    func test(_ name: String) async throws -> HookRun {
        try #require(await call(HooksInterface.Run.self, .init(name: name)).run)
    }

    /// Returns the state of a hook.
    func hook(_ name: String) async throws -> HookInfo {
        try #require(
            await call(HooksInterface.List.self, .init()).hooks.first { $0.name == name }, "no hook is called \(name)")
    }
}
