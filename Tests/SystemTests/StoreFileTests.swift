import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import Synchronization
import SystemPackage
import Testing

@testable import CleatStore

@Suite("The service and its store", .tags(.board), .serialized)
struct StoreFileTests {
    @Test("A store of random bytes is quarantined as a whole, and the second copy is in force")
    func randomBytes() async throws {
        try await Board.with { board in
            let first = try await board.start()
            let set = try await first.set(["system/hostname": "pump-7", "network/interfaces/eth0/mtu": 1_400])
            try await first.stop()
            _ = try await board.script("head -c 50000 /dev/urandom >$D/random; cp $D/random $D/state/settings.db")

            let second = try await board.start()
            let status = try await second.status()
            #expect(status.storeNotes.count >= 1, "\(status.storeNotes)")
            #expect(status.storeNotes.contains { $0.contains("settings.db") }, "\(status.storeNotes)")
            #expect(try await second.get("system/hostname") == "pump-7")
            #expect(try await second.get("network/interfaces/eth0/mtu") == 1_400)
            #expect(status.store != set.store, "a store that was made anew has an id of its own")
            try await second.set(["system/hostname": "pump-8"])
            let kept = try await board.script("for f in $D/state/*; do cmp -s $f $D/random && echo $f; done; true")
            #expect(kept.lines.count == 1, "\(kept)")
            let log = try await second.stop().outputText
            #expect(log.contains("settings.db"), "\(log)")

            let third = try await board.start()
            #expect(try await third.get("system/hostname") == "pump-8")
            #expect(try await third.status().storeNotes.isEmpty)
        }
    }

    @Test("Damage that a check after the start finds is repaired by the same process, with all settings")
    func deferredCheck() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(
                admin: "schema.d/notes.json",
                #"{"type": "object", "properties": {"notes": {"type": "object", "additionalProperties": {"type": "string"}}}}"#
            )
            let first = try await board.start()
            // Only a store of some megabytes is checked after its start.
            for part in 0..<6 {
                let text = JSONValue.string(String(repeating: "x", count: 4_000))
                let notes = (0..<250).map { ("notes/n\(part)-\($0)", text) }
                try await first.set(Dictionary(uniqueKeysWithValues: notes))
            }
            let set = try await first.set(["system/hostname": "pump-7"])
            try await first.stop()

            let state = FilePath(board.state)
            let page = try rootPage(of: "changes", copying: state)
            var content = try bytes(of: state.appending("settings.db"))
            let start = (page - 1) * StoreFormat.pageSize
            content.replaceSubrange(start..<start + 8, with: [UInt8](repeating: 0xAA, count: 8))
            try CleatTestSupport.write(content, to: state.appending("settings.db"))
            // The note of the clean end is made to fit, as if the device had lost the page by itself.
            do {
                let directory = try StoreDirectory(state)
                var note = try #require(NewestNote.read(in: directory))
                note.files = NewestNote.files(in: directory)
                try CleatTestSupport.write(note.bytes, to: state.appending(StoreFormat.noteName))
            }

