package import CleatAPI
import CleatJSON
package import CleatSettings

/// Makes rows from the descriptions of settings and from their values.
package struct RowBuilder {
    private let described: SettingsInterface.Describe.Reply
    private let view: SettingsView
    /// The names without braces directly below each path of the schema.
    private var fixedNames: [String: Set<String>] = [:]

    /// Creates a builder.
    ///
    /// - Parameters:
    ///   - described: the descriptions of settings and groups.
    ///   - view: their values; the keys of maps are those that have values.
    package init(_ described: SettingsInterface.Describe.Reply, _ view: SettingsView) {
        self.described = described
        self.view = view
        for description in described.descriptions {
            var above = ""
            for name in Self.segments(description.path) {
                if !name.hasPrefix("{") { fixedNames[above, default: []].insert(name) }
                above += above.isEmpty ? name : "/" + name
            }
        }
    }

    /// Returns the rows directly below a path, those of groups with their rows; the row of the setting at the path.
    ///
    /// - Parameter prefix: nil for the top of the tree.
    /// - Returns: the rows in the order of the bytes of their paths.
    package func rows(below prefix: SettingPath?) -> [SettingRow] {
        let byPath = Dictionary(grouping: described.descriptions, by: \.path)
        let settings = byPath.values.flatMap { alike -> [SettingRow] in
            var schema = alike[0]
            if alike.count > 1 {
                // Two patterns of a map's keys have the same text: only the service can distinguish their schemas.
                schema = SettingDescription(path: schema.path, types: [])
                if alike.contains(where: { $0.constraints["writeOnly"] == true }) {
                    schema.constraints = ["writeOnly": true]
                }
            }
            return paths(of: schema.path).compactMap { path in
                var schema = schema
                schema.path = path.text
                return SettingRow(schema, value: view.value(at: path), isSet: view.isSet(path))
            }
        }
        return nested(
            settings.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }[...], depth: prefix?.count ?? 0)
    }

    /// Returns the paths that a pattern stands for, with the keys that its maps have.
    private func paths(of pattern: String) -> [SettingPath] {
        var above = ""
        var paths: [SettingPath?] = [nil]
        for name in Self.segments(pattern) {
            paths = paths.flatMap { path -> [SettingPath] in
                let names = name.hasPrefix("{") ? keys(below: path, above) : [name]
                return names.compactMap { name in try? SettingPath(path.map { "\($0)/\(name)" } ?? name) }
            }
            above += above.isEmpty ? name : "/" + name
        }
        return paths.compactMap(\.self)
    }

    /// Returns the keys of a map, escaped, without the names that the schema has a setting for.
    private func keys(below path: SettingPath?, _ pattern: String) -> [String] {
        guard let path else { return [] }
        return view.names(below: path).map(SettingPath.escaped).filter { fixedNames[pattern]?.contains($0) != true }
    }

    /// Groups the rows of settings by the segments of their paths.
    private func nested(_ settings: ArraySlice<SettingRow>, depth: Int) -> [SettingRow] {
        var result: [SettingRow] = []
        var rest = settings
        while let first = rest.first {
            let segments = Self.segments(first.path)
            guard segments.count > depth + 1 else {
                result.append(first)
                rest.removeFirst()
                continue
            }
            let path = segments.prefix(depth + 1)
            let start = path.joined(separator: "/") + "/"
            let below = rest.prefix { $0.path.utf8.starts(with: start.utf8) }
            result.append(group(Array(path), nested(below, depth: depth + 1)))
            rest = rest.dropFirst(below.count)
        }
        return result
    }

    private func group(_ path: [String], _ rows: [SettingRow]) -> SettingRow {
        let known = described.groups?.first { SettingDescription.matches(path, Self.segments($0.path)) }
        return SettingRow(
            SettingDescription(
                path: path.joined(separator: "/"), types: ["object"], title: known?.title,
                description: known?.description),
            rows: rows)
    }

    private static func segments(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }
}
