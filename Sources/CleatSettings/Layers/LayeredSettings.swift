package import CleatJSON

/// Resolves each path through the layers, the lowest first.
///
/// The layers are the schema's default, the vendor's defaults, factory data, committed and volatile settings.
///
/// A value that the schema refuses is kept but not in force, and neither is one above the layer that a lock pins its
/// path to: the next lower one is in force. Each layer keeps its own tree; there is no merged tree.
package struct LayeredSettings: Sendable {
    /// The most settings that may be committed.
    package static let maximumCount = 100_000
    /// The most bytes, roughly, that the committed settings may take.
    package static let maximumBytes = 32 * 1024 * 1024
    /// The most settings that may be volatile.
    package static let maximumVolatileCount = 1_024
    /// The most bytes, roughly, that the volatile settings may take.
    package static let maximumVolatileBytes = 1024 * 1024

    /// The layers that hold rows, the highest first.
    package static let stored: [ResolvedSetting.Origin] = [.volatile, .committed, .factory, .vendor]

    /// The schema, the locks and the layers below the committed one.
    package let sources: SourceLayers
    /// The committed rows.
    package internal(set) var committed: SettingsTree
    /// The volatile rows, which are in force until the next boot.
    package internal(set) var volatile: SettingsTree
    /// The committed rows that the schema refuses, with the reasons.
    package internal(set) var inactive: [SettingPath: SettingProblem]
    /// The volatile rows that the schema refuses, with the reasons.
    package internal(set) var inactiveVolatile: [SettingPath: SettingProblem]

    /// The paths of the store's committed rows that have a new name in memory, by that name.
    package internal(set) var renamed: [SettingPath: SettingPath]
    /// The former paths of volatile rows that have a new name in memory, by that name.
    package internal(set) var renamedVolatile: [SettingPath: SettingPath]

    /// The schema of the settings.
    package var schema: Schema { sources.schema }
    /// The paths that are pinned to a layer.
    package var locks: LockTable { sources.locks }

    /// Combines committed settings with a schema, and finds those that the schema refuses.
    package init(schema: Schema, committed: SettingsTree = SettingsTree()) {
        self.init(sources: SettingsSources(schema: schema), committed: committed)
    }

    /// Combines stored settings with the board's files.
    package init(
        sources: SettingsSources, committed: SettingsTree = SettingsTree(), volatile: SettingsTree = SettingsTree()
    ) {
        self.init(layers: SourceLayers(sources), committed: committed, volatile: volatile)
    }

    init(layers: SourceLayers, committed: SettingsTree, volatile: SettingsTree) {
        sources = layers
        let stored = RowRenames(committed, self.sources.schema)
        self.committed = stored.tree
        inactive = stored.inactive
        renamed = stored.former
        let passing = RowRenames(volatile, self.sources.schema)
        self.volatile = passing.tree
        inactiveVolatile = passing.inactive
        renamedVolatile = passing.former
    }

    /// The rows of one layer, in force or not; the schema's defaults are not rows.
    package subscript(layer: ResolvedSetting.Origin) -> SettingsTree {
        switch layer {
        case .schemaDefault: SettingsTree()
        case .vendor: sources.vendor
        case .factory: sources.factory
        case .committed: committed
        case .volatile: volatile
        }
    }

    /// Returns the reason why the schema refuses a layer's value; nil if it does not.
    func refusal(of layer: ResolvedSetting.Origin, at path: SettingPath) -> SettingProblem? {
        switch layer {
        case .committed: inactive[path]
        case .volatile: inactiveVolatile[path]
        default: nil
        }
    }

    /// Returns the setting or the group at a path.
    ///
    /// - Parameter path: a setting or a group.
    /// - Returns: nil if the schema does not know the path and nothing is stored there.
    package func value(at path: SettingPath) -> ResolvedSetting? {
        switch schema.place(of: path) {
        case .setting(let node):
            if node.types.isEmpty, holding(at: path, node)?.value ?? [:] == [:], hasRows(below: path) {
                return group(path)
            }
            return resolved(path, node)
        case .group, .entry: return group(path)
        default:
            if Self.stored.contains(where: { self[$0][path] != nil }) { return resolved(path, nil) }
            return hasRows(below: path) ? group(path) : nil
        }
    }

    /// Returns the value in force of a whole subtree, defaults included; nil if there is none.
    package func subtree(at path: SettingPath?) -> JSONValue? {
        guard let path else { return Self.object(of: list(under: nil), at: nil) }
        return value(at: path)?.value
    }

    private static func object(of settings: [ResolvedSetting], at path: SettingPath?) -> JSONValue? {
        let rows = settings.compactMap { setting in setting.value.map { (setting.path, $0) } }
        return SettingsTree(rows).value(at: path)
    }

    private func group(_ path: SettingPath) -> ResolvedSetting {
        let settings = list(under: path)
        return ResolvedSetting(
            path: path, value: Self.object(of: settings, at: path),
            origin: settings.lazy.filter { $0.value != nil }.map(\.origin).max() ?? .schemaDefault,
            inactive: inactive[path], isSetting: false, isSecret: false, lock: locks[path]?.layer)
    }
}
