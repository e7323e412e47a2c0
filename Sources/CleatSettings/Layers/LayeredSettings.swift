package import CleatJSON

/// Resolves each path through the layers, the lowest first: the schema's default, the vendor's defaults, factory data,
/// what was committed, and what is volatile.
///
/// A value that its schema refuses is kept but not in force, and neither is one above the layer that a lock pins its
/// path to: the next lower one holds. Each layer keeps its own tree; nothing is merged into one more.
package struct LayeredSettings: Sendable {
    /// The most settings that may be committed.
    package static let maximumCount = 100_000
    /// About the most bytes that the committed settings may take.
    package static let maximumBytes = 32 * 1024 * 1024
    /// The most settings that may be volatile.
    package static let maximumVolatileCount = 1_024
    /// About the most bytes that the volatile settings may take.
    package static let maximumVolatileBytes = 1024 * 1024

    /// The layers that hold rows, the highest first.
    package static let stored: [ResolvedSetting.Origin] = [.volatile, .committed, .factory, .vendor]

    /// The schema, the locks and the layers below the committed one.
    package let sources: SourceLayers
    /// What was committed.
    package internal(set) var committed: SettingsTree
    /// What holds until the next boot.
    package internal(set) var volatile: SettingsTree
    /// The committed rows that the schema refuses, with the reasons.
    package internal(set) var inactive: [SettingPath: SettingProblem]
    /// The volatile rows that the schema refuses, with the reasons.
    package internal(set) var inactiveVolatile: [SettingPath: SettingProblem]

    /// The paths at which the store has committed rows that stand in memory under a new name, by that name.
    package internal(set) var renamed: [SettingPath: SettingPath]
    /// The former paths of volatile rows that stand in memory under a new name, by that name.
    package internal(set) var renamedVolatile: [SettingPath: SettingPath]

    /// What the paths may hold.
    package var schema: Schema { sources.schema }
    /// What is pinned to a layer.
    package var locks: LockTable { sources.locks }

    /// Puts stored settings over a schema, and finds out which of them the schema refuses.
    package init(schema: Schema, committed: SettingsTree = SettingsTree()) {
        self.init(sources: SettingsSources(schema: schema), committed: committed)
    }

    /// Puts stored settings over what the board's files say.
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

    /// The rows of one layer, those that are not in force included; the schema's defaults are none.
    package subscript(layer: ResolvedSetting.Origin) -> SettingsTree {
        switch layer {
        case .schemaDefault: SettingsTree()
        case .vendor: sources.vendor
        case .factory: sources.factory
        case .committed: committed
        case .volatile: volatile
        }
    }

    /// Why the schema refuses what a layer holds; nil where it does not.
    func refusal(of layer: ResolvedSetting.Origin, at path: SettingPath) -> SettingProblem? {
        switch layer {
        case .committed: inactive[path]
        case .volatile: inactiveVolatile[path]
        default: nil
        }
    }

    /// Says what a path holds.
    ///
    /// - Parameter path: a setting or a group.
    /// - Returns: nil where the schema does not know the path and nothing is stored there.
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

    /// The value in force of a whole subtree, defaults included; nil where there is none.
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
