import Cleat
import CleatAPI
import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@Suite("The library for Swift programs", .serialized)
struct LibraryTests {
    private static let eth0: SettingKey<NetworkInterfaceSettings> = .init(
        "network/interfaces/eth0", default: NetworkInterfaceSettings())
    private static let gateway: SettingKey<String?> = .init("network/interfaces/eth0/gateway")
    private static let missing: SettingKey<Int> = .init("system/hostnme", default: 1)
    private static let wrong: SettingKey<Int> = .init("system/hostname", default: 1)

    @Test("Reads, edits, and resets by typed keys")
    func typedKeys() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let cleat = try await Cleat.connect(
                to: board.socket, checking: .hostname, .ntpServers, .logLevel, .historyBytes, Self.eth0, Self.gateway,
                .networkInterfaces)
            #expect(try await cleat[.hostname] == "board")
            #expect(try await cleat[Self.gateway] == nil)
            try await cleat.edit(comment: "from a program") { settings in
                settings[.hostname] = "gateway"
                settings[.ntpServers].append("ntp.example.net")
                settings[.logLevel] = .debug
                settings[.historyGenerations] += 10
                settings[Self.gateway] ?= "192.0.2.1"
                settings[Self.gateway] ?= "192.0.2.2"
                settings[Self.eth0].addresses = ["192.0.2.10/24"]
                settings[Self.eth0].mtu = 1400
            }
            let settings = try await cleat.settings()
            #expect(settings[.hostname] == "gateway")
            #expect(settings[.ntpServers] == ["ntp.example.net"])
            #expect(settings[.logLevel] == .debug)
            #expect(settings[.historyGenerations] == 1010)
            #expect(settings[Self.gateway] == "192.0.2.1")
            #expect(settings[.networkInterfaces]["eth0"]?.mtu == 1400)
            #expect(settings.isSet(.hostname) && !settings.isSet(.timezone))
            let log = try JSONReader.read(try await board.cleat("log", "--output", "json").output)
            let comments = log["generations"]?.arrayValue?.compactMap { $0["comment"]?.stringValue }
            #expect(comments?.contains("from a program") == true, "\(log)")

