import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatSettings

/// Tests random layers and locks against a model that evaluates one path after the other.
@Suite("Layers, against a plain model")
struct LayerModelTests {
    private static let layers: [ResolvedSetting.Origin] = [.vendor, .factory, .committed, .volatile]
    private static let names = ["a", "a-b", "a0", "b", "~1"]

    private static func schema() throws -> Schema {
        try Schema(
            json: try JSONReader.read(
                """
                {type: 'object', properties: {
                  n: {type: 'integer', minimum: 0, default: 7}, s: {type: 'string', maxLength: 3},
                  g: {type: 'object', properties: {x: {type: 'integer', minimum: 0}, y: {type: 'boolean', default: true}}},
                  m: {type: 'object', additionalProperties: {type: 'object', properties: {
                    x: {type: 'integer', minimum: 0, default: 1}, y: {type: 'boolean'}}}},
                  o: {type: 'object', additionalProperties: true}}}
                """, dialect: .json5))
    }

    private static let paths: [String] =
        ["n", "s", "g/x", "g/y"] + names.flatMap { ["m/\($0)/x", "m/\($0)/y"] }

    private static func value(_ path: String, _ generator: inout SeededGenerator) -> JSONValue {
        // One in four is refused.
        let isFine = Int.random(in: 0...3, using: &generator) > 0
        switch path.last {
        case "s": return isFine ? .string(String(Int.random(in: 0...9, using: &generator))) : "much too long"
        case "y": return isFine ? .bool(Bool.random(using: &generator)) : 5
        default: return .integer(Int64.random(in: isFine ? 0...9 : -9 ... -1, using: &generator))
        }
    }

    @Test(arguments: 1...60)
    func everyPathHoldsWhatTheModelSays(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let schema = try Self.schema()
        var model: [ResolvedSetting.Origin: [String: JSONValue]] = [:]
        for layer in Self.layers {
            for path in Self.paths where Int.random(in: 0...2, using: &generator) == 0 {
                model[layer, default: [:]][path] = Self.value(path, &generator)
            }
        }
        var locks: [SettingLock] = []
        for place in ["m", "m/a", "m/a/x", "g", "n"] where Int.random(in: 0...3, using: &generator) == 0 {
            let layer = ResolvedSetting.Origin.allCases.randomElement(using: &generator) ?? .vendor
            locks.append(SettingLock(path: try SettingPath(place), layer: layer, file: "/locks/\(place)"))
        }
        if seed.isMultiple(of: 7) { locks.append(SettingLock(path: nil, layer: .factory, file: "/locks/all")) }
        func tree(_ layer: ResolvedSetting.Origin) throws -> SettingsTree {
            SettingsTree(try (model[layer] ?? [:]).map { (try SettingPath($0.key), $0.value) })
        }
        func file(_ layer: ResolvedSetting.Origin, _ part: (String) -> Bool) throws -> SettingsFile {
            let rows = try (model[layer] ?? [:]).filter { part($0.key) }.map { (try SettingPath($0.key), $0.value) }
            return SettingsFile(file: "/\(layer)", values: SettingsTree(rows).value(at: nil) ?? [:])
        }
        // Of two files the later one counts more, so the first may say anything about the second's paths.
        let settings = LayeredSettings(
            sources: SettingsSources(
                schema: schema,
                vendor: [
                    try file(.vendor) { $0.utf8.count.isMultiple(of: 2) },
                    try file(.vendor) { !$0.utf8.count.isMultiple(of: 2) },
                ], factory: try file(.factory) { _ in true }, locks: locks),
            committed: try tree(.committed), volatile: try tree(.volatile))

        for text in Self.paths {
            let path = try SettingPath(text)
            let lock = locks.filter { $0.path?.isPrefix(of: path) ?? true }.max {
                ($0.path?.count ?? 0) < ($1.path?.count ?? 0)
            }
            let node = try #require(schema.lookup(path))
            var expected: (origin: ResolvedSetting.Origin, value: JSONValue?) = (.schemaDefault, node.defaultValue)
            var ignored = false
            for layer in Self.layers {
                guard let value = model[layer]?[text] else { continue }
                if schema.problems(with: value, at: path).isEmpty, layer <= lock?.layer ?? .volatile {
                    expected = (layer, value)
                    ignored = false
                } else {
                    ignored = true
                }
            }
            let found = try #require(settings.value(at: path))
            #expect(found.origin == expected.origin && found.value == expected.value, "seed \(seed): \(text) \(locks)")
            #expect((found.inactive != nil) == ignored, "seed \(seed): \(text)")
            #expect(found.lock == lock?.layer, "seed \(seed): \(text)")
        }
        try checkListing(settings, seed)
    }

