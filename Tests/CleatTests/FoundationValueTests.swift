import Cleat
import CleatEmbedded
import CleatFoundation
import FoundationEssentials
import Testing

extension SettingKey<Date?> {
    fileprivate static var serviced: Self { .init("lamp/serviced") }
}

extension SettingKey<Data> {
    fileprivate static var image: Self { .init("lamp/image", default: Data()) }
}

extension SettingKey<[URL]> {
    fileprivate static var sources: Self { .init("lamp/sources", default: []) }
}

@Suite struct FoundationValueTests {
    private static let keys = SettingKeys(.serviced, .image, .sources)

    private func link(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func valuesAreReadAndEdited() async throws {
        let cleat = try await Cleat.inMemory(schemas: [Self.keys.schema()])
        try await cleat.check(Self.keys)
        let now = Date()
        let source = try link("https://example.net/a%20b?c=1#d")
        try await cleat.edit { settings in
            #expect(settings[.serviced] == nil)
            settings[.serviced] = now
            settings[.image].append(contentsOf: [1, 2])
            settings[.sources].append(source)
        }
        let settings = try await cleat.settings()
        #expect(settings[.serviced] == now)
        #expect(settings[.image] == Data([1, 2]))
        #expect(settings[.sources] == [source])
        // The same settings, read with the types of CleatSettings.
        let time = try await cleat[SettingKey<Timestamp?>("lamp/serviced")]
        #expect(time == Timestamp(now))
        #expect(try await cleat[SettingKey<[UInt8]>("lamp/image", default: [])] == [1, 2])
        #expect(
            try await cleat[SettingKey<[String]>("lamp/sources", default: [])] == ["https://example.net/a%20b?c=1#d"])
    }

    @Test func theSchemaHasTheirFormats() throws {
        let lamp = try JSONReader.read(try Self.keys.schema())["properties"]?["lamp"]?["properties"]
        #expect(lamp?["serviced"]?["format"] == "date-time")
        #expect(lamp?["image"]?["format"] == "base64")
        #expect(lamp?["sources"]?["items"]?["format"] == "uri")
    }

    @Test(arguments: [
        -63_145_526_400.0, 252_423_993_599.5, 0, -0.5, 1e-9, 8e8 + 0.123_456_7, -978_307_200, -978_307_200.25,
    ])
    func datesAreReadBack(_ seconds: Double) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let time = try #require(Timestamp(date))
        #expect(Date(time) == date)
        #expect(try date.settingValue() == .string(time.description))
        #expect(try Date(settingValue: date.settingValue()) == date)
    }

    @Test func theFractionIsCarriedToTheNextSecond() throws {
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: -1e-12))?.description == "2001-01-01T00:00:00Z")
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: 0))?.description == "2001-01-01T00:00:00Z")
    }

    @Test func valuesWithoutAStoredFormAreRefused() async throws {
        let cleat = try await Cleat.inMemory(schemas: [Self.keys.schema()])
        for seconds in [-63_145_526_400.5, 252_423_993_600, 1e300, .infinity, -.infinity, .nan] {
            #expect(Timestamp(Date(timeIntervalSinceReferenceDate: seconds)) == nil, "\(seconds)")
            let error = await #expect(throws: CleatError.self) {
                try await cleat.set(.serviced, to: Date(timeIntervalSinceReferenceDate: seconds))
            }
            #expect(error?.code == .refused)
        }
        let relative = try link("../a")
        let error = await #expect(throws: CleatError.self) { try await cleat.set(.sources, to: [relative]) }
        #expect(error?.code == .refused)
        let wrongs: [(String, JSONValue)] = [
            ("lamp/serviced", 5), ("lamp/serviced", "2023-02-29T00:00:00Z"), ("lamp/image", [1, 2]),
            ("lamp/image", "AAE"), ("lamp/sources", ["example.net"]), ("lamp/sources", ["http://a b"]),
        ]
        for (path, value) in wrongs {
            let key = SettingKey<JSONValue>(path: try SettingPath(path), default: .null)
            let error = await #expect(throws: CleatError.self, "\(path)") { try await cleat.set(key, to: value) }
            #expect(error?.problems.map(\.path) == [path])
        }
    }
}
