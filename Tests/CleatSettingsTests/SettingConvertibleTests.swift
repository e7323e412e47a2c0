import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatSettings

/// A value whose `Codable` form is not the stored one.
private struct Angle: Hashable, SettingConvertible {
    var degrees = 0

    static var settingSchema: JSONObject { ["type": "string", "pattern": "^[0-9]+°$", "examples": ["0°"]] }

    init(degrees: Int) { self.degrees = degrees }

    init(settingValue: JSONValue) throws {
        degrees = try settingValue.text(as: "an angle such as “90°”") { $0.hasSuffix("°") ? Int($0.dropLast()) : nil }
    }

    func settingValue() -> JSONValue { .string("\(degrees)°") }
}

/// A value that states the schema of its `Codable` form.
private struct Span: Hashable, SettingConvertible {
    var from = Duration.zero
    var to = Duration.seconds(1)

    static var settingSchema: JSONObject { ["type": "object"] }
}

private struct Job: Codable, Hashable, Sendable {
    var wait = Duration.seconds(5)
    var data: [UInt8]? = [0, 1, 2]
    var times: [Timestamp] = []
    var waits: [String: Duration] = ["a": .milliseconds(1)]
    var angle = Angle(degrees: 90)
    var span = Span()
}

@Suite struct SettingConvertibleTests {
    private func stored(_ value: some Encodable) throws -> String { try JSONValue(setting: value).description }

    @Test(arguments: [
        (Duration.zero, "0s"), (.milliseconds(1), "1ms"), (.seconds(303), "5m3s"), (.seconds(90_061), "1d1h1m1s"),
        (.milliseconds(Int64.max), "106751991167d7h12m55s807ms"),
    ])
    func durations(_ value: Duration, _ text: String) throws {
        #expect(try JSONValue(setting: value) == .string(text))
        #expect(try JSONValue.string(text).decode(setting: Duration.self) == value)
        #expect(try JSONValue.string(text).decode(setting: Duration?.self) == value)
    }

    @Test(arguments: [
        Duration.milliseconds(-1), .seconds(Int64.min), .seconds(Int64.max), .microseconds(1), .nanoseconds(1_000_001),
        Duration(secondsComponent: 0, attosecondsComponent: 1), .milliseconds(Int64.max) + .milliseconds(1),
    ])
    func durationsThatHaveNoTextAreRefused(_ value: Duration) {
        let error = #expect(throws: JSONCodingError.self) { try JSONValue(setting: ["a": [value]]) }
        #expect(error?.code == .invalidValue)
        #expect(error?.path == "a/0")
    }

    @Test(arguments: ["", "5", "-5s", "5 s", "1s1h", "PT5S", "99999999999999999999s", "١s"])
    func textsThatAreNotDurationsAreRefused(_ text: String) throws {
        // A number without a unit is in milliseconds, as the service reads it.
        guard text != "5" else {
            #expect(try JSONValue.string(text).decode(setting: Duration.self) == .milliseconds(5))
            return
        }
        let error = #expect(throws: JSONCodingError.self) { try JSONValue.string(text).decode(setting: Duration.self) }
        #expect(error?.code == .invalidValue)
    }

    @Test func formsOfCodableAreNotReadByMistake() throws {
        // The list of integers of `[UInt8]` and of `Duration`, and a number of unknown unit.
        let wrongs: [JSONValue] = [[1, 2], 5, 0.5, true, [:]]
        for wrong in wrongs {
            for code in [
                #expect(throws: JSONCodingError.self) { try wrong.decode(setting: Duration.self) }?.code,
                #expect(throws: JSONCodingError.self) { try wrong.decode(setting: [UInt8].self) }?.code,
                #expect(throws: JSONCodingError.self) { try wrong.decode(setting: Timestamp.self) }?.code,
            ] {
                #expect(code == .wrongType, "\(wrong)")
            }
        }
    }

