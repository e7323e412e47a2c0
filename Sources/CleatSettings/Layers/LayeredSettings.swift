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
    var committedLayer: StoredLayer
    /// The volatile rows, which are in force until the next boot.
    var volatileLayer: StoredLayer

    /// The committed rows under their present names.
    package var committed: SettingsTree { committedLayer.rows }
    /// The volatile rows under their present names.
    package var volatile: SettingsTree { volatileLayer.rows }
    /// The committed rows that the schema refuses, with the reasons.
    package var inactive: [SettingPath: SettingProblem] { committedLayer.inactive }
    /// The volatile rows that the schema refuses, with the reasons.
    package var inactiveVolatile: [SettingPath: SettingProblem] { volatileLayer.inactive }
    /// The paths of the store's committed rows that have a new name in memory, by that name.
    package var renamed: [SettingPath: SettingPath] { committedLayer.former }
    /// The former paths of volatile rows that have a new name in memory, by that name.
    package var renamedVolatile: [SettingPath: SettingPath] { volatileLayer.former }

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

    private init(layers: SourceLayers, committed: SettingsTree, volatile: SettingsTree) {
        sources = layers
        committedLayer = StoredLayer(committed, layers.schema)
        volatileLayer = StoredLayer(volatile, layers.schema)
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

    /// Changes the committed or the volatile layer.
    mutating func change(_ layer: ResolvedSetting.Origin, _ body: (inout StoredLayer) -> Void) {
        if layer == .volatile {
            body(&volatileLayer)
        } else {
            body(&committedLayer)
        }
    }

    // MARK: Comparisons

    /// Returns true if two settings share everything, so that they are equal; false if that would have to be compared.
    package func isIdentical(to other: LayeredSettings) -> Bool {
        sources === other.sources && committed.isIdentical(to: other.committed)
            && volatile.isIdentical(to: other.volatile)
    }

    /// Returns the paths of committed and volatile rows that differ from other settings.
    ///
    /// - Parameters:
    ///   - other: the other settings.
    ///   - limit: the most paths of a layer to return.
    /// - Returns: the paths; nil if there are more, or if the settings have other sources.
    package func changedPaths(since other: LayeredSettings, limit: Int) -> [SettingPath]? {
        guard sources === other.sources,
            let committed = committed.changedPaths(since: other.committed, limit: limit),
            let volatile = volatile.changedPaths(since: other.volatile, limit: limit)
        else { return nil }
        return committed + volatile
    }

    // MARK: Proposals

    /// Checks changes against the schema and the locks, and applies them to a copy.
    ///
    /// All problems are found at once. Of the rules about groups (required members, numbers of entries) only those
    /// count that hold now and would not hold afterwards, so that stored settings never block other ones.
    ///
    /// - Parameters:
    ///   - changes: the changes to make.
    ///   - layer: the layer that is written, ``ResolvedSetting/Origin/committed`` or
    ///     ``ResolvedSetting/Origin/volatile``.
    ///   - others: problems that were found before, to be reported with the others.
    ///   - rewritesSecrets: true if a secret that is set to its current value counts as changed, so that a caller who
    ///     may not read it does not learn that it is the same.
    /// - Returns: the settings afterwards, to be used only if there are no problems.
    package func propose(
        _ changes: ChangeSet, to layer: ResolvedSetting.Origin = .committed, besides others: [SettingProblem] = [],
        rewritesSecrets: Bool = false
    ) -> SettingsProposal {
        SettingsProposal(changes, in: self, to: layer, besides: others, rewritesSecrets: rewritesSecrets)
    }

    /// Removes all committed and volatile rows under a prefix, known to the schema or not, in force or not.
    ///
    /// Locks do not prevent this: nothing is written. Removing all rows never breaks a rule about groups, since a board
    /// without settings is always allowed.
    ///
    /// - Parameter prefix: the path of a group or a setting; nil for the whole tree.
    /// - Returns: the settings afterwards, to be used only if there are no problems.
    package func proposeReset(under prefix: SettingPath?) -> SettingsProposal {
        SettingsProposal(resetting: self, under: prefix)
    }

    /// Converts edits of lists to changes of the current lists.
    ///
    /// An edit starts from the value in force, which can be a default; but volatile values do not become part of
    /// committed ones. The edits of one list are made in their order. A list that is the same afterwards is not changed
    /// at all.
    ///
    /// - Parameters:
    ///   - edits: the elements to add and remove.
    ///   - layer: the layer that is written.
    /// - Returns: the lists to set, and the problems of the lists that cannot be edited.
    package func changes(
        for edits: [ListEdit], to layer: ResolvedSetting.Origin
    ) -> (changes: [Change], problems: [SettingProblem]) {
        ListEditor(settings: self, layer: layer).changes(for: edits)
    }

    // MARK: Other states

    /// Returns the settings without the committed and volatile values at some paths.
    package func forgetting(_ paths: [SettingPath]) -> LayeredSettings {
        var after = self
        for layer in [ResolvedSetting.Origin.committed, .volatile] {
            let gone = paths.compactMap { path in
                self[layer][path].map { SettingDifference(path: path, old: $0, new: nil) }
            }
            if !gone.isEmpty { after.change(layer) { $0.rows.apply(gone) } }
        }
        return after
    }

    /// The settings without the committed rows, as after `unset`; volatile values remain until the next boot.
    package var withoutCommitted: LayeredSettings {
        var result = self
        result.committedLayer = StoredLayer()
        return result
    }

    /// Returns the same stored values with other sources.
    package func following(_ sources: SettingsSources) -> LayeredSettings {
        LayeredSettings(sources: sources, committed: committedLayer.storedRows, volatile: volatileLayer.storedRows)
    }

    /// Returns the same sources and volatile values with other committed rows.
    ///
    /// - Parameter differences: the changes of the store's rows; they are not validated, since the store already has
    ///   them.
    /// - Returns: the settings with these rows.
    package func changingStored(_ differences: [SettingDifference]) -> LayeredSettings {
        var rows = committedLayer.storedRows
        rows.apply(differences)
        return replacingStored(rows)
    }

    /// Returns the settings with all committed rows replaced.
    package func replacingStored(_ stored: SettingsTree) -> LayeredSettings {
        LayeredSettings(layers: sources, committed: stored, volatile: volatileLayer.storedRows)
    }

    // MARK: Former names

    /// Returns the path of a committed row in the store.
    package func storedPath(of path: SettingPath) -> SettingPath {
        renamed[path] ?? path
    }

    /// Translates the differences of the store's rows to present names.
    ///
    /// - Parameter differences: the changes of the store's rows.
    /// - Returns: the changes of the committed rows in memory, in order.
    package func underPresentNames(_ differences: [SettingDifference]) -> [SettingDifference] {
        guard !schema.renames.isEmpty else { return differences }
        var rows = committedLayer.storedRows
        rows.apply(differences)
        return SettingsTree.differences(from: committed, to: underPresentNames(rows))
    }

    /// Returns the rows of another store, or of another time, under their present names.
    package func underPresentNames(_ rows: SettingsTree) -> SettingsTree {
        schema.renames.isEmpty ? rows : StoredLayer(rows, schema).rows
    }
}