            try await cleat.update(Self.eth0) { $0.mtu = nil }
            #expect(try await cleat[Self.eth0].mtu == nil)
            #expect(try await cleat[Self.eth0].addresses == ["192.0.2.10/24"])
            try await cleat.set(.ntpServers, to: [])
            #expect(try await cleat.isSet(.ntpServers))
            try await cleat.unset(.ntpServers)
            #expect(try await !cleat.isSet(.ntpServers))
        }
    }

    @Test("A change on trial reverts at the end of its scope, unless it was confirmed")
    func trials() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket)
            try await cleat.set(.hostname, to: "before")
            let reverted = try await cleat.edit(confirm: .seconds(60)) {
                $0[.hostname] = "trial"
            } whileOnTrial: { trial in
                #expect(try await cleat[.hostname] == "trial")
                #expect(try await agent.status().trial?.id == trial.id)
                try await trial.extend(.seconds(600))
                #expect(try await agent.status().trial?.remaining ?? 0 > 60_000)
            }
            #expect(reverted == .reverted(generation: 3))
            #expect(try await cleat[.hostname] == "before")
            let confirmed = try await cleat.edit(confirm: .seconds(60)) {
                $0[.hostname] = "kept"
            } whileOnTrial: { trial in
                let done = try await board.cleat("confirm", trial.id)
                #expect(done.status == 0, "\(done)")
            }
            #expect(confirmed == .confirmed(generation: 4))
            #expect(try await cleat[.hostname] == "kept")
            // A cancelled scope reverts as well.
            let (loop, socket) = (board.loop, board.socket)
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let task = loop.task {
                try await Cleat.connect(to: socket).edit(confirm: .seconds(60)) {
                    $0[.hostname] = "cancelled"
                } whileOnTrial: { _ in
                    start.finish()
                    try await loop.sleep(for: .seconds(3600))
                }
            }
            for await _ in started {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await agent.status().trial == nil)
            #expect(try await cleat[.hostname] == "kept")
        }
    }

    private struct TimeService: Codable, Sendable, Hashable {
        var enabled: Bool
        var servers: [String]
    }

    @Test("A group of which a part is set is read with the schema's defaults, and stored values stay", .tags(.fault))
    func partOfAGroup() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["time/ntp/servers": ["a.example"]])
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            let key = SettingKey("time/ntp", default: TimeService(enabled: false, servers: []))
            #expect(try await cleat[key] == TimeService(enabled: true, servers: ["a.example"]))
            #expect(try await cleat.settings()[key].servers == ["a.example"])
            try await cleat.edit { $0[key].servers.append("b.example") }
            #expect(try await agent.get("time/ntp/servers") == ["a.example", "b.example"])
            let told = try await board.cleat("get", "time/ntp")
            #expect(told.output == "time/ntp/servers = [\"a.example\",\"b.example\"]\n", "\(told)")
        }
    }

    @Test("Reports all errors of keys and values at once")
    func mistakes() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let mismatch = await #expect(throws: CleatError.self) {
                _ = try await Cleat.connect(to: board.socket, checking: .timezone, Self.missing, Self.wrong)
            }
            #expect(mismatch?.code == .mismatch)
            #expect(mismatch?.problems.map(\.path) == ["system/hostnme", "system/hostname"])
            #expect(mismatch?.problems.first?.reason.contains("system/hostname") == true)

            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            let refused = await #expect(throws: CleatError.self) {
                try await cleat.edit {
                    $0[Self.missing] = 2
                    $0[Self.wrong] = 3
                    $0[.timezone] = "Europe/Berlin"
                }
            }
            #expect(refused?.code == .refused)
            #expect(refused?.problems.map(\.path) == ["system/hostname", "system/hostnme"])
            #expect(try await cleat[.timezone] == "UTC")
            try await agent.set(["system/hostname": "pump-7"])
            let unreadable = await #expect(throws: CleatError.self) { _ = try await cleat[Self.wrong] }
            #expect(unreadable?.code == .mismatch)
        }
    }

    @Test("Two clients that increment at once lose nothing")
    func conflicts() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let clients = [
                try await Cleat.connect(to: board.socket, timeout: Board.patience),
                try await Cleat.connect(to: board.socket, timeout: Board.patience),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in clients + clients {
                    group.addTask {
                        for _ in 0..<10 { try await client.edit { $0[.historyGenerations] += 1 } }
                    }
                    group.addTask {
                        for _ in 0..<5 { try await client.update(.historyGenerations) { $0 += 1 } }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await clients[0][.historyGenerations] == 1060)
        }
    }

    @Test("Edits continue across a service that is killed again and again, and each is made once")
    func lostAnswers() async throws {
        try await Board.with { board in
            let agent = Kept(try await board.start())
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            let count = Kept(0)
            let editing = board.loop.task {
                for _ in 0..<60 {
                    try await cleat.edit { $0[.historyGenerations] += 1 }
                    count.change { $0 += 1 }
                }
            }
            for kills in 1...3 {
                try await board.eventually("some edits were made") { count.value >= kills * 12 }
                try await agent.value.stop(.kill)
                let next = try await board.start()
                agent.change { $0 = next }
            }
            try await editing.value
            #expect(try await cleat[.historyGenerations] == 1060)
        }
    }

    @Test("Following continues after a restart, and reports only what differs")
    func following() async throws {
        try await Board.with { board in
            let first = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            let told = Kept<[[String]]>([])
            let following = board.loop.task {
                for try await servers in cleat.changes(of: .ntpServers) { told.change { $0.append(servers) } }
            }
            @Sendable func expect(_ values: [[String]]) async throws {
                try await board.eventually("\(values) was told", showing: "\(told.value)") {
                    told.value.count >= values.count
                }
                #expect(told.value == values)
            }
            try await expect([[]])
            try await cleat.set(.ntpServers, to: ["a.example"])
            try await expect([[], ["a.example"]])

            try await first.stop(.kill)
            let second = try await board.start()
            // Another client sets it as soon as the service runs: it is reported whether the watch is back before or
            // after.
            let set = try await board.cleat("set", "time/ntp/servers=[\"b.example\"]")
            #expect(set.status == 0, "\(set.errorText)")
            try await expect([[], ["a.example"], ["b.example"]])

            try await second.stop()
            _ = try await board.start()
            // Nothing has changed during the restart: the next reported value is the next that is set.
            try await cleat.set(.ntpServers, to: [])
            try await expect([[], ["a.example"], ["b.example"], []])
            following.cancel()
            _ = try await following.value
        }
    }

    @Test("A service that does not start again is reported within the time limit")
    func gone() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket, timeout: .milliseconds(500))
            try await agent.stop(.kill)
            let error = await #expect(throws: CleatError.self) { try await cleat.set(.hostname, to: "x") }
            #expect(error?.code == .unreachable)
        }
    }

    @Test("Clients share one thread, and it ends with the last of them")
    func threads() async throws {
        try await Board.with { board in
            _ = try await board.start()
            @Sendable func threads() throws -> Int {
                try names(in: "/proc/self/task").filter {
                    (try? contents(of: FilePath("/proc/self/task/\($0)/comm")))?.hasPrefix("cleat\n") == true
                }.count
            }
            do {
                let clients = [
                    try await Cleat.connect(to: board.socket, timeout: Board.patience),
                    try await Cleat.connect(to: board.socket, timeout: Board.patience),
                ]
                for client in clients { #expect(try await client[.hostname] == "board") }
                #expect(try threads() == 1)
                var values = clients[0].changes(of: .hostname).makeAsyncIterator()
                #expect(try await values.next() == "board")
                #expect(try threads() == 1)
            }
            try await board.eventually("the thread has ended") { try threads() == 0 }
        }
    }

    @Test("The example program reads, edits, and follows its own settings")
    func example() async throws {
        try await Board.with { board in
            // The schema comes from the program's keys.
            let made = try await board.script(
                #"""
                mkdir -p "$D/etc/schema.d" && "$LAMP" --cleat-schema > "$D/etc/schema.d/lamp.json" &&
                    "$CLEAT" schema check "$D/etc/schema.d/lamp.json"
                """#, environment: Self.programs)
            #expect(made.status == 0 && made.output.hasSuffix("lamp.json: valid\n"), "\(made)")
            _ = try await board.start()
            let lamp = board.loop.task { try await board.script(#"exec "$LAMP""#, environment: Self.programs) }
            try await board.eventually("the lamp has set its scenes") {
                try await board.cleat("get", "lamp/scenes").output.contains("evening")
            }
            for brightness in ["30", "0"] {
                let set = try await board.cleat("set", "lamp/brightness=\(brightness)")
                #expect(set.status == 0, "\(set.errorText)")
            }
            let finished = try await lamp.value
            #expect(finished.status == 0, "\(finished.errorText)")
            #expect(
                finished.lines.prefix(3) == [
                    "brightness 80", "label none, 0 scenes", "fade 1.0 seconds, last start unknown",
                ])
            #expect(finished.lines.last == "shining at 0 %")
            #expect(try await board.cleat("get", "lamp/label").output == "desk\n")
            try await values(board)
        }
    }

    /// Reads and changes times and durations with keys and with `cleat`, after a run of the example.
    private func values(_ board: Board) async throws {
        let fade = SettingKey<Duration>("lamp/fade", default: .zero)
        let started = SettingKey<Timestamp?>("lamp/started")
        let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience, checking: fade, started)
        let start = try #require(try await cleat[started])
        #expect(try await board.cleat("get", "lamp/started").output == "\(start)\n")
        try await cleat.edit { settings in
            settings[fade] = .milliseconds(5003)
            settings[started] = Timestamp("0000-01-01T00:00:00.5+00:00")
        }
        #expect(try await board.cleat("get", "lamp/fade").output == "5s3ms\n")
        #expect(try await board.cleat("get", "lamp/started").output == "0000-01-01T00:00:00.5Z\n")
        let set = try await board.cleat("set", "lamp/fade=0m59s", "lamp/started=9999-12-31T23:59:59+01:00")
        #expect(set.status == 0, "\(set.errorText)")
        #expect(try await cleat[fade] == .seconds(59))
        #expect(try await cleat.settings()[started] == Timestamp("9999-12-31T22:59:59Z"))
        for wrong in ["lamp/fade=61s", "lamp/fade=-1s", "lamp/started=2023-02-29T00:00:00Z"] {
            #expect(try await board.cleat("set", wrong).status == 65, "\(wrong)")
        }
        for value in [Duration.seconds(61), .seconds(-1), .nanoseconds(1)] {
            let error = await #expect(throws: CleatError.self) { try await cleat.set(fade, to: value) }
            #expect(error?.code == .refused)
        }
        let mismatch = await #expect(throws: CleatError.self) {
            try await cleat.check(SettingKey<[UInt8]?>("lamp/started"), SettingKey<Int?>("lamp/fade"))
        }
        #expect(mismatch?.problems.map(\.path) == ["lamp/started", "lamp/fade"])
    }

    @Test("A program whose schema option prints no schema is refused with file and line")
    func garbageAsSchema() async throws {
        try await Board.with { board in
            for (text, place) in [
                ("lamp: unknown option\n", ":1:1: "), ("", ":1:1: "), ("{\n  \"type\": \"objekt\"\n}\n", ":2:3: "),
            ] {
                try board.directory.write(text, to: "garbage.json")
                let checked = try await board.script(#"exec "$CLEAT" schema check "$D/garbage.json""#)
                #expect(checked.status == 65)
                #expect(checked.output.contains("garbage.json\(place)"), "\(checked)")
            }
            // The schema of the example is the same in a pipe, and without its option alone it is not printed.
            let piped = try await board.script(
                #""$LAMP" --cleat-schema | "$CLEAT" schema check -"#, environment: Self.programs)
            #expect(piped.output == "standard input: valid\n", "\(piped)")
            let full = try await board.script(
                #"exec "$LAMP" --cleat-schema > /dev/full"#, environment: Self.programs)
            #expect(full.status == 1)
        }
    }

    @Test("The example program reports missing parts, with the remedy")
    func exampleWithoutSchema() async throws {
        try await Board.with { board in
            let alone = try await board.script(#"exec "$LAMP""#, environment: Self.programs)
            #expect(alone.status == 1)
            #expect(alone.output.contains("start cleatd"), "\(alone.output)")
            _ = try await board.start()
            let strange = try await board.script(#"exec "$LAMP""#, environment: Self.programs)
            #expect(strange.status == 1)
            for text in ["lamp/brightness", "lamp/scenes", "lamp/label", "schema.d"] {
                #expect(strange.output.contains(text), "\(strange.output)")
            }
        }
    }

    @Test(
        "A user without access to the service gets an error with the reason",
        .enabled(if: Machine.isRoot, Machine.rootReason))
    func denied() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let copy = try await board.script(
                #"cp "$LAMP" "$D/lamp" && chmod 755 "$D/lamp" && chmod 711 "$D""#, environment: Self.programs)
            try #require(copy.status == 0, "\(copy.errorText)")
            let stranger = ChildCommand.User(uid: 65_534, gid: 65_534)
            // First the socket's mode keeps the stranger out, then the service itself.
            for mode in [UInt32(0o600), 0o666] {
                try SystemCalls.changeMode(board.socket, mode)
                let lamp = try await board.script(#"exec "$D/lamp""#, user: stranger)
                #expect(lamp.status == 1)
                #expect(lamp.output.contains("group `cleat`"), "\(lamp.output)")
            }
        }
    }

    /// The values that several tasks of a test check.
    private final class Kept<Value: Sendable>: Sendable {
        private let state: Mutex<Value>

        init(_ value: Value) { state = Mutex(value) }

        var value: Value { state.withLock { $0 } }

        func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
    }

    @Test("The example program with a plan, a snapshot and a trial leaves the board as it was")
    func memento() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump"])
            let done = try await board.script(#"exec "$MEMENTO""#, environment: Self.programs)
            #expect(done.status == 0, "\(done)")
            #expect(done.lines.first == "would change system/hostname: pump -> gateway")
            #expect(done.lines.contains("change: /etc/hostname"), "\(done)")
            #expect(done.lines.contains("outcome: confirmed(generation: 2)"), "\(done)")
            #expect(done.lines.contains { $0.hasPrefix("#2 confirmed by ") }, "\(done)")
            #expect(done.lines.last == "host name is pump again: true")
            #expect(try await agent.get("system/hostname") == "pump")
            #expect(try board.directory.read("root/etc/hostname") == "pump\n")
        }
    }

    @Test("The example program that observes answers an event of another program")
    func watcher() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let watcher = board.loop.task { try await board.script(#"exec "$WATCHER""#, environment: Self.programs) }
            // Each ring is an event of its own, until the program has subscribed and ends.
            let ended = TextBox()
            let ringing = board.loop.task {
                while ended.text.isEmpty { _ = try await board.cleat("emit", "ring", "door") }
            }
            let done = try await watcher.value
            ended.append("ended")
            try await ringing.value
            #expect(done.status == 0, "\(done)")
            #expect(done.lines.contains { $0.hasPrefix("ring door, by ") }, "\(done)")
        }
    }

    private static let programs = [
        "LAMP": TestPlaces.program("lamp").string, "WATCHER": TestPlaces.program("watcher").string,
        "MEMENTO": TestPlaces.program("memento").string,
    ]
}
