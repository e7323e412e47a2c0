import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

@Suite("Life cycle of the service", .tags(.board), .serialized)
struct LifeCycleTests {
    @Test(
        "A signal ends it cleanly, and only its state remains",
        arguments: [Signal.terminate, .interrupt])
    func end(signal: Signal) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            #expect(agent.notifications.messages.contains { $0.hasPrefix("STATUS=Serving \(board.socket)") })
            try await agent.set(["system/hostname": "pump-7"])
            let watching = try await agent.connectPlainly()
            try await watching.write(Array(#"{"method":"dev.cleat.Settings.Watch","parameters":{"prefixes":[]},"#.utf8))
            try await watching.write(Array(#""more":true}"#.utf8) + [0])
            #expect(try await !watching.read().isEmpty)

            let result = try await agent.stop(signal)
            #expect(result.status == .exited(0), "\(result.outputText)")
            #expect(agent.notifications.messages.contains("STOPPING=1"))
            #expect(!SystemCalls.exists(board.socket))
            #expect(!result.outputText.contains("error"), "\(result.outputText)")
            // The next one finds what was set.
            let next = try await board.start()
            #expect(try await next.get("system/hostname") == "pump-7")
        }
    }

    @Test("A hook that runs when it ends is killed with all that it started")
    func hooksEnd() async throws {
        try await Board.with { board in
            let pids = board.directory.appending("pids")
            try board.write(
                hook: "sleeper",
                #"{ match: { source: "setting" }, run: ["/bin/sh", "-c", "sleep 600 & echo $! $$ >\#(pids); wait"] }"#)
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump-7"])
            try await board.eventually("the hook ran") { try pidsIn(pids).count == 2 }
            let children = try pidsIn(pids)
            #expect(children.allSatisfy(SystemCalls.isAlive))
            let result = try await agent.stop()
            #expect(result.status == .exited(0), "\(result.outputText)")
            #expect(!children.contains(where: SystemCalls.isAlive))
        }
    }

    private func pidsIn(_ file: String) throws -> [Int32] {
        guard SystemCalls.exists(file) else { return [] }
        return try contents(of: FilePath(file)).split { $0.isWhitespace }.compactMap { Int32($0) }
    }

    @Test(
        "SIGHUP reads hooks and configuration again; a broken file is refused, the old one stays in force",
        .tags(.anyMachine))
    func reload() async throws {
        try await Board.with { board in
            let file = "etc/cleatd.json5"
            try board.directory.write("{ logLevel: \"error\" }\n", to: file)
            let agent = try await board.start()
            #expect(try await agent.status().hooks == 0)
            #expect(try await agent.status().configProblem == nil)

            try board.write(hook: "new", #"{ match: { source: "agent" }, run: ["/bin/true"] }"#)
            try board.directory.write("{\n    logLevel: \"info\",\n    nonsense: 7,\n}\n", to: file)
            try await reload(agent, times: 1)
            var status = try await agent.status()
            #expect(status.hooks == 1)
            let problem = try #require(status.configProblem)
            #expect(problem.contains("\(board.config)/cleatd.json5"))
            #expect(problem.contains("line 3, column 5"), "\(problem)")
            #expect(problem.contains("nonsense"))

            try board.directory.write("{ logLevel: \"info\" }\n", to: file)
            try SystemCalls.remove(board.hooks + "/new.json5")
            try await reload(agent, times: 2)
            status = try await agent.status()
            #expect(status.configProblem == nil)
            #expect(status.hooks == 0)

            // While the old configuration was in force nothing below an error was logged.
            let log = try await agent.stop().outputText
            let lines = log.split(separator: "\n")
            #expect(lines.first { $0.hasPrefix("ERROR") }?.contains("line 3, column 5") == true, "\(log)")
            #expect(lines.count { $0.contains("read again") } == 1, "\(log)")
        }
    }

    @Test("cleat reload ends when the files are in force, and reports those that are refused", .tags(.anyMachine))
    func reloadVerb() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try board.write(hook: "new", #"{ match: { source: "agent" }, run: ["/bin/true"] }"#)
            var reload = try await board.cleat("reload")
            #expect(reload.status == 0, "\(reload)")
            #expect(try await agent.status().hooks == 1)

            try board.write(hook: "broken", "{ match: ")
            try board.directory.write("{ nonsense: 7 }\n", to: "etc/cleatd.json5")
            reload = try await board.cleat("reload", "--output", "json-lines")
            #expect(reload.status == 1, "\(reload)")
            let kinds = try reload.output.split(separator: "\n").map { line in
                try JSONReader.read(String(line)).objectValue?["kind"]?.stringValue
            }
            #expect(kinds == ["configuration", "hook"])
            #expect(try await agent.status().hooks == 1)

            try SystemCalls.remove(board.hooks + "/broken.json5")
            try SystemCalls.remove(board.config + "/cleatd.json5")
            // A file that is read may have values that are not in force.
            try board.makeSourceDirectories()
            let defaults = try board.write(vendor: "defaults.d/10-a.json5", "{ nope: 1 }")
            reload = try await board.cleat("reload")
            #expect(reload.status == 1 && reload.output.contains("defaults.d/10-a.json5"), "\(reload)")
            try SystemCalls.remove(defaults)
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        let reload = try await board.cleat("reload")
                        #expect(reload.status == 0, "\(reload)")
                    }
                }
                try await group.waitForAll()
            }
            let log = try await agent.stop().outputText
            #expect(log.split(separator: "\n").count { $0.contains("have been read again") } == 11, "\(log)")
        }
    }

