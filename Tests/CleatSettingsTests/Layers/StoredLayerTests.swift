import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct StoredLayerTests {
    private static let schema = Result {
        try Schema(
            json: [
                "type": "object",
                "properties": [
                    "port": ["type": "integer", "x-cleat-renamed-from": "network/port"],
                    "host": ["type": "string", "x-cleat-renamed-from": ["name", "network/name"]],
                ],
            ])
    }

    private func layer(_ rows: [String: JSONValue]) throws -> StoredLayer {
        StoredLayer(try tree(rows), try Self.schema.get())
    }

    private func tree(_ rows: [String: JSONValue]) throws -> SettingsTree {
        SettingsTree(try rows.map { (try SettingPath($0.key), $0.value) })
    }

    @Test func rowsAreUnderTheirPresentNamesAndKeepTheirFormerOnes() throws {
        let stored: [String: JSONValue] = ["network/port": 1, "network/name": "b", "other": 2]
        let layer = try layer(stored)
        #expect(layer.rows == (try tree(["port": 1, "host": "b", "other": 2])))
        #expect(layer.former.count == 2)
        #expect(layer.inactive.keys.map(\.text) == ["other"])
        #expect(layer.storedRows == (try tree(stored)))
    }

    @Test func theFirstFormerNameOfTheSchemaWins() throws {
        let layer = try layer(["network/name": "b", "name": "a"])
        #expect(layer.rows == (try tree(["host": "a", "network/name": "b"])))
        #expect(layer.inactive.keys.map(\.text) == ["network/name"])
    }

    @Test func aCommitWritesTheRenamedRowsToo() throws {
        let before = try layer(["network/port": 1, "name": "a"])
        var after = before
        let change = SettingDifference(path: try SettingPath("port"), old: 1, new: 2)
        after.rows.apply([change])
        let none = after.persistRenames(with: [], since: before)
        #expect(none.isEmpty && after.former == before.former)
        let differences = after.persistRenames(with: [change], since: before)
        #expect(differences.map(\.path.text) == ["host", "name", "network/port", "port"])
        var rows = before.storedRows
        rows.apply(differences)
        #expect(rows == after.rows && after.former.isEmpty && after.storedRows == after.rows)
    }
}