            // The check comes before the change, which is refused or has no answer, since the service opens the store again.
            let second = try await board.start()
            _ = try await board.cleat("set", "system/hostname=pump-8")
            try await board.eventually("the damaged store was quarantined") {
                await (try? second.status().storeNotes.contains { $0.contains("settings.db") }) == true
            }
            #expect(try await second.get("system/hostname") == "pump-7")
            #expect(try await second.get("notes/n5-249") != nil)
            #expect(try await second.set(["system/hostname": "pump-8"]).generation > set.generation)
            #expect(try await second.findings().allSatisfy { !$0.message.contains("failed its check") })
            let log = try await second.stop().outputText
            #expect(log.contains("takes no changes"), "\(log)")
        }
    }

    /// Returns the root page of a table of a closed store, read from a copy of it.
    private func rootPage(of table: String, copying state: FilePath) throws -> Int {
        let copy = try TemporaryDirectory()
        for name in ["settings.db", "settings.db-wal"] {
            try CleatTestSupport.write(try bytes(of: state.appending(name)), to: copy.path.appending(name))
        }
        let database = try Database(path: copy.appending("settings.db"))
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        let page: Int64? = try database.value("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'")
        return Int(try #require(page))
    }

    @Test("If store and second copy are damaged, it serves the vendor's defaults, changes nothing and reports it")
    func failsafe() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "defaults.d/50.json5", "{system: {hostname: 'vendor', timezone: 'UTC'}}")
            let first = try await board.start()
            try await first.set(["system/hostname": "pump-7"])
            try await first.stop()
            let prepared = try await board.script(
                """
                cd $D/state; test -s settings.copy.json
                head -c 50000 /dev/urandom >$D/random; cp $D/random settings.db; echo '{"cleat":' >settings.copy.json
                rm $D/root/etc/localtime
                """)
            #expect(prepared.status == 0, "\(prepared)")

            let second = try await board.start()
            let status = try await second.status()
            #expect(status.settings == 0 && status.generation == 0)
            // The last note is that of the failsafe configuration, and is a finding.
            let note = try #require(status.storeNotes.last)
            let findings = try await second.findings()
            #expect(findings.contains { $0.kind == .store && $0.message == note }, "\(findings)")
            #expect(try await board.cleat("doctor").status == 1)
            let shown = try await board.cleat("status", "--output", "json")
            #expect(
                try JSONReader.read(shown.output)["store_notes"]?.arrayValue?.last?.stringValue == note, "\(shown)")
            #expect(try await second.get("system/hostname") == "vendor")
            #expect(try contents(of: FilePath(board.root + "/etc/hostname")) == "pump-7\n")
            #expect(!SystemCalls.exists(board.root + "/etc/localtime"))
            let kept = try await board.script(
                "for f in $D/state/quarantined*; do cmp -s $f $D/random && echo $f; done; true")
            #expect(kept.lines.count == 1, "\(kept)")
            #expect(try await board.script("grep -l cleat $D/state/quarantined*.json").status == 0)
            try await second.set(["system/hostname": "pump-8"])
            #expect(try contents(of: FilePath(board.root + "/etc/hostname")) == "pump-8\n")
            let log = try await second.stop().outputText
            #expect(log.contains(note), "\(log)")

            let third = try await board.start()
            #expect(try await third.status().storeNotes.isEmpty)
            #expect(try await third.get("system/hostname") == "pump-8")
            #expect(try SystemCalls.target(ofLink: board.root + "/etc/localtime") == "../usr/share/zoneinfo/UTC")
        }
    }

    @Test("An empty store on a new board is made")
    func empty() async throws {
        try await Board.with { board in
            try SystemCalls.makeDirectory(board.state, mode: 0o700)
            try board.directory.write("", to: "state/settings.db")
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump-7"])
            #expect(try await agent.status().generation == 1)
        }
    }

    @Test("Next to an empty store the log with acknowledged commits is kept, and the second copy is in force")
    func emptyBesideLog() async throws {
        try await Board.with { board in
            let first = try await board.start()
            try await first.set(["system/hostname": "first"])
            try await first.waitForCopy()
            try await first.set(["system/hostname": "second"])
            try await first.stop(.kill)
            let log = try await board.script(
                "cd $D/state; test -s settings.db-wal; md5sum <settings.db-wal; : >settings.db")

            let second = try await board.start()
            #expect(try await second.status().storeNotes.isEmpty == false)
            #expect(try await second.get("system/hostname") == "first")
            let kept = try await board.script("cd $D/state; for f in *wal*; do md5sum <$f; done")
            #expect(kept.lines.contains(log.lines.first ?? ""), "\(kept.output) \(log.output)")
        }
    }

    @Test(
        "On a read-only file system the service reports it, serves the stored settings, refuses changes and writes nothing",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func readOnly() async throws {
        try await Board.with { board in
            let first = try await board.start()
            try await first.set(["system/hostname": "pump-7"])
            // As after a boot, the system is to be made what the settings say.
            try await first.stop(.kill)
            try SystemCalls.remove(board.root + "/etc/hostname")
            let sums = "cd $D/state && find . -type f -exec md5sum {} + | sort && stat -c '%n %y' *"
            let before = try await board.script(sums).output

            let space = try await board.makeNamespace(
                "mount --bind $D/state $D/state; mount -o remount,bind,ro $D/state")
            let agent = try await board.start(space.options)
            #expect(try await agent.get("system/hostname") == "pump-7")
            #expect(try await board.script("cat $D/root/etc/hostname").output == "pump-7\n")
            let notes = try await agent.status().storeNotes
            #expect(!notes.isEmpty)
            let findings = try await agent.findings()
            #expect(notes.allSatisfy { note in findings.contains { $0.kind == .store && $0.message == note } })
            #expect(findings.contains { $0.kind == .store && $0.subject == board.store }, "\(findings)")
            for words in [
                ["set", "system/hostname=other"], ["set", "--confirm", "60s", "system/hostname=other"],
                ["unset", "system/hostname"], ["snapshot", "create", "one"],
            ] {
                let refused = try await board.refusal(words)
                #expect(refused.status != 0 && refused.code == "StoreFailed", "\(words): \(refused)")
                #expect(refused.parameters["code"] == "read_only", "\(words): \(refused)")
            }
            #expect(try await agent.get("system/hostname") == "pump-7")
            // What holds until the next boot only is kept elsewhere; what the system was before it would not be.
            let passing = try await board.refusal("set", "--volatile", "system/hostname=passing")
            #expect(passing.status != 0 && passing.code == "StoreFailed", "\(passing)")
            #expect(try await board.script("cat $D/root/etc/hostname").output == "pump-7\n")
            #expect(try await board.cleat("set", "--volatile", "agent/log/level=debug").status == 0)
            #expect(try await agent.get("agent/log/level") == "debug")
            let other = try await board.fail()
            #expect(other.status == .exited(1) && other.outputText.contains(board.state), "\(other.outputText)")
            try await agent.stop()
            #expect(try await board.script(sums).output == before)
            await space.end()
            let last = try await board.start()
            try await last.set(["system/hostname": "pump-8"])
            #expect(try await last.status().storeNotes.isEmpty)
        }
    }

    @Test(
        "A trial that was aborted while the store was read-only is on trial no more once it can be written",
        .tags(.anyMachine), .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func abortedWithoutStore() async throws {
        try await Board.with { board in
            let first = try await board.start()
            try await first.set(["system/hostname": "before"])
            let tried = try await board.cleat("set", "system/hostname=tried", "--confirm", "10m", "--id", "t1")
            #expect(tried.status == 0, "\(tried)")
            await first.kill()
            let space = try await board.makeNamespace(
                "mount --bind $D/state $D/state; mount -o remount,bind,ro $D/state")
            let second = try await board.start(space.options)
            #expect(try await second.status().trial?.id == "t1")
            let aborted = try await board.cleat("abort", "t1")
            #expect(aborted.status == 0, "\(aborted)")
            #expect(try contents(of: FilePath(board.root + "/etc/hostname")) == "before\n")
            await second.kill()
            await space.end()

            let third = try await board.start()
            #expect(try await third.status().trial == nil)
            #expect(try await third.get("system/hostname") == "before")
            #expect(try contents(of: FilePath(board.root + "/etc/hostname")) == "before\n")
            #expect(try await board.cleat("confirm", "t1").status != 0)
            #expect(try await board.cleat("drift").status == 0)
            #expect(try await board.script("! grep reverted_trial $D/run/volatile.json").status == 0)
        }
    }

    @Test(
        "On a full disk a store that was stopped cleanly opens and accepts settings; a too large one is refused as a whole",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func fullDisk() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                "mkdir $D/state; mount -t tmpfs -o size=12m,mode=700 none $D/state")
            let first = try await board.start(space.options)
            for number in 1...20 { try await first.set(["system/hostname": .string("h\(number)")]) }
            try await first.stop()
            try await space.script("dd if=/dev/zero of=$D/state/filler bs=4k 2>/dev/null || true")

            let second = try await board.start(space.options)
            #expect(try await second.get("system/hostname") == "h20")
            for number in 21...60 { try await second.set(["system/hostname": .string("h\(number)")]) }
            // Each call has some 700 KB, so one of them does not fit into the space of the log.
            var settings = 1
            var refusal: VarlinkError?
            for call in 0..<20 where refusal == nil {
                let changes: [JSONValue] = (0..<250).map { number in
                    let addresses = (0..<64).map {
                        JSONValue.string("2001:db8:1111:2222:3333:4444:5555:\(1_000 + $0)/64")
                    }
                    return [
                        "path": .string("network/interfaces/e\(call)x\(number)/addresses"), "value": .array(addresses),
                    ]
                }
                do {
                    try await second.call("dev.cleat.Settings.Set", ["changes": .array(changes)])
                    settings += 250
                } catch let error as VarlinkClientError {
                    refusal = error.remote
                }
            }
            let error = try #require(refusal)
            #expect(error.name == "dev.cleat.Settings.StoreFailed", "\(error)")
            #expect(error.parameters["code"] == "disk_full", "\(error)")
            #expect(try await second.get("system/hostname") == "h60")
            let status = try await second.status()
            #expect(status.settings == settings)
            #expect(status.generation == 60 + Int64(settings / 250))

            try await space.script("rm $D/state/filler")
            try await second.set(["network/interfaces/e1/dns": ["192.0.2.1"]])
            try await second.stop()
            let third = try await board.start(space.options)
            #expect(try await third.get("system/hostname") == "h60")
            #expect(try await third.status().generation == status.generation + 1)
            #expect(try await third.status().settings == settings + 1)
        }
    }

    @Test("Missing directories are made, with modes that admit the right users")
    func directories() async throws {
        try await Board.with { board in
            let place = board.directory.appending("a/b/run")
            let agent = try await board.start(.init(arguments: ["--runtime", place, "--socket", board.socket]))
            #expect(try await agent.get("system/hostname") == nil)
            let modes = try await board.script(
                "stat -c %a $D/a/b/run $D/run $D/state $D/a/b; stat -c %a $D/run/socket")
            #expect(modes.lines.prefix(4) == ["755", "755", "700", "755"], "\(modes)")
            #expect(["600", "660"].contains(modes.lines.last ?? ""), "\(modes)")
        }
    }

    @Test("A second service on the same store, or the same socket, ends with 1 and does not disturb the first")
    func secondInstance() async throws {
        try await Board.with { board in
            let first = try await board.start()
            try await first.set(["system/hostname": "pump-7"])
            let sameStore = try await board.fail(
                .init(arguments: ["--runtime", board.directory.appending("other")]))
            #expect(sameStore.status == .exited(1), "\(sameStore.outputText)")
            #expect(sameStore.outputText.contains(board.state), "\(sameStore.outputText)")
            let executor = ThreadExecutor(name: "test")
            let error = await #expect(throws: StoreError.self) {
                try await SettingsStore.open(directory: FilePath(board.state), executor: executor)
            }
            #expect(error?.code == .inUse && error?.subject == board.state, "\(error as Any)")
            let sameSocket = try await board.fail(
                .init(arguments: ["--state", board.directory.appending("otherstate")]))
            #expect(sameSocket.status == .exited(1), "\(sameSocket.outputText)")
            #expect(sameSocket.outputText.contains(board.socket), "\(sameSocket.outputText)")

            #expect(try await first.get("system/hostname") == "pump-7")
            try await first.set(["system/hostname": "pump-8"])
            #expect(try await first.get("system/hostname") == "pump-8")
        }
    }
}

