import CleatJSON
import Testing

@testable import CleatSettings

@Suite("Renames")
struct RenameTests {
    private func schema(_ text: String) throws -> Schema {
        try Schema(json: try JSONReader.read(text, dialect: .json5), file: "a.json")
    }

    private func settings(_ schema: Schema, _ rows: [String: JSONValue]) throws -> LayeredSettings {
        LayeredSettings(
            schema: schema, committed: SettingsTree(try rows.map { (try SettingPath($0.key), $0.value) }))
    }

    private func texts(_ tree: SettingsTree) -> [String] {
        tree.joined.map { "\($0.path) \($0.value.canonicalText)" }
    }

    private static let text = """
        {type: 'object', properties: {
          net: {type: 'object', 'x-cleat-renamed-from': ['network', 'old/net'], properties: {
            address: {type: 'string', 'x-cleat-renamed-from': ['net/addr', 'host']}, port: {type: 'integer'}}},
          links: {type: 'object', 'x-cleat-renamed-from': 'interfaces', additionalProperties: {type: 'object', properties: {
            size: {type: 'integer', minimum: 68, 'x-cleat-renamed-from': 'links/{name}/mtu'}, up: {type: 'boolean'}}}}}}
        """

    @Test(
        arguments: [
            (["network/port": 1], ["net/port 1"]), (["host": "h"], ["net/address \"h\""]),
            (["net/addr": "h"], ["net/address \"h\""]),
            // From one name to the next.
            (["network/addr": "h"], ["net/address \"h\""]), (["old/net/addr": "h"], ["net/address \"h\""]),
            (["interfaces/eth0.1/mtu": 100], ["links/eth0.1/size 100"]),
            (["interfaces/eth0": [:]], ["links/eth0 {}"]), (["links/e/mtu": 100], ["links/e/size 100"]),
            // What has a value of its own keeps it.
            (["net/port": 2, "network/port": 1], ["net/port 2", "network/port 1"]),
            (["host": "late", "net/addr": "first"], ["host \"late\"", "net/address \"first\""]),
            (["nothing": 1], ["nothing 1"]),
        ] as [([String: JSONValue], [String])])
    func storedValuesMoveInMemory(_ rows: [String: JSONValue], _ expected: [String]) throws {
        #expect(texts(try settings(try schema(Self.text), rows).committed) == expected)
    }