    private func reload(_ agent: RunningAgent, times: Int) async throws {
        Signal.hangUp.send(to: try agent.pid)
        try await agent.board.eventually("it had read everything again") {
            agent.notifications.count(of: "RELOADING=1") == times
                && agent.notifications.count(of: "READY=1") == times + 1
        }
    }

    @Test("A broken configuration at startup is reported, and the defaults are used")
    func brokenAtStart() async throws {
        try await Board.with { board in
            try board.directory.write("{ logLevel: \"info\"\n  hooks: }", to: "etc/cleatd.json5")
            let agent = try await board.start()
            let problem = try await agent.status().configProblem
            #expect(problem?.contains("line 2, column 3") == true, "\(problem ?? "none")")
        }
    }

    /// The words that start a service in a user namespace, which gets no events of the machine's devices.
    private static let apart = ["unshare", "--user", "--map-root-user", "--net", "--mount"]

    @Test(
        "In a user namespace without group cleat the socket is for root, and the log says so",
        .enabled(if: Machine.hasUserNamespaces, Machine.userNamespacesReason))
    func groupOfAnotherNamespace() async throws {
        try await Board.with { board in
            try board.directory.write("root:x:0:\ncleat:x:990:\n", to: "group")
            let group = board.directory.appending("group")
            let agent = try await board.start(
                .init(launcher: Self.apart, preparation: "mount --bind '\(group)' /etc/group"))
            try await agent.set(["system/hostname": "pump-7"])
            #expect(try await board.script("stat -c '%a %g' '\(board.socket)'").output == "600 0\n")
            let log = try await agent.stop().outputText
            let warnings = log.split(separator: "\n").filter { $0.hasPrefix("WARNING") && $0.contains("group cleat") }
            #expect(warnings.count == 1 && warnings[0].contains("(gid 990) is not in this user namespace"), "\(log)")
        }
    }

