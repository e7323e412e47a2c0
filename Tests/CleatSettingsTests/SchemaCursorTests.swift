import CleatJSON
import Testing

@testable import CleatSettings

@Suite("Places of sorted paths in a schema")
struct SchemaCursorTests {
    private static let schema = """
        { "type": "object", "properties": {
            "a": { "type": "object", "properties": { "b": { "type": "integer" }, "~": { "type": "string" } } },
            "map": { "type": "object", "propertyNames": { "pattern": "^[a-z]+$" },
                     "additionalProperties": { "type": "object", "properties": { "on": { "type": "boolean" } } } },
            "free": { "type": "object", "additionalProperties": true },
            "leaf": { "type": "string" } } }
        """

    private static let texts = [
        "a", "a/b", "a/b/c", "a/~0", "a/none", "free", "free/x", "free/x/y", "leaf", "leaf/x", "leaf/x/y", "map",
        "map/E",
        "map/E/on", "map/e", "map/e-f", "map/e/on", "map/e/off", "map/f/on", "map/f~1g", "none", "none/x", "none/x/y",
    ]

    /// The place that the schema finds, as text.
    private static func found(_ place: Schema.Place) -> String {
        switch place {
        case .setting(let node): "setting \(ObjectIdentifier(node))"
        case .group(let node): "group \(ObjectIdentifier(node))"
        case .entry(let node): "entry \(ObjectIdentifier(node))"
        case .invalidKey(let map, let key, let problem): "invalid key \(map) \(key) \(problem)"
        case .belowSetting(let path): "below \(path)"
        case .unknown: "unknown"
        }
    }

    @Test("In each order of two paths, the cursor finds what the schema finds")
    func places() throws {
        let schema = try SchemaText.read(Array(Self.schema.utf8), file: "test.json")
        let paths = try Self.texts.map { try SettingPath($0) }
        for first in paths {
            for second in paths {
                var cursor = SchemaCursor(schema)
                _ = cursor.place(of: first)
                #expect(
                    Self.found(cursor.place(of: second)) == Self.found(schema.place(of: second)), "\(first), \(second)")
            }
        }
        var cursor = SchemaCursor(schema)
        for path in paths {
            #expect(Self.found(cursor.place(of: path)) == Self.found(schema.place(of: path)), "\(path)")
        }
    }
}
