import Cleat
import CleatIO
import CleatTestSupport
import Synchronization
import Testing

/// Tests of a Swift program with the board's files and other callers: resets, secrets, locks, volatile values.
///
/// They are in the same suite as the others since all clients of a process share a thread, and one of them waits for
/// its end.
extension LibraryTests {
    private static let schema = """
        { "type": "object", "properties": { "player": { "type": "object", "properties": {
          "volume": { "type": "integer", "minimum": 0, "maximum": 100, "default": 30 },
          "tags": { "type": "array", "items": { "type": "string" }, "default": ["new"] },
          "pin": { "type": "string", "minLength": 8, "writeOnly": true } } } } }
        """
    private static let volume: SettingKey<Int> = .init("player/volume", default: 30)
    private static let tags: SettingKey<[String]> = .init("player/tags", default: [])
    private static let pin: SettingKey<String?> = .init("player/pin")
    private static let eth0: SettingKey<NetworkInterfaceSettings> = .init(
        "network/interfaces/eth0", default: NetworkInterfaceSettings())

    private static func prepare(_ board: Board) throws {
        try board.makeSourceDirectories()
        try board.write(vendor: "schema.d/player.json", schema)
        try board.write(vendor: "defaults.d/player.json5", "{ player: { volume: 45 } }")
        try SystemCalls.makeDirectory(board.state, mode: 0o700)
        try board.directory.write("{ player: { volume: 50 } }", to: "state/factory.json5")
    }

    /// The values of a sequence.
    private final class Told<Value: Sendable & Equatable>: Sendable {
        private let state = Mutex<[Value]>([])
        var values: [Value] { state.withLock { $0 } }
        func append(_ value: Value) { state.withLock { $0.append(value) } }
    }

    /// Follows a key while a body runs, and no longer: a follower keeps the thread of all clients.
    private static func follow<Value: Equatable>(
        _ key: SettingKey<Value>, of cleat: Cleat, on board: Board, _ body: (Told<Value>) async throws -> Void
    ) async throws {
        let told = Told<Value>()
        let following = board.loop.task { for try await value in cleat.changes(of: key) { told.append(value) } }
        do {
            try await body(told)
        } catch {
            following.cancel()
            _ = await following.result
            throw error
        }
        following.cancel()
        _ = await following.result
    }