    @Test func bytes() throws {
        #expect(try stored([UInt8]()) == "\"\"")
        #expect(try stored([0, 1, 2, 255] as [UInt8]) == "\"AAEC/w==\"")
        let large = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try JSONValue(setting: large).decode(setting: [UInt8].self) == large)
        #expect(try JSONValue.string("").decode(setting: [UInt8].self) == [])
        for wrong in ["A", "AAE", "AAEC/w=", "AAEC/w", "AAEC_w==", "AAEC/x==", "AA==AA==", "AAEC\nAAEC", "=", "é==="] {
            let error = #expect(throws: JSONCodingError.self) {
                try JSONValue.string(wrong).decode(setting: [UInt8].self)
            }
            #expect(error?.code == .invalidValue, "\(wrong)")
        }
        // Other lists of integers are lists.
        #expect(try stored([1, 2]) == "[1,2]")
        #expect(try stored([Int8(1)]) == "[1]")
        #expect(try stored([[1], []] as [[UInt8]]) == #"["AQ==",""]"#)
    }

    @Test func insideStructsListsDictionariesAndOptionals() throws {
        var job = Job()
        job.times = [try #require(Timestamp("2024-02-29T12:00:00Z"))]
        let json = try JSONValue(setting: job)
        #expect(
            json == [
                "wait": "5s", "data": "AAEC", "times": ["2024-02-29T12:00:00Z"], "waits": ["a": "1ms"], "angle": "90°",
                "span": ["from": "0s", "to": "1s"],
            ])
        #expect(try json.decode(setting: Job.self) == job)
        job.data = nil
        #expect(try JSONValue(setting: job)["data"] == nil)
        #expect(try JSONValue(setting: job).decode(setting: Job.self) == job)
        #expect(try stored([Duration.zero, nil]) == #"["0s",null]"#)
        let error = #expect(throws: JSONCodingError.self) {
            try JSONValue.object(["waits": ["b": "x"], "wait": "1s", "times": [], "angle": "1°"])
                .decode(setting: Job.self)
        }
        #expect(error?.path == "waits/b")
    }

    @Test func otherCodingIsUnchanged() throws {
        #expect(try JSONValue(encoding: [1, 2] as [UInt8]) == [1, 2])
        #expect(try JSONValue(encoding: Angle(degrees: 1)) == ["degrees": 1])
        #expect(try JSONValue.array([1, 2]).decode([UInt8].self) == [1, 2])
    }

    // MARK: Keys

    private static let schema: JSONValue = [
        "type": "object",
        "properties": [
            "job": [
                "type": "object",
                "properties": [
                    "wait": ["type": "string", "format": "duration", "minimum": 1000, "default": "5s"],
                    "data": ["type": "string", "format": "base64"],
                    "at": ["type": "string", "format": "date-time"],
                    "secret": ["type": "string", "format": "base64", "writeOnly": true],
                ],
            ]
        ],
    ]
    private static let wait = SettingKey<Duration>("job/wait", default: .seconds(5))
    private static let data = SettingKey<[UInt8]?>("job/data")
    private static let at = SettingKey<Timestamp?>("job/at")

    @Test func keysAreEditedAndRead() throws {
        let base = LayeredSettings(schema: try Schema(json: Self.schema))
        var settings = EditableSettings(base)
        #expect(settings[Self.wait] == .seconds(5))
        #expect(settings[Self.data] == nil)
        settings[Self.wait] *= 61
        settings[Self.data, default: []].append(7)
        settings[Self.at] = Timestamp("2024-02-29T12:00:00+02:00")
        let proposal = base.propose(try settings.changeSet())
        #expect(proposal.problems == [])
        let view = SettingsView(proposal.settings)
        #expect(view[Self.wait] == .seconds(305))
        #expect(try view.value(of: Self.data) == [7])
        #expect(view[Self.at]?.description == "2024-02-29T10:00:00Z")
        #expect(proposal.settings.value(at: Self.wait.path)?.value == "5m5s")
        // The stored form is canonical: what was read is written back unchanged.
        var again = EditableSettings(proposal.settings)
        for key in [Self.wait] { again[key] = again[key] }
        again[Self.data] = again[Self.data]
        #expect(try again.changeSet().isEmpty)
    }

    @Test func theSchemaRefusesWhatTheKeysCannotRead() throws {
        let base = LayeredSettings(schema: try Schema(json: Self.schema))
        let wrongs: [(String, JSONValue, SettingProblem.Code)] = [
            ("job/wait", "1ms", .range), ("job/wait", "soon", .format), ("job/data", "AAE", .format),
            ("job/data", [1, 2], .type), ("job/at", "2024-02-30T00:00:00Z", .format),
        ]
        for (path, value, code) in wrongs {
            let proposal = base.propose(try ChangeSet([Change(try SettingPath(path), value)]))
            #expect(proposal.problems.map(\.code) == [code], "\(path)")
        }
    }

    @Test func whatCannotBeStoredIsReportedWithItsPath() throws {
        var settings = EditableSettings(LayeredSettings(schema: try Schema(json: Self.schema)))
        settings[Self.wait] = .seconds(-1)
        let error = #expect(throws: JSONCodingError.self) { try settings.changeSet() }
        #expect(error?.path == "job/wait")
        var large = EditableSettings(LayeredSettings(schema: try Schema(json: Self.schema)))
        large[Self.data] = Array(repeating: 1, count: 1 << 20)
        let tooLarge = #expect(throws: ChangeSetError.self) { try large.changeSet() }
        #expect(tooLarge?.code == .valueTooLarge)
        #expect(tooLarge?.path == Self.data.path)
    }
}

extension EditableSettings {
    fileprivate subscript<Wrapped>(key: SettingKey<Wrapped?>, default value: Wrapped) -> Wrapped {
        get { self[key] ?? value }
        set { self[key] = newValue }
    }
}
