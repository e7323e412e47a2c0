import CleatJSON
import Testing

@testable import CleatSettings

private enum Mode: String, Codable, CaseIterable { case steady, fading }
private enum Level: Int, Codable, CaseIterable { case low = 1, high = 5 }
private enum Unlisted: String, Codable { case one }
private enum Bare: Codable, CaseIterable { case a, b }
private enum Attached: Codable { case a(Int) }

private struct Lamp: Codable, Sendable {
    var mode = Mode.fading
    var wait = Duration.seconds(2)
    var name: String?
    var levels: [Level] = []
    var inner = Inner()
}

private struct Inner: Codable, Sendable {
    var data: [UInt8] = []
    var since: Timestamp?
    var size: ByteCount?
}

private struct Node: Codable, Sendable {
    var next: [Node] = []
}

private struct Even: Codable, Sendable {
    var value = 0
    init() {}
    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
        guard value.isMultiple(of: 2) else { throw Odd() }
    }
    struct Odd: Error {}
}

private struct Wrapper: Codable, Sendable {
    var text = "x"
    init() {}
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private struct Pair: Codable, Sendable {
    init() {}
    init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
}

@Suite struct TypeSchemaTests {
    private func schema<Value>(_ key: SettingKey<Value>) throws -> JSONValue { .object(try key.schema()) }

    @Test func scalars() throws {
        #expect(try schema(SettingKey("a", default: true)) == ["type": "boolean", "default": true])
        #expect(try schema(SettingKey("a", default: 1)) == ["type": "integer", "default": 1])
        #expect(try schema(SettingKey("a", default: "x")) == ["type": "string", "default": "x"])
        #expect(try schema(SettingKey("a", default: 80.0)) == ["type": "number", "default": 80])
        #expect(
            try schema(SettingKey("a", default: UInt8(1)))
                == ["type": "integer", "minimum": 0, "maximum": 255, "default": 1])
        #expect(try schema(SettingKey<UInt64?>("a")) == ["type": "integer", "minimum": 0])
        #expect(try schema(SettingKey("a", default: JSONValue.bool(true))) == ["default": true])
        #expect(
            try schema(SettingKey("a", default: Mode.steady))
                == ["type": "string", "enum": ["steady", "fading"], "default": "steady"])
        #expect(try schema(SettingKey<Level?>("a")) == ["type": "integer", "enum": [1, 5]])
        #expect(try schema(SettingKey("a", default: Wrapper())) == ["type": "string", "default": "x"])
    }

    @Test func convertibleValues() throws {
        #expect(
            try schema(SettingKey("a", default: Duration.seconds(90)))
                == ["type": "string", "format": "duration", "examples": ["1h30m"], "default": "1m30s"])
        #expect(try schema(SettingKey<[UInt8]?>("a")) == ["type": "string", "format": "base64"])
        #expect(try schema(SettingKey<Timestamp?>("a"))["format"] == "date-time")
        #expect(try schema(SettingKey<ByteCount?>("a"))["format"] == "bytes")
        #expect(try schema(SettingKey<Hostname?>("a"))["format"] == "hostname")
    }

    @Test func listsAndDictionaries() throws {
        #expect(
            try schema(SettingKey<[Mode]>("a", default: [.steady])) == [
                "type": "array", "items": ["type": "string", "enum": ["steady", "fading"]], "default": ["steady"],
            ])
    }

    @Test func structsAreGroups() throws {
        let json = try schema(SettingKey("a", default: Lamp(), .title("Lamp")))
        #expect(json["title"] == "Lamp")
        #expect(json["required"] == nil)
        let properties = try #require(json["properties"]?.objectValue)
        #expect(Array(properties.keys) == ["mode", "wait", "name", "levels", "inner"])
        #expect(properties["mode"] == ["type": "string", "enum": ["steady", "fading"], "default": "fading"])
        #expect(properties["wait"]?["default"] == "2s")
        #expect(properties["name"] == ["type": "string"])
        #expect(
            properties["levels"] == ["type": "array", "items": ["type": "integer", "enum": [1, 5]], "default": []])
        let inner = try #require(properties["inner"]?["properties"]?.objectValue)
        #expect(inner["data"] == ["type": "string", "format": "base64", "default": ""])
        #expect(inner["since"]?["format"] == "date-time")
        // Without a default the members that the type needs are required.
        #expect(try schema(SettingKey<Lamp?>("a"))["required"] == ["mode", "wait", "levels", "inner"])
        #expect(
            try schema(SettingKey<[String: Inner]>("a", default: [:]))["additionalProperties"]?["required"] == ["data"])
        let interfaces = try schema(SettingKey<[String: NetworkInterfaceSettings]>("a", default: [:]))
        #expect(interfaces["additionalProperties"]?["properties"]?["routes"]?["items"]?["required"] == ["destination"])
    }

    @Test func typesWithoutACertainSchemaAreRefused() {
        let wrongs: [() throws -> JSONValue] = [
            { try schema(SettingKey("a", default: Unlisted.one)) }, { try schema(SettingKey("a", default: Bare.a)) },
            { try schema(SettingKey("a", default: Attached.a(1))) }, { try schema(SettingKey("a", default: Even())) },
            { try schema(SettingKey("a", default: Pair())) }, { try schema(SettingKey("a", default: Node())) },
            { try schema(SettingKey("a", default: [1: 2])) }, { try schema(SettingKey("a", default: ["x": 2])) },
            { try schema(SettingKey<Unlisted?>("a")) }, { try schema(SettingKey<Set<Int>?>("a")) },
            { try schema(SettingKey("a", default: Duration.seconds(-1))) },
            { try schema(SettingKey("a", default: Double.infinity)) },
        ]
        for (index, wrong) in wrongs.enumerated() {
            #expect(throws: (any Error).self, "\(index)") { try wrong() }
        }
    }

    @Test func rules() throws {
        #expect(
            try schema(
                SettingKey(
                    "a", default: 80, .title("A"), .description("B."), .range(0...100), .unit("%")))
                == [
                    "title": "A", "description": "B.", "type": "integer", "default": 80, "minimum": 0, "maximum": 100,
                    "x-unit": "%",
                ])
        let wait = try schema(SettingKey("a", default: Duration.zero, .range(.zero ... .seconds(60))))
        #expect(wait["minimum"] == 0 && wait["maximum"] == 60_000)
        let size = try schema(SettingKey<ByteCount?>("a", .maximum(ByteCount(1024)), .secret))
        #expect(size["maximum"] == 1024 && size["writeOnly"] == true)
        let list = try schema(
            SettingKey<[String]>("a", default: [], .items(.length(1...), .pattern("^a")), .unique(), .count(...8)))
        #expect(list["items"] == ["type": "string", "minLength": 1, "pattern": "^a"])
        #expect(list["uniqueItems"] == true && list["maxItems"] == 8 && list["minItems"] == nil)
        let choice = try schema(SettingKey("a", default: Duration.zero, .choices(.zero, .seconds(1))))
        #expect(choice["enum"] == ["0s", "1s"])
        let text = try schema(SettingKey<String?>("a", .length(2...4), .keyword("format", "ipv4")))
        #expect(text == ["type": "string", "minLength": 2, "maxLength": 4, "format": "ipv4"])
        let number = try schema(SettingKey<Float?>("a", .minimum(0.1)))
        #expect(number == ["type": "number", "minimum": 0.1])
    }
}
