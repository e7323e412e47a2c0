import Cleat
import CleatEmbedded
import CleatTestSupport
import Testing

@Suite struct MemoryTests {
    private func client() async throws -> Cleat { try await Cleat.inMemory(schemas: [lampSchema]) }

    /// A client of keys alone and one of a schema behave alike.
    private static let clients: [@Sendable () async throws -> Cleat] = [
        {
            try await Cleat.inMemory(
                schemas: [lampSchema], declaring: .brightness, .volume, .scenes, .label, .mode, .colour)
        },
        { try await Cleat.inMemory(declaring: .brightness, .volume, .scenes, .label, .mode, .colour) },
    ]

    @Test(arguments: MemoryTests.clients.indices)
    func readsDefaultsThenWhatWasSet(_ index: Int) async throws {
        let cleat = try await Self.clients[index]()
        #expect(try await cleat[.brightness] == 80)
        #expect(try await cleat[.scenes] == [])
        #expect(try await cleat[.label] == nil)
        #expect(try await cleat[.mode] == .steady)
        #expect(try await cleat[.colour] == Colour())
        #expect(try await cleat[.hostname] == "board")
        #expect(try await !cleat.isSet(.brightness))
        let count = try await cleat.edit { settings in
            settings[.brightness] += 10
            settings[.volume] += 0.25
            settings[.scenes].append("evening")
            settings[.label] ?= "desk"
            settings[.label] ?= "other"
            settings[.mode] = .fading
            settings[.colour].green = 10
            settings[.colour].name = "warm"
            return settings[.scenes].count
        }
        #expect(count == 1)
        let settings = try await cleat.settings()
        #expect(settings[.brightness] == 90)
        #expect(settings[.volume] == 0.75)
        #expect(settings[.scenes] == ["evening"])
        #expect(settings[.label] == "desk")
        #expect(settings[.mode] == .fading)
        #expect(settings[.colour] == Colour(red: 255, green: 10, name: "warm"))
        #expect(settings.isSet(.brightness))
        #expect(try await cleat.isSet(.colour))
    }

    /// A closure that reads a wrong value makes wrong changes of it.
    @Test(.tags(.fault)) func anEditThatReadsWhatItsKeyCannotFails() async throws {
        let cleat = try await client()
        try await cleat.set(.volume, to: 0.25)
        let wrong = SettingKey("lamp/volume", default: 21)
        for edit in [
            { try await cleat.update(wrong) { $0 += 1 } }, { try await cleat.edit { $0[wrong] += 1 } },
            { try await cleat.edit { $0[.brightness] = $0[wrong] } },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: CleatError.self) { try await edit() }
            #expect(error?.code == .mismatch)
        }
        #expect(try await cleat[.volume] == 0.25)
        #expect(try await cleat[.brightness] == 80)
        // A value that is assigned without a read replaces it, and a read alone changes nothing.
        try await cleat.edit { $0[wrong] = 1 }
        #expect(try await cleat[.volume] == 1)
    }

    @Test func setsUnsetsAndResets() async throws {
        let cleat = try await client()
        try await cleat.set(.brightness, to: 10)
        try await cleat.set(.label, to: "desk")
        try await cleat.set(.colour, to: Colour(red: 1, green: 2, name: "x"))
        try await cleat.update(.scenes) { $0 += ["a", "b"] }
        #expect(try await cleat[.label] == "desk")
        #expect(try await cleat[.colour] == Colour(red: 1, green: 2, name: "x"))
        try await cleat.set(.label, to: nil)
        #expect(try await cleat[.label] == nil)
        try await cleat.set(.colour, to: Colour(red: 1, green: 3))
        #expect(try await cleat[.colour] == Colour(red: 1, green: 3))
        try await cleat.unset(.brightness)
        #expect(try await cleat[.brightness] == 80)
        try await cleat.reset(.colour)
        #expect(try await cleat[.colour] == Colour())
        try await cleat.set(.hostname, to: "gateway")
        try await cleat.resetAll()
        #expect(try await cleat[.scenes] == [])
        #expect(try await cleat[.hostname] == "board")
        #expect(try await !cleat.isSet(.hostname))
    }

    @Test func refusesAllThatIsWrongAtOnceAndChangesNothing() async throws {
        let cleat = try await client()
        let error = await #expect(throws: CleatError.self) {
            try await cleat.edit { settings in
                settings[.brightness] = 101
                settings[.hostname] = "fine"
                settings[SettingKey<Int>("lamp/scenes", default: 0)] = 3
                settings[SettingKey<Int>("lamp/brightnes", default: 0)] = 3
            }
        }
        #expect(error?.code == .refused)
        #expect(error?.problems.map(\.path) == ["lamp/brightnes", "lamp/brightness", "lamp/scenes"])
        #expect(error?.problems.map(\.code) == ["unknown", "range", "type"])
        #expect(error?.description.contains("lamp/brightness") == true)
        #expect(try await cleat[.hostname] == "board")
    }

    @Test func aThrowingClosureChangesNothing() async throws {
        struct Halt: Error {}
        let cleat = try await client()
        await #expect(throws: Halt.self) {
            try await cleat.edit { settings in
                settings[.brightness] = 1
                throw Halt()
            }
        }
        #expect(try await cleat[.brightness] == 80)
        await #expect(throws: CleatError.self) { try await cleat.edit { $0[.volume] = .nan } }
    }

    @Test func keysAloneRefuseWhatTheirTypesDoNotTake() async throws {
        let cleat = try await Cleat.inMemory(declaring: .mode, .label, .brightness)
        let wrongs: [(CleatError.Code, () async throws -> Void)] = [
            (.refused, { try await cleat.set(SettingKey<String>("lamp/mode", default: ""), to: "dancing") }),
            (.refused, { try await cleat.set(SettingKey<Int>("lamp/label", default: 0), to: 1) }),
            (.refused, { try await cleat.set(SettingKey<Double>("lamp/brightness", default: 0), to: 0.5) }),
            (.refused, { try await cleat.set(SettingKey<Double>("lamp/unheard", default: 0), to: 0.5) }),
        ]
        for (code, wrong) in wrongs {
            let error = await #expect(throws: CleatError.self) { try await wrong() }
            #expect(error?.code == code)
        }
        #expect(try await cleat.settings().isSet(.label) == false)
    }

    @Test func concurrentEditsLoseNothing() async throws {
        let cleat = try await client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 { try await cleat.edit { $0[.volume] += 1 } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await cleat[.volume] == 200.5)
    }

    @Test func aConflictRunsTheClosureAgain() async throws {
        let cleat = try await client()
        // The closure cannot wait: another edit comes between its run and its commit only from another task.
        let runs = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var runs = 0
                    for _ in 0..<50 {
                        try await cleat.edit {
                            runs += 1
                            $0[.scenes].append("s")
                        }
                    }
                    return runs
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(try await cleat[.scenes].count == 200)
        #expect(runs >= 200)
    }

    @Test func brokenSchemasAreReported() async throws {
        for text in ["{", #"{"type":"string"}"#, #"{"type":"object","properties":{"a":{"type":"interger"}}}"#] {
            let error = await #expect(throws: CleatError.self) { try await Cleat.inMemory(schemas: [text]) }
            #expect(error?.code == .refused)
            #expect(error?.problems.isEmpty == false)
        }
    }
}
