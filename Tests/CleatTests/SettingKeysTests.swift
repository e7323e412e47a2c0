import Cleat
import CleatEmbedded
import CleatIO
import CleatTestSupport
import Testing

extension SettingKey<Duration> {
    fileprivate static var fade: Self { .init("lamp/fade", default: .seconds(1), .range(.zero ... .seconds(60))) }
}

extension SettingKey<[UInt8]> {
    fileprivate static var image: Self { .init("lamp/image", default: []) }
}

extension SettingKey<Timestamp?> {
    fileprivate static var started: Self { .init("lamp/started") }
}

extension SettingKey<[String: Duration]> {
    fileprivate static var delays: Self { .init("lamp/delays", default: [:]) }
}

extension SettingKey<String?> {
    fileprivate static var pin: Self { .init("lamp/pin", .pattern("^[0-9]{4}$"), .secret) }
}

extension SettingKey<Shade> {
    fileprivate static var shade: Self { .init("lamp/shade", default: Shade(), .title("Shade")) }
}

private struct Shade: Codable, Sendable, Equatable {
    var after = Duration.seconds(10)
    var until: Timestamp?
    var mask: [UInt8] = [255]
}

@Suite struct SettingKeysTests {
    private static let keys = SettingKeys(
        title: "Lamp", .brightness, .fade, .image, .started, .delays, .pin, .shade, .hostname)

    /// A client with the schema of the keys, and one that is declared with them, behave alike.
    private static let clients: [@Sendable () async throws -> Cleat] = [
        { try await Cleat.inMemory(schemas: [keys.schema()]) },
        { try await Cleat.inMemory(declaring: .brightness, .fade, .image, .started, .delays, .pin, .shade) },
    ]

    @Test(.timeLimit(.minutes(TestMachine.slowness)), arguments: SettingKeysTests.clients.indices)
    func valuesAreReadEditedAndFollowed(_ index: Int) async throws {
        let cleat = try await Self.clients[index]()
        try await cleat.check(Self.keys)
        #expect(try await cleat[.fade] == .seconds(1))
        #expect(try await cleat[.image] == [])
        #expect(try await cleat[.started] == nil)
        #expect(try await cleat[.shade] == Shade())
        var fades = cleat.changes(of: .fade).makeAsyncIterator()
        var shades = cleat.changes(of: .shade).makeAsyncIterator()
        #expect(try await fades.next() == .seconds(1))
        #expect(try await shades.next() == Shade())
        let start = try #require(Timestamp("1999-12-31T23:59:59.000000001+00:30"))
        try await cleat.edit { settings in
            settings[.fade] += .milliseconds(500)
            settings[.image].append(contentsOf: [1, 2, 3])
            settings[.started] ?= start
            settings[.delays]["door"] = .seconds(90)
            settings[.shade].until = start
            settings[.shade].mask.append(0)
            settings[.pin] = "1234"
        }
        #expect(try await fades.next() == .milliseconds(1500))
        #expect(try await shades.next() == Shade(until: start, mask: [255, 0]))
        let settings = try await cleat.settings()
        #expect(settings[.fade] == .milliseconds(1500))
        #expect(settings[.image] == [1, 2, 3])
        #expect(settings[.started] == start)
        #expect(settings[.delays] == ["door": .seconds(90)])
        try await cleat.set(.shade, to: Shade(after: .zero))
        #expect(try await cleat[.shade] == Shade(after: .zero))
        try await cleat.set(.image, to: Array(repeating: 9, count: 190_000))
        #expect(try await cleat[.image].count == 190_000)
    }

    @Test(arguments: SettingKeysTests.clients.indices)
    func valuesThatCannotBeStoredAreRefused(_ index: Int) async throws {
        let cleat = try await Self.clients[index]()
        let wrongs: [(String, String, () async throws -> Void)] = [
            ("range", "lamp/fade", { try await cleat.set(.fade, to: .seconds(61)) }),
            ("", "lamp/fade", { try await cleat.set(.fade, to: .seconds(-1)) }),
            ("", "lamp/fade", { try await cleat.edit { $0[.fade] = .nanoseconds(1) } }),
            ("", "lamp/shade/after", { try await cleat.edit { $0[.shade].after = .seconds(-1) } }),
            ("", "lamp/image", { try await cleat.set(.image, to: Array(repeating: 0, count: 1 << 20)) }),
            ("pattern", "lamp/pin", { try await cleat.set(.pin, to: "12345") }),
            (
                "format", "lamp/image",
                { try await cleat.set(SettingKey<String>("lamp/image", default: ""), to: "no base64") }
            ),
            (
                "format", "lamp/started",
                { try await cleat.set(SettingKey<String>("lamp/started", default: ""), to: "2023-02-29T00:00:00Z") }
            ),
        ]
        for (code, path, wrong) in wrongs {
            let error = await #expect(throws: CleatError.self) { try await wrong() }
            #expect(error?.code == .refused)
            #expect(error?.description.contains(path) == true, "\(path): \(String(describing: error))")
            #expect(error?.problems.first?.code == (code.isEmpty ? nil : code))
        }
        #expect(try await cleat[.fade] == .seconds(1))
    }