@Suite("The service is killed", .tags(.board))
struct KilledServiceTests {
    /// The values that a client knows to be stored, and those that may be.
    private final class Knowledge: Sendable {
        struct State {
            var acknowledged: Int64 = 0
            var attempted: Int64 = 0
            var generation: Int64 = 0
        }

        private let state = Mutex(State())

        var now: State { state.withLock { $0 } }

        func begin(_ stored: Int64, generation: Int64) {
            state.withLock {
                $0 = State(acknowledged: stored, attempted: max(stored, 1_000), generation: generation)
            }
        }

        func attempt() -> Int64 {
            state.withLock { state in
                state.attempted += 1
                return state.attempted
            }
        }

        func acknowledge(_ number: Int64, generation: Int64) {
            state.withLock { state in
                state.acknowledged = number
                state.generation = generation
            }
        }
    }

    /// Commits one number after the other until the service is gone.
    private static func write(_ agent: RunningAgent, _ knowledge: Knowledge) async throws {
        let connection = try await agent.connect()
        defer { connection.close() }
        while true {
            let number = knowledge.attempt()
            let reply = try await connection.call(
                SettingsInterface.Set.self,
                .init(changes: [
                    RequestedChange(path: "network/interfaces/n/mtu", value: .integer(number)),
                    RequestedChange(path: "system/hostname", value: .string("h\(number)")),
                ]))
            knowledge.acknowledge(number, generation: reply.generation)
        }
    }

