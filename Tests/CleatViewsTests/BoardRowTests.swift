import Cleat
import CleatAPI
import CleatEmbedded
import CleatViews
import Testing

extension SettingKey<Int> {
    fileprivate static var level: Self { .init("lamp/level", default: 80, .range(0...100), .unit("%")) }
}
extension SettingKey<[String]> {
    fileprivate static var scenes: Self { .init("lamp/scenes", default: [], .items(.length(1...)), .unique()) }
}
extension SettingKey<String?> {
    fileprivate static var label: Self { .init("lamp/label", .title("Label"), .length(...4)) }
    fileprivate static var pin: Self { .init("lamp/pin", .pattern("^[0-9]{4}$"), .secret) }
}
extension SettingKey<Duration> {
    fileprivate static var fade: Self { .init("lamp/fade", default: .seconds(1), .range(.zero ... .seconds(60))) }
}

@Suite struct BoardRowTests {
    private static func cleat() async throws -> Cleat {
        try await Cleat.inMemory(declaring: .level, .scenes, .label, .pin, .fade)
    }

    @Test func rowsAreReadEditedAndSaved() async throws {
        let cleat = try await Self.cleat()
        try await cleat.set(.label, to: "desk")
        var rows = try await cleat.rows(below: "lamp")
        #expect(rows.map(\.path) == ["lamp/fade", "lamp/label", "lamp/level", "lamp/pin", "lamp/scenes"])
        #expect(rows["lamp/label"]?.title == "Label")
        #expect(rows["lamp/level"]?.shown.text == "80 %" && rows["lamp/level"]?.isSet == false)
        try rows["lamp/level"]?.edit(text: "30")
        try rows["lamp/fade"]?.edit(text: "2500")
        try rows["lamp/pin"]?.edit(text: "1234")
        rows["lamp/label"]?.unset()
        try await cleat.save(rows, comment: "form")
        let settings = try await cleat.settings()
        #expect(settings[.level] == 30 && settings[.fade] == .milliseconds(2500) && settings[.pin] == "1234")
        #expect(settings[.label] == nil)
        #expect(try await cleat.history(limit: 1).first?.comment == "form")
        let again = try await cleat.rows(below: "lamp")
        #expect(again["lamp/pin"]?.shown.text == "(secret)" && again["lamp/pin"]?.isSet == true)
        #expect(!again.contains { $0.isEdited })
        // Nothing edited: nothing saved.
        try await cleat.save(again)
        #expect(try await cleat.history(limit: 1).first?.comment == "form")
    }

    /// The row refuses what the commit refuses, with the same reasons.
    @Test(
        arguments: [
            ("lamp/level", 101), ("lamp/level", "x"), ("lamp/level", 1.5), ("lamp/level", -1), ("lamp/level", [1]),
            ("lamp/scenes", ["a", ""]), ("lamp/scenes", ["a", "a"]), ("lamp/scenes", [1, 2]), ("lamp/scenes", 3),
            ("lamp/label", "12345"), ("lamp/label", 1), ("lamp/pin", "12"), ("lamp/pin", 1234), ("lamp/fade", "61s"),
            ("lamp/fade", "soon"), ("lamp/fade", 61000), ("system/hostname", "-x"), ("time/ntp/servers", ["a b"]),
        ] as [(String, JSONValue)])
    func theRulesAreThoseOfACommit(_ path: String, _ value: JSONValue) async throws {
        let cleat = try await Self.cleat()
        var row = try #require(try await cleat.rows()[path])
        let refused = try #require(throws: RefusedValue.self) { try row.set(value) }
        let committed = try await #require(throws: CleatError.self) {
            _ = try await cleat.backendSet(path, value)
        }
        #expect(refused.problems.map(\.reason) == committed.problems.map(\.reason))
        #expect(refused.problems.map(\.code) == committed.problems.map(\.code))
        #expect(refused.problems.map(\.path) == committed.problems.map(\.path))
        // The board hides lists of schemas with a secret somewhere.
        for (own, other) in zip(refused.problems, committed.problems) where other.value != nil {
            #expect(own.value == other.value)
        }
    }

    @Test func everySettingOfABoardHasARow() async throws {
        let cleat = try await Self.cleat()
        let mtu = SettingKey<Int?>("network/interfaces/eth0/mtu")
        try await cleat.set(mtu, to: 1400)
        let rows = try await cleat.rows()
        #expect(rows.allSatisfy { $0.kind == .group })
        #expect(rows["network/interfaces/eth0/mtu"]?.value == 1400)
        #expect(rows["network/interfaces/eth0/gateway"]?.isSet == false)
        let mtuRow = try await cleat.rows(below: "network/interfaces/eth0/mtu")
        #expect(mtuRow.map(\.path) == ["network/interfaces/eth0/mtu"])
        #expect(try await cleat.rows(below: "network/interfaces/eth0").contains { $0.path == mtuRow[0].path })
        for row in rows.settings {
            #expect(row.refusal == nil, "\(row)")
            #expect(!row.path.contains("{"))
        }
        for (path, code) in [("lamp/nothing", CleatError.Code.refused), ("//", .refused)] {
            let error = await #expect(throws: CleatError.self) { try await cleat.rows(below: path) }
            #expect(error?.code == code)
        }
    }

    @Test func aValueThatBreaksItsSchemaIsShownWithTheReason() {
        let schema = SettingDescription(path: "lamp/level", types: ["integer"], constraints: ["maximum": 9])
        let row = SettingRow(schema, value: 10, isSet: true)
        #expect(row.text == "10")
        #expect(row.refusal.map { "\($0)" } == "lamp/level: is 10, but must be at most 9")
        #expect(SettingRow(schema, value: "x").refusal?.problems.map(\.code) == ["type"])
        // A schema that this library cannot compile is left to the service.
        let newer = SettingDescription(path: "lamp/level", types: ["integer"], constraints: ["minimum": "x"])
        #expect(SettingRow(newer, value: "y").refusal == nil)
    }
}

extension Cleat {
    /// Commits one value without a key's type.
    fileprivate func backendSet(_ path: String, _ value: JSONValue) async throws {
        let key = SettingKey<JSONValue>(path: try SettingPath(path), default: .null)
        try await set(key, to: value)
    }
}