    /// A user namespace gets no events of the machine: only there it is certain that nothing happens.
    @Test(
        "An idle service has two threads that sleep and writes nothing",
        .enabled(if: Machine.hasUserNamespaces, Machine.userNamespacesReason))
    func idle() async throws {
        try await Board.with { board in
            let agent = try await board.start(.init(launcher: Self.apart))
            try await agent.set(["system/hostname": "pump-7"])
            _ = try await agent.call(EventsInterface.Devices.self, .init())
            // What follows the host name is done on a thread of its own, which ends when there is nothing left for it.
            try await board.eventually("two threads were left") { try await agent.status().threads == 2 }

            @Sendable func sample() throws -> [String] {
                let files =
                    try names(in: board.state).filter { $0 != "files" }.sorted()
                    .map { try "\($0) \(checksum(board.state + "/" + $0))" } + names(in: board.state + "/files/inbox")
                let io = try contents(of: FilePath("/proc/\(agent.pid)/io")).split(separator: "\n")
                return try agent.threads().map { "\($0)" } + files + io.map(String.init)
            }
            // After the last connection's end, and the release of the program's pages, no thread waits for a time.
            let process = IdleProcess(try agent.pid)
            try await board.eventually("it waited for nothing but events") { try process.isIdle }
            let before = try sample()
            #expect(try agent.threads().map(\.name).sorted() == ["cleatd", "store"])
            for _ in 0..<10 { #expect(try await board.script("sync \"$D\"").status == 0) }
            #expect(try sample() == before)
            #expect(try process.isIdle)
        }
    }

    @Test(
        "It releases the program's pages before it is ready, and again after a quiet time",
        arguments: [true, false])
    func release(hasInbox: Bool) async throws {
        try await Board.with { board in
            let files = hasInbox ? 1_000 : 0
            _ = try await board.script("mkdir -p \"$D/state/files\" \"$D/other\"; chmod 700 \"$D/state\"")
            if hasInbox {
                _ = try await board.script(
                    "mkdir \"$D/state/files/inbox\"; cd \"$D/state/files/inbox\"; "
                        + "i=0; while [ $i -lt \(files) ]; do echo $i >$i; i=$((i + 1)); done")
            } else {
                // Waited for, and no reason to keep the pages.
                _ = try await board.script("ln -s ../../other \"$D/state/files/inbox\"")
            }
            for number in 1...2 {
                let log = board.directory.appending("log.\(number)")
                // It is quiet where other tests make devices as well; a machine without such namespaces has no others.
                let isApart = Machine.hasUserNamespaces
                let agent = try await board.start(
                    .init(
                        launcher: isApart ? Self.apart : [],
                        preparation: "exec 2>\"\(log)\"",
                        arguments: ["--log-level", "debug"]))
                /// Returns the number of releases of pages before and after the line that reports readiness.
                @Sendable func releases() throws -> [Int] {
                    let lines = try contents(of: FilePath(log)).split(separator: "\n")
                    let ready = lines.firstIndex { $0.contains(" serves ") } ?? lines.endIndex
                    return [lines[..<ready], lines[ready...]].map { lines in
                        lines.count { $0.hasSuffix("bytes of program are released to the page cache") }
                    }
                }
                try await board.eventually("the pages were let go") { try releases()[1] > 0 }
                let before = try releases()
                #expect(try await agent.counter("inbox.arrived") == files)
                try await board.eventually("they were let go after the call") { try releases()[1] > before[1] }
                #expect(try await agent.stop().status == .exited(0))
                #expect(try releases()[0] == 1)
            }
        }
    }

    private func checksum(_ path: String) throws -> Int {
        var hash = 5381
        for byte in try contents(of: FilePath(path)).utf8 { hash = hash &* 33 &+ Int(byte) }
        return hash
    }

    @Test("It notifies the watchdog at half of the interval and no oftener")
    func watchdog() async throws {
        try await Board.with { board in
            let started = BootTime.now()
            let agent = try await board.start(.init(environment: ["WATCHDOG_USEC": "400000"]))
            try await board.eventually("it had beaten five times") { agent.notifications.count(of: "WATCHDOG=1") >= 5 }
            let count = agent.notifications.count(of: "WATCHDOG=1")
            #expect(Double(count) <= BootTime.now().duration(since: started) / .milliseconds(200))
        }
    }

    @Test("Without a watchdog it does not beat")
    func noWatchdog() async throws {
        try await Board.with { board in
            let agent = try await board.start(.init(environment: ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"]))
            _ = try await agent.status()
            #expect(agent.notifications.count(of: "WATCHDOG=1") == 0)
        }
    }

    @Test("A thousand hooks leave as many threads as there were")
    func hookThreads() async throws {
        try await Board.with { board in
            try board.write(hook: "short", #"{ match: { source: "agent" }, run: ["/bin/true"] }"#)
            let agent = try await board.start()
            try await agent.set(["agent/log/level": "info"])
            let calls = TestMachine.rounds(250, briefly: 25)
            let before = try agent.threads().map(\.name).sorted()
            let runs = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask(executorPreference: board.loop) {
                        let connection = try await agent.connect()
                        defer { connection.close() }
                        for _ in 0..<calls {
                            let reply = try await connection.call(HooksInterface.Run.self, .init(name: "short"))
                            #expect(reply.run?.status == .exited && reply.run?.code == 0, "\(reply)")
                        }
                        return calls
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(runs == 4 * calls)
            #expect(try agent.threads().map(\.name).sorted() == before)
            #expect(before == ["cleatd", "store"])
        }
    }

    @Test("A read is answered by the loop alone")
    func reads() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["agent/log/level": "info"])
            try await agent.waitForCopy()
            let connection = try await agent.connect()
            func others() throws -> [RunningAgent.ThreadState] { try agent.threads().filter { $0.name != "cleatd" } }
            _ = try await connection.call(SettingsInterface.Get.self, .init(path: "agent/log/level"))
            let before = try others()
            #expect(before.map(\.name) == ["store"])
            for _ in 0..<1_000 {
                let reply = try await connection.call(SettingsInterface.Get.self, .init(path: "agent/log/level"))
                #expect(reply.setting.value == "info")
            }
            _ = try await connection.call(SettingsInterface.List.self, .init())
            _ = try await connection.call(SettingsInterface.Describe.self, .init())
            #expect(try await !connection.call(ServiceInterface.Status.self, .init()).counters.isEmpty)
            #expect(try await connection.call(ServiceInterface.Status.self, .init(counters: false)).counters.isEmpty)
            #expect(try others() == before)
            connection.close()
        }
    }
}