    @Test func keysThatDoNotFitTheBoardAreReported() async throws {
        let schema = """
            { "type": "object", "properties": { "lamp": { "type": "object", "properties": {
              "seconds": { "type": "integer", "default": 5 },
              "list": { "type": "array", "items": { "type": "integer" } },
              "wait": { "type": "string", "format": "duration" },
              "time": { "type": "string", "format": "date-time", "default": "0000-01-01T00:00:00+01:00" },
              "group": { "type": "object", "properties": { "wait": { "type": "integer", "default": 1 } } }
            } } } }
            """
        let cleat = try await Cleat.inMemory(schemas: [schema])
        struct Group: Codable { var wait = Duration.seconds(1) }
        let cases: [(String, (Cleat) async throws -> Void)] = [
            ("lamp/seconds", { try await $0.check(SettingKey<Duration>("lamp/seconds", default: .seconds(5))) }),
            ("lamp/seconds", { try await $0.check(SettingKey<Timestamp?>("lamp/seconds")) }),
            ("lamp/list", { try await $0.check(SettingKey<[UInt8]>("lamp/list", default: [])) }),
            ("lamp/list", { try await $0.check(SettingKey<[UInt8]?>("lamp/list")) }),
            ("lamp/list", { try await $0.check(SettingKey<[Duration]>("lamp/list", default: [])) }),
            ("lamp/wait", { try await $0.check(SettingKey<Timestamp?>("lamp/wait")) }),
            ("lamp/wait", { try await $0.check(SettingKey<[UInt8]?>("lamp/wait")) }),
            // The schema accepts a time that is not in the years 0000 to 9999 of UTC.
            ("lamp/time", { try await $0.check(SettingKey<Timestamp>("lamp/time", default: .now)) }),
            ("lamp/group/wait", { try await $0.check(SettingKey("lamp/group", default: Group())) }),
        ]
        for (path, check) in cases {
            let error = await #expect(throws: CleatError.self, "\(path)") { try await check(cleat) }
            #expect(error?.code == .mismatch)
            #expect(error?.problems.map(\.path) == [path])
        }
        try await cleat.check(SettingKey<Duration?>("lamp/wait"), SettingKey<Timestamp?>("lamp/time"))
    }

    // MARK: The schema

    @Test func theSchemaOfTheKeysIsOneForSchemaFiles() async throws {
        let text = try Self.keys.schema()
        let json = try JSONReader.read(text)
        #expect(json["title"] == "Lamp")
        let lamp = json["properties"]?["lamp"]?["properties"]
        #expect(
            lamp?["fade"] == [
                "type": "string", "format": "duration", "examples": ["1h30m"], "default": "1s", "minimum": 0,
                "maximum": 60_000,
            ])
        #expect(lamp?["pin"] == ["type": "string", "pattern": "^[0-9]{4}$", "writeOnly": true])
        #expect(lamp?["shade"]?["title"] == "Shade")
        #expect(lamp?["shade"]?["properties"]?["mask"]?["default"] == "/w==")
        // The board's own settings are not in it.
        #expect(json["properties"]?["system"] == nil)
        // Settings in memory with this text accept the keys.
        let cleat = try await Cleat.inMemory(schemas: [text])
        try await cleat.check(Self.keys)
        try await cleat.edit { $0[.shade].after += .seconds(1) }
        #expect(try await cleat[.shade].after == .seconds(11))
    }

    @Test func aKeyOfAMemberAddsItsRules() throws {
        let after = SettingKey<Duration>("lamp/shade/after", default: .seconds(3), .maximum(.seconds(9)))
        let entry = SettingKey<Duration?>("lamp/delays/door")
        let json = try JSONReader.read(try SettingKeys(after, entry, .delays, .shade).schema())
        let lamp = json["properties"]?["lamp"]?["properties"]
        let member = lamp?["shade"]?["properties"]?["after"]
        #expect(member?["maximum"] == 9000 && member?["default"] == "3s")
        #expect(lamp?["shade"]?["properties"]?["mask"] != nil)
        #expect(lamp?["delays"]?["properties"] == nil)
    }

    @Test func keysWithoutAValidSchemaAreAllReported() throws {
        enum Unlisted: String, Codable { case steady }
        let error = #expect(throws: CleatError.self) {
            try SettingKeys(
                SettingKey("lamp/mode", default: Unlisted.steady), .brightness,
                SettingKey<String>("lamp/brightness", default: ""),
                SettingKey<[Int: Int]>("lamp/numbers", default: [:])
            ).schema()
        }
        #expect(error?.code == .refused)
        #expect(error?.problems.map(\.path) == ["lamp/mode", "lamp/brightness", "lamp/numbers"])
        for wrong in [
            SettingKeys(SettingKey<Int>("lamp/a", default: 101, .range(0...100))),
            SettingKeys(SettingKey<String?>("lamp/a", .pattern("("))),
            SettingKeys(SettingKey<String?>("lamp/a", .keyword("format", "nothing"))),
            SettingKeys(SettingKey<Int>("lamp/a", default: 1), SettingKey<Int>("lamp/a/b", default: 1)),
            SettingKeys(SettingKey<Int>("lamp/a", default: 1, .keyword("colour", 1))),
        ] {
            let error = #expect(throws: CleatError.self) { try wrong.schema() }
            #expect(error?.code == .refused)
            #expect(error?.problems.isEmpty == false)
        }
    }

    @Test func theClockIsReadInUTC() {
        let before = WallTime.now()
        let now = Timestamp.now
        let after = WallTime.now()
        #expect(
            (before.milliseconds...after.milliseconds).contains(now.seconds * 1000 + Int64(now.nanoseconds) / 1_000_000)
        )
    }

    /// Two implementations of the calendar agree.
    @Test(arguments: 0..<4) func instantsAgreeWithTheClockOfTheService(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            let wall = WallTime(milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator))
            let time = try #require(Timestamp(wall.description))
            #expect(time.seconds * 1000 + Int64(time.nanoseconds) / 1_000_000 == wall.milliseconds, "seed \(seed)")
            #expect(WallTime(time.description) == wall, "seed \(seed)")
        }
    }
}