    @Test("Reset restores factory data and defaults of one setting, a group, and all")
    func resets() async throws {
        try await Board.with { board in
            try Self.prepare(board)
            _ = try await board.start()
            let cleat = try await Cleat.connect(
                to: board.socket, timeout: Board.patience, checking: Self.volume, Self.tags, .hostname)
            try await Self.follow(Self.volume, of: cleat, on: board) { told in
                try await board.eventually("the factory's volume was told") { told.values == [50] }
                try await cleat.edit { settings in
                    settings[Self.volume] += 10
                    settings[Self.tags].append("loud")
                    settings[.hostname] = "pump-7"
                    settings[Self.eth0].mtu = 1_400
                }
                try await board.eventually("the edit was told") { told.values == [50, 60] }
                #expect(try await board.cleat("set", "--volatile", "player/volume=70").status == 0)
                try await board.eventually("the volatile value was told") { told.values == [50, 60, 70] }
                #expect(try await cleat[Self.volume] == 70)

                // One transaction takes away what is committed and what is volatile.
                try await cleat.reset(Self.volume, comment: "quiet again")
                try await board.eventually("the reset was told") { told.values == [50, 60, 70, 50] }
                #expect(try await cleat[Self.volume] == 50)
                #expect(try await cleat[Self.tags] == ["new", "loud"])
                #expect(try await board.cleat("log", "--output", "json").output.contains("quiet again"))
                // Nothing is left to take away, and that is no error.
                try await cleat.reset(Self.volume)
                try await cleat.reset(Self.eth0)
                #expect(try await !cleat.isSet(Self.eth0))
                #expect(try await cleat[Self.eth0].mtu == nil)

                try await cleat.resetAll(comment: "sold")
                let settings = try await cleat.settings()
                #expect(settings[Self.tags] == ["new"] && settings[.hostname] == "board" && settings[Self.volume] == 50)
                #expect(settings.isSet(Self.volume) && !settings.isSet(Self.tags))
                let log = try await board.cleat("log")
                #expect(log.output.contains("sold"), "\(log)")
                let unknown = await #expect(throws: CleatError.self) {
                    try await cleat.reset(SettingKey<Int>("player/volum", default: 1))
                }
                #expect(unknown?.code == .refused && unknown?.problems.first?.reason.contains("player/volume?") == true)
            }
        }
    }

    @Test("A secret is sent to a caller that may read it and requests it, can be set by all, and is in no error")
    func secrets() async throws {
        try await Board.with { board in
            try Self.prepare(board)
            _ = try await board.start()
            let mismatch = await #expect(throws: CleatError.self) {
                _ = try await Cleat.connect(to: board.socket, timeout: Board.patience, checking: Self.volume, Self.pin)
            }
            #expect(mismatch?.code == .mismatch && mismatch?.problems.map(\.code) == ["secret"], "\(mismatch as Any)")

            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            let privy = try await Cleat.connect(
                to: board.socket, timeout: Board.patience, revealingSecrets: true, checking: Self.pin)
            try await Self.follow(Self.pin, of: privy, on: board) { told in
                try await board.eventually("that there is none was told") { told.values == [nil] }
                try await cleat.set(Self.pin, to: "hidden-1")
                try await board.eventually("the secret was told") { told.values == [nil, "hidden-1"] }
                #expect(try await privy[Self.pin] == "hidden-1")
                #expect(try await privy.settings()[Self.pin] == "hidden-1")
                #expect(try await cleat.isSet(Self.pin))

                var errors: [CleatError?] = []
                errors.append(await #expect(throws: CleatError.self) { _ = try await cleat[Self.pin] })
                errors.append(
                    await #expect(throws: CleatError.self) {
                        for try await _ in cleat.changes(of: Self.pin) { Issue.record("a secret was told") }
                    })
                #expect(errors.map(\.?.code) == [.denied, .denied])
                errors.append(await #expect(throws: CleatError.self) { try await cleat.set(Self.pin, to: "hidden") })
                errors.append(
                    await #expect(throws: CleatError.self) {
                        try await cleat.edit { $0[SettingKey<[String]?>("player/pin")] = ["hidden-2"] }
                    })
                #expect(errors.suffix(2).map(\.?.code) == [.refused, .refused])
                errors.append(
                    await #expect(throws: CleatError.self) { _ = try await privy[SettingKey<Int?>("player/pin")] })
                #expect(errors.last??.code == .mismatch)
                for error in errors { #expect(!"\(error as Any)".contains("hidden"), "\(error as Any)") }

                try await privy.edit { $0[Self.pin]? += "-longer" }
                try await board.eventually("the longer one was told") { told.values.last == "hidden-1-longer" }
                // A caller that may not read it can unset it.
                try await cleat.edit { $0.unset(Self.pin) }
                try await board.eventually("that it is gone was told") { told.values.last == .some(nil) }
                #expect(try await !privy.isSet(Self.pin))
            }
        }
    }

    @Test("While another change is on trial a program reads its values, and its own change is refused with a code")
    func trial() async throws {
        try await Board.with { board in
            try Self.prepare(board)
            _ = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            let set = try await board.cleat("set", "player/volume=60", "--confirm", "5m", "--id", "t1")
            #expect(set.status == 0, "\(set)")
            #expect(try await cleat[Self.volume] == 60)
            let error = await #expect(throws: CleatError.self) { try await cleat.set(Self.volume, to: 70) }
            #expect(error?.code == .pending && error?.description.contains("t1") == true, "\(error as Any)")
            #expect(try await board.cleat("abort").status == 0)
            #expect(try await cleat[Self.volume] == 50)
            try await cleat.set(Self.volume, to: 70)
            #expect(try await cleat[Self.volume] == 70)
        }
    }

    @Test("A locked setting is refused by name, whatever else an edit changes")
    func locks() async throws {
        try await Board.with { board in
            try Self.prepare(board)
            let file = try board.write(
                admin: "locks.d/fleet.json5",
                "{ locks: [ { path: 'player/volume', layer: 'factory', reason: 'by contract' } ] }")
            _ = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience, checking: Self.volume)
            #expect(try await cleat[Self.volume] == 50)
            let attempts: [@Sendable () async throws -> Void] = [
                { try await cleat.set(Self.volume, to: 60) },
                { try await cleat.update(Self.volume) { $0 += 1 } },
                { try await cleat.edit { ($0[Self.volume], $0[.hostname]) = (60, "pump-7") } },
                { try await cleat.unset(Self.volume) },
            ]
            for attempt in attempts {
                let error = await #expect(throws: CleatError.self) { try await attempt() }
                #expect(error?.code == .locked && error?.problems.map(\.path) == ["player/volume"], "\(error as Any)")
                for part in [file, "by contract", "cleat why player/volume"] {
                    #expect(error?.description.contains(part) == true, "\(error as Any)")
                }
            }
            #expect(try await cleat[.hostname] == "board")
            // A reset writes nothing that the lock forbids.
            try await cleat.reset(Self.volume)
            try await cleat.resetAll()
            #expect(try await cleat[Self.volume] == 50)
        }
    }

    @Test("A program reads and follows a volatile value; its edits are committed below it")
    func volatileValues() async throws {
        try await Board.with { board in
            try Self.prepare(board)
            let agent = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            try await cleat.set(Self.volume, to: 60)
            #expect(
                try await board.cleat("set", "--volatile", "player/volume=70", "system/hostname=passing").status == 0)
            try await Self.follow(Self.volume, of: cleat, on: board) { told in
                try await board.eventually("the volatile value was told") { told.values == [70] }
                #expect(try await cleat.settings()[.hostname] == "passing")
                #expect(try await cleat.isSet(.hostname))

                try await cleat.edit { settings in
                    settings[Self.volume] = 61
                    settings[.timezone] = "Europe/Berlin"
                }
                #expect(try await cleat[Self.volume] == 70)
                // It outlives a restart of the service, and the sequence goes on without a word about it.
                try await agent.stop(.kill)
                _ = try await board.start()
                #expect(try await cleat[Self.volume] == 70)
                #expect(try await board.cleat("unset", "--volatile", "player/volume", "system/hostname").status == 0)
                try await board.eventually("what was committed was told") { told.values == [70, 61] }
                #expect(try await cleat[.hostname] == "board")
                try await cleat.unset(Self.volume)
                try await board.eventually("the factory's was told") { told.values == [70, 61, 50] }
            }
        }
    }
}
