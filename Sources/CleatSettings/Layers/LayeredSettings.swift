package import CleatJSON

/// Resolves each path through the layers: what was committed, and below it the schema's defaults.
///
/// A committed value that the schema refuses is kept but not in force; the default holds then.
package struct LayeredSettings: Sendable {
    /// The most settings that may be stored.
    package static let maximumCount = 100_000
    /// About the most bytes that the stored settings may take.
    package static let maximumBytes = 32 * 1024 * 1024

    /// What the paths may hold.
    package let schema: Schema
    /// What was committed.
    package internal(set) var committed: SettingsTree
    /// The committed rows that the schema refuses, with the reasons.
    package internal(set) var inactive: [SettingPath: SettingProblem]

    /// Puts stored settings over a schema, and finds out which of them the schema refuses.
    package init(schema: Schema, committed: SettingsTree = SettingsTree()) {
        self.schema = schema
        self.committed = committed
        inactive = [:]
        for row in committed.joined {
            if let problem = schema.problems(with: row.value, at: row.path).first {
                inactive[row.path] = problem
            }
        }
    }

    /// Says what a path holds.
    ///
    /// - Parameter path: a setting or a group.
    /// - Returns: nil where the schema does not know the path and nothing is stored there.
    package func value(at path: SettingPath) -> ResolvedSetting? {
        let stored = committed[path]
        switch schema.place(of: path) {
        case .setting(let node):
            guard stored != nil || !committed.hasRows(below: path) else { return group(path) }
            return resolved(path, stored: stored, node)
        case .group, .entry: return group(path)
        default:
            if stored != nil { return resolved(path, stored: stored, nil) }
            return committed.hasRows(below: path) ? group(path) : nil
        }
    }

    private func resolved(_ path: SettingPath, stored: JSONValue?, _ node: SchemaNode?) -> ResolvedSetting {
        let problem = stored == nil ? nil : inactive[path]
        let active = problem == nil ? stored : nil
        return ResolvedSetting(
            path: path, value: active ?? node?.defaultValue, origin: active == nil ? .schemaDefault : .committed,
            inactive: problem, isSetting: true, isSecret: node?.isSecret ?? false)
    }

    private func group(_ path: SettingPath) -> ResolvedSetting {
        let settings = list(under: path)
        let rows = settings.compactMap { setting in setting.value.map { (setting.path, $0) } }
        return ResolvedSetting(
            path: path, value: SettingsTree(rows).value(at: path),
            origin: settings.contains { $0.origin == .committed } ? .committed : .schemaDefault,
            inactive: inactive[path], isSetting: false, isSecret: false)
    }

    /// Lists settings in the order of the bytes of their paths.
    ///
    /// - Parameters:
    ///   - prefix: nil for all.
    ///   - defaults: whether the defaults of paths that nobody set are listed too; those of a map's entries are once
    ///     the entry exists.
    ///   - after: where the page before ended.
    ///   - limit: the most settings to return.
    /// - Returns: one page.
    package func list(
        under prefix: SettingPath?, defaults: Bool = true, after: SettingPath? = nil, limit: Int = .max
    ) -> [ResolvedSetting] {
        let rows = committed.rows(under: prefix, after: after, limit: limit)
        var result = rows.map { resolved($0.path, stored: $0.value, schema.lookup($0.path)) }
        guard defaults else { return result }
        var finder = UnsetDefaults(settings: self, after: after)
        finder.find(under: prefix, rows: rows)
        if finder.found.isEmpty { return result }
        result += finder.found.map { resolved($0.path, stored: nil, $0.node) }
        result.sort { $0.path < $1.path }
        if result.count > limit { result.removeLast(result.count - limit) }
        return result
    }

    /// The value in force of a whole subtree, defaults included; nil where there is none.
    package func subtree(at path: SettingPath?) -> JSONValue? {
        guard let path else {
            let rows = list(under: nil).compactMap { setting in setting.value.map { (setting.path, $0) } }
            return SettingsTree(rows).value(at: nil)
        }
        return value(at: path)?.value
    }
}