    @Test(
        "SIGKILL at a random instant, 25 times: acknowledged settings are in force",
        arguments: TestMachine.seeds(4, briefly: 1))
    func kill(seed: UInt64) async throws {
        try await Board.with { board in
            var random = SeededGenerator(seed: seed)
            let knowledge = Knowledge()
            for round in 0..<25 {
                let agent = try await board.start()
                let status = try await agent.status()
                #expect(status.storeNotes.isEmpty, "seed \(seed), round \(round): \(status.storeNotes)")
                let stored = try await agent.get("network/interfaces/n/mtu")?.integerValue ?? 0
                let known = knowledge.now
                #expect(
                    stored == known.acknowledged || stored == known.attempted,
                    "seed \(seed), round \(round): \(stored) is there, \(known) is known")
                #expect(status.generation >= known.generation)
                // A transaction is there whole or not at all.
                let name: JSONValue? = stored > 0 ? .string("h\(stored)") : nil
                #expect(try await agent.get("system/hostname") == name)

                knowledge.begin(stored, generation: status.generation)
                let writing = board.loop.task { try await Self.write(agent, knowledge) }
                // In every other round it surely writes; in the others it may still be anywhere.
                if !round.isMultiple(of: 2) {
                    try await board.eventually("it wrote") { knowledge.now.acknowledged > stored }
                }
                try await board.loop.sleep(for: .microseconds(Int64.random(in: 0...60_000, using: &random)))
                try await agent.stop(.kill)
                _ = await writing.result
            }
            #expect(knowledge.now.generation >= 12)
        }
    }

    /// The knowledge of ten clients of their own settings, and the generations that they were answered with.
    private final class Writers: Sendable {
        struct State {
            var acknowledged = Array(repeating: Int64(0), count: 10)
            var attempted = Array(repeating: Int64(0), count: 10)
            var generations: [Int64] = []
        }

        private let state = Mutex(State())

        var now: State { state.withLock { $0 } }

        func attempt(_ writer: Int) -> Int64 {
            state.withLock { state in
                state.attempted[writer] += 1
                return state.attempted[writer]
            }
        }

        func acknowledge(_ writer: Int, _ number: Int64, generation: Int64) {
            state.withLock { state in
                state.acknowledged[writer] = number
                state.generations.append(generation)
            }
        }

        /// Continues from what is stored.
        func begin(_ writer: Int, _ stored: Int64) {
            state.withLock { state in
                (state.acknowledged[writer], state.attempted[writer]) = (stored, stored)
            }
        }
    }

    /// Commits one number after the other to a setting of its own until the service is gone.
    private static func write(_ agent: RunningAgent, _ writer: Int, _ writers: Writers) async throws {
        let connection = try await agent.connect()
        defer { connection.close() }
        while true {
            let number = writers.attempt(writer)
            let reply = try await connection.call(
                SettingsInterface.Set.self,
                .init(changes: [RequestedChange(path: "app/table/w\(writer)", value: .integer(number))]))
            writers.acknowledge(writer, number, generation: reply.generation)
        }
    }

    @Test(
        "SIGKILL while ten clients write at once: acknowledged settings are in force, each as a generation of its own",
        arguments: TestMachine.seeds(3, briefly: 1))
    func killTogether(seed: UInt64) async throws {
        try await Board.with { board in
            try SystemCalls.makeDirectory(board.config + "/schema.d")
            try board.write(
                admin: "schema.d/app.json",
                """
                {"type": "object", "properties": {"app": {"type": "object", "properties": {"table": {
                  "type": "object", "additionalProperties": {"type": "integer"}}}}}}
                """)
            var random = SeededGenerator(seed: seed)
            let writers = Writers()
            for round in 0..<8 {
                let agent = try await board.start()
                let known = writers.now
                for writer in 0..<10 {
                    let stored = try await agent.get("app/table/w\(writer)")?.integerValue ?? 0
                    #expect(
                        stored == known.acknowledged[writer] || stored == known.attempted[writer],
                        "seed \(seed), round \(round), writer \(writer): \(stored), \(known)")
                    writers.begin(writer, stored)
                }
                let started = writers.now
                let generation = try await agent.status().generation
                #expect(generation >= known.generations.max() ?? 0)
                #expect(Set(known.generations).count == known.generations.count)
                let tasks = (0..<10).map { writer in
                    board.loop.task { try await Self.write(agent, writer, writers) }
                }
                try await board.eventually("all wrote") {
                    zip(writers.now.acknowledged, started.acknowledged).allSatisfy { $0 > $1 }
                }
                try await board.loop.sleep(for: .microseconds(Int64.random(in: 0...60_000, using: &random)))
                try await agent.stop(.kill)
                for task in tasks { _ = await task.result }
            }
        }
    }
}
