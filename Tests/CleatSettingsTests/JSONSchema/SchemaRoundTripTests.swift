import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatSettings

/// Tests that every value that a schema accepts can be stored, written, read and patched without a change.
@Suite struct SchemaRoundTripTests {
    @Test(arguments: TestMachine.seeds(24, briefly: 6))
    func acceptedSchemasRoundTrip(seed: UInt64) throws {
        var random = RandomSchemas(seed: seed)
        var taken = 0
        for _ in 0..<60 {
            var members = JSONObject()
            for name in ["a", "b", "c"] {
                // Nearly every schema of a setting says its type.
                guard var one = random.schema(depth: 2).objectValue else { continue }
                one["type"] = one["type"] ?? ["integer", "number", "string", "boolean", "array"]
                members[name] = .object(one)
            }
            let source: JSONValue = [
                "type": "object", "properties": ["g": ["type": "object", "properties": .object(members)]],
            ]
            guard let schema = try? Schema(json: source) else { continue }
            let text = JSONWriter.write(schema.json, style: .pretty)
            let again = try SchemaText.read(Array(text.utf8), file: "exported")
            for name in members.keys {
                let path = try SettingPath("g/\(name)")
                for _ in 0..<6 {
                    let value = random.value(depth: 2)
                    let isTaken = schema.problems(with: value, at: path).isEmpty
                    let context = "seed \(seed): \(value) at \(path) of \(source)"
                    #expect(again.problems(with: value, at: path).isEmpty == isTaken, "\(context)")
                    guard isTaken else { continue }
                    taken += 1
                    try expectRoundTrip(value, at: path, of: schema, context)
                }
            }
        }
        #expect(taken >= 10, "seed \(seed): too few values were taken for the test to say anything")
    }

    private func expectRoundTrip(
        _ value: JSONValue, at path: SettingPath, of schema: Schema, _ context: String
    ) throws {
        let canonical = schema.canonical(value, at: path)
        #expect(canonical == value && schema.canonical(canonical, at: path) == canonical, "\(context)")
        for style: JSONWriter.Style in [.compact, .pretty, .canonical] {
            let text = JSONWriter.write(canonical, style: style)
            #expect(try JSONReader.read(text) == canonical, "\(context)")
            #expect(try JSONReader.read(text, dialect: .json5) == canonical, "\(context)")
        }
        var tree = SettingsTree()
        let differences = tree.apply(try ChangeSet([Change(path, canonical)]))
        #expect(tree.value(at: path) == canonical, "\(context)")
        let exported = try #require(tree.value(at: nil))
        let patch = try #require(MergePatch.patch(from: [:], to: exported))
        #expect(MergePatch.apply(try JSONReader.read(JSONWriter.write(patch)), to: [:]) == exported, "\(context)")
        tree.apply(differences.map(\.reversed))
        #expect(tree == SettingsTree(), "\(context)")
    }

    /// Quantities and addresses are stored in one form, whatever form they were given in.
    @Test(arguments: SettingFormat.allCases)
    func canonicalTextsAreStable(_ format: SettingFormat) throws {
        let schema = try Schema(
            json: [
                "type": "object", "properties": ["a": ["type": "string", "format": .string(format.rawValue)]],
            ])
        let path = try SettingPath("a")
        var taken = 0
        for text in [
            "90s", "1h90m", "0ms", "250", "4096KiB", "10kB", "1024B", "0", "192.0.2.1", "2001:DB8:0::1",
            "::ffff:1.2.3.4",
            "192.0.2.1/24", "2001:db8::/32", "02-00-5E-10-00-01", "02:00:5e:10:00:01", "eth0.100", "a.example",
            "https://example.net/%7Ea", "A-b",
        ] where schema.problems(with: .string(text), at: path).isEmpty {
            taken += 1
            let canonical = schema.canonical(.string(text), at: path)
            #expect(schema.problems(with: canonical, at: path).isEmpty, "\(text)")
            #expect(schema.canonical(canonical, at: path) == canonical, "\(text)")
            let meant = canonical.stringValue.flatMap(format.quantity)
            #expect(meant == format.quantity(text), "\(text)")
        }
        #expect(taken > 0)
    }
}