    @Test(
        arguments: [
            // What the store has, what it had, and what leads there.
            (["net/port": 1], ["network/port": 1], []), (["network/port": 1], ["net/port": 1], []),
            (["net/port": 2], ["network/port": 1], ["net/port 2 1"]),
            (["network/port": 2], ["network/port": 1], ["net/port 2 1"]),
            (["net/port": 2], [:], ["net/port 2 -"]), ([:], ["host": "h"], ["net/address - \"h\""]),
            (
                ["net/address": "h"], ["host": "late", "net/addr": "first"],
                ["host - \"late\"", "net/address \"h\" \"first\""]
            ),
            // What has a value of its own keeps it.
            (["net/port": 2], ["net/port": 2, "network/port": 1], ["network/port - 1"]),
            (["net/port": 2, "gone/x": 1], ["network/port": 1, "gone/x": 2], ["gone/x 1 2", "net/port 2 1"]),
        ] as [([String: JSONValue], [String: JSONValue], [String])])
    func aRevertIsReportedUnderThePresentNames(
        _ now: [String: JSONValue], _ then: [String: JSONValue], _ expected: [String]
    ) throws {
        func tree(_ rows: [String: JSONValue]) throws -> SettingsTree {
            SettingsTree(try rows.map { (try SettingPath($0.key), $0.value) })
        }
        let settings = try settings(try schema(Self.text), now)
        let differences = settings.underPresentNames(
            SettingsTree.differences(from: try tree(now), to: try tree(then)))
        #expect(
            differences.map { "\($0.path) \($0.old?.canonicalText ?? "-") \($0.new?.canonicalText ?? "-")" } == expected
        )
    }

    @Test func theNextCommitWritesThemAndNotBefore() throws {
        let schema = try schema(Self.text)
        let stored = ["network/port": 1, "interfaces/eth0/mtu": 5, "host": "h"] as [String: JSONValue]
        let settings = try settings(schema, stored)
        #expect(settings.value(at: try SettingPath("net/port"))?.origin == .committed)
        #expect(settings.storedPath(of: try SettingPath("net/port")).text == "network/port")
        // Refused by its new schema as by its old one.
        #expect(settings.inactive.keys.map(\.text) == ["links/eth0/size"])
        #expect(settings.propose(try ChangeSet([Change(try SettingPath("net/port"), 1)])).isEmpty)
        let old = settings.propose(try ChangeSet([Change(try SettingPath("network/port"), 2)]))
        let renamed = try #require(old.problems.first)
        #expect(renamed.path.text == "network/port" && renamed.code == .unknown, "\(renamed)")
        #expect(renamed.reason.contains("net/port"), "\(renamed)")

        let proposal = settings.propose(try ChangeSet([Change(try SettingPath("net/port"), 2)]))
        #expect(
            proposal.differences.map {
                "\($0.path) \($0.old?.canonicalText ?? "-") \($0.new?.canonicalText ?? "-")"
            } == [
                "host \"h\" -", "interfaces/eth0/mtu 5 -", "links/eth0/size - 5", "net/address - \"h\"", "net/port - 2",
                "network/port 1 -",
            ])
        // What the store holds then is what memory holds.
        var tree = SettingsTree(try stored.map { (try SettingPath($0.key), $0.value) })
        tree.apply(proposal.differences)
        #expect(tree == proposal.settings.committed && proposal.settings.renamed.isEmpty)
        let effects = SettingsEffects(of: proposal.differences, before: settings, after: proposal.settings)
        #expect(effects.touched.map(\.text) == ["net/port"])
        // An unset at the new name takes the value at the old one away.
        let gone = settings.propose(try ChangeSet([Change(try SettingPath("net"), nil)]))
        var rest = SettingsTree(try stored.map { (try SettingPath($0.key), $0.value) })
        rest.apply(gone.differences)
        #expect(texts(rest) == ["links/eth0/size 5"])
        rest = SettingsTree(try stored.map { (try SettingPath($0.key), $0.value) })
        rest.apply(settings.proposeReset(under: nil).differences)
        #expect(rest.isEmpty)
    }

    @Test func anOlderReleaseFindsItsOwn() throws {
        let older = try schema("{type: 'object', properties: {host: {type: 'string'}}}")
        let settings = try settings(try schema(Self.text), ["host": "h", "gone": 1])
        let back = settings.following(SettingsSources(schema: older))
        #expect(texts(back.committed) == ["gone 1", "host \"h\""])
        #expect(back.inactive.keys.map(\.text) == ["gone"])
        let known = back.following(
            SettingsSources(schema: try schema("{type: 'object', properties: {gone: {type: 'integer'}}}")))
        #expect(known.value(at: try SettingPath("gone"))?.origin == .committed)
    }

    @Test func filesAndLocksMayUseFormerNames() throws {
        let settings = LayeredSettings(
            sources: SettingsSources(
                schema: try schema(Self.text),
                factory: SettingsFile(file: "/f", values: ["network": ["port": 9], "host": "x", "net": ["addr": "y"]]),
                locks: [SettingLock(path: try SettingPath("network"), layer: .factory, file: "/l")]))
        #expect(settings.value(at: try SettingPath("net/port"))?.value == 9)
        #expect(settings.value(at: try SettingPath("net/port"))?.lock == .factory)
        #expect(settings.sources.refused.count == 1)
    }

    @Test(
        arguments: [
            // Both are still there, as with two names that are exchanged.
            "{a: {type: 'string', 'x-cleat-renamed-from': 'b'}, b: {type: 'string', 'x-cleat-renamed-from': 'a'}}",
            "{a: {type: 'string', 'x-cleat-renamed-from': 'c'}, b: {type: 'string', 'x-cleat-renamed-from': 'c'}}",
            "{a: {type: 'string', 'x-cleat-renamed-from': 'm/x/y'}, m: {type: 'object', additionalProperties: {type: 'object', properties: {y: {type: 'string'}}}}}",
            "{a: {type: 'string', 'x-cleat-renamed-from': 'a'}}", "{a: {type: 'string', 'x-cleat-renamed-from': 5}}",
            "{a: {type: 'string', 'x-cleat-renamed-from': []}}", "{a: {type: 'string', 'x-cleat-renamed-from': '/a'}}",
            "{a: {type: 'string', 'x-cleat-renamed-from': 'b/{name}'}}",
        ])
    func whatCannotBeIsRefusedWhenTheSchemaLoads(_ properties: String) throws {
        let text = "{type: 'object', properties: \(properties)}"
        do {
            _ = try SchemaText.read(Array(text.utf8), dialect: .json5, file: "a.json")
            Issue.record("\(text) was taken")
        } catch {
            #expect(
                error.problems.allSatisfy { $0.keyword == "x-cleat-renamed-from" && $0.position != nil }, "\(error)")
        }
    }

    @Test func twoFilesCannotClaimOneName() throws {
        let first = try schema("{type: 'object', properties: {a: {type: 'string', 'x-cleat-renamed-from': 'old'}}}")
        let second = try schema("{type: 'object', properties: {b: {type: 'string', 'x-cleat-renamed-from': 'old'}}}")
        let third = try schema("{type: 'object', properties: {old: {type: 'string'}}}")
        #expect(throws: SchemaErrors.self) { try first.merged(with: second, from: "b.json") }
        #expect(throws: SchemaErrors.self) { try first.merged(with: third, from: "c.json") }
        #expect(throws: SchemaErrors.self) { try third.merged(with: first, from: "a.json") }
        let fourth = try schema("{type: 'object', properties: {c: {type: 'string', 'x-cleat-renamed-from': 'older'}}}")
        #expect(try first.merged(with: fourth, from: "d.json").renames.all.count == 2)
    }
}