    private func checkListing(_ settings: LayeredSettings, _ seed: UInt64) throws {
        let all = settings.list(under: nil)
        for limit in [1, 2, 3, 7] {
            var paged: [ResolvedSetting] = []
            while true {
                let page = settings.list(under: nil, after: paged.last?.path, limit: limit)
                if page.isEmpty { break }
                paged += page
            }
            #expect(paged == all, "seed \(seed), pages of \(limit)")
        }
        #expect(all.map(\.path) == Set(all.map(\.path)).sorted(), "seed \(seed)")
        for setting in all {
            let alone = settings.value(at: setting.path)
            // An ignored value in an entry that no counting layer has is reported without a default.
            guard setting.value != nil || alone?.inactive == nil else { continue }
            #expect(alone == setting, "seed \(seed): \(setting.path)")
        }
        for group in ["m", "m/a", "m/b", "g"] {
            let path = try SettingPath(group)
            let rows = all.filter { $0.path.isBelow(path) }.compactMap { setting in
                setting.value.map { (setting.path, $0) }
            }
            #expect(settings.value(at: path)?.value == SettingsTree(rows).value(at: path), "seed \(seed): \(group)")
        }
        // Nothing that a lock leaves out makes an entry be there.
        for name in Self.names {
            let path = try SettingPath("m/\(name)")
            let counts = Self.layers.contains { layer in
                settings[layer].rows(under: path).contains { layer <= settings.locks.ceiling(at: $0.path) }
            }
            #expect(settings.hasRows(at: path) == counts, "seed \(seed): \(name)")
        }
    }

    @Test(arguments: 1...60)
    func whereAnythingMayStandLayersAreMergedAsChangesAre(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var merged = SettingsTree()
        var trees: [SettingsTree] = []
        for _ in Self.layers {
            var tree = SettingsTree()
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let depth = Int.random(in: 1...3, using: &generator)
                let path = try SettingPath(
                    "o/" + (0..<depth).map { _ in Bool.random(using: &generator) ? "a" : "b" }.joined(separator: "/"))
                tree.apply(try ChangeSet([Change(path, .integer(Int64.random(in: 0...9, using: &generator)))]))
            }
            trees.append(tree)
            for row in tree.joined { merged.apply(try ChangeSet([Change(row.path, row.value)])) }
        }
        let settings = LayeredSettings(
            sources: SettingsSources(
                schema: try Self.schema(),
                vendor: [SettingsFile(file: "/v", values: trees[0].value(at: nil) ?? [:])],
                factory: SettingsFile(file: "/f", values: trees[1].value(at: nil) ?? [:])),
            committed: trees[2], volatile: trees[3])
        let path = try SettingPath("o")
        #expect(settings.value(at: path)?.value == merged.value(at: path), "seed \(seed)")
        for row in merged.joined { #expect(settings.value(at: row.path)?.value == row.value, "seed \(seed)") }
        // What a change means for what is in force is just what it makes different there.
        let place = try SettingPath("o/a" + (Bool.random(using: &generator) ? "/b" : ""))
        let changes = try ChangeSet([Change(place, Bool.random(using: &generator) ? 42 : nil)])
        let proposal = settings.propose(changes)
        let effects = SettingsEffects(of: proposal.differences, before: settings, after: proposal.settings)
        func inForce(_ settings: LayeredSettings) -> SettingsTree {
            SettingsTree(
                settings.list(under: path).compactMap { setting in setting.value.map { (setting.path, $0) } })
        }
        #expect(
            effects.differences
                == SettingsTree.differences(from: inForce(settings), to: inForce(proposal.settings)), "seed \(seed)")
    }
}
