import CleatJSON

extension LayeredSettings {
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
        var draft = SettingsDraft(self, layer: layer, rewritesSecrets: rewritesSecrets)
        draft.add(others)
        for change in changes.changes {
            draft.make(change)
        }
        draft.checkGroups()
        draft.checkSize()
        return draft.proposal
    }

    /// Returns the settings without the committed and volatile values at some paths.
    package func forgetting(_ paths: [SettingPath]) -> LayeredSettings {
        var after = self
        for layer in [ResolvedSetting.Origin.committed, .volatile] {
            let gone = paths.compactMap { path in
                self[layer][path].map { SettingDifference(path: path, old: $0, new: nil) }
            }
            if !gone.isEmpty { after.change(layer) { $0.apply(gone) } }
        }
        return after
    }

    /// Removes all committed and volatile rows under a prefix, known to the schema or not, in force or not.
    ///
    /// Locks do not prevent this: nothing is written. Removing all rows never breaks a rule about groups, since a board
    /// without settings is always allowed.
    ///
    /// - Parameter prefix: the path of a group or a setting; nil for the whole tree.
    /// - Returns: the settings afterwards, to be used only if there are no problems.
    package func proposeReset(under prefix: SettingPath?) -> SettingsProposal {
        var after = self
        var differences: [ResolvedSetting.Origin: [SettingDifference]] = [:]
        for layer in [ResolvedSetting.Origin.committed, .volatile] {
            let gone = self[layer].rows(under: prefix).map {
                SettingDifference(path: $0.path, old: $0.value, new: nil)
            }
            if gone.isEmpty { continue }
            after.change(layer) { tree in
                if prefix == nil {
                    tree = SettingsTree()
                } else {
                    tree.apply(gone)
                }
            }
            for difference in gone { after.setRefusal(nil, of: layer, at: difference.path) }
            differences[layer] = gone
        }
        let committed = after.persistRenames(with: differences[.committed] ?? [], since: self)
        let volatile = differences[.volatile] ?? []
        if !volatile.isEmpty { after.renamedVolatile = [:] }
        let problems =
            prefix == nil ? [] : schema.groupProblems(of: committed + volatile, before: self, after: after)
        return SettingsProposal(
            settings: after, differences: committed, volatileDifferences: volatile,
            problems: Array(problems.prefix(SettingsProposal.maximumProblems)), problemCount: problems.count)
    }
}

extension LayeredSettings: SettingGroups {
    /// Returns true if there are rows that count at a path or below it.
    package func hasSettings(at path: SettingPath) -> Bool {
        hasRows(at: path)
    }

    /// Returns the names directly below a group that have a value or a default; nil if the group does not exist.
    package func memberNames(of path: SettingPath?) -> Set<String>? {
        if let path, !hasRows(at: path) { return nil }
        var names = childNames(of: path)
        guard let node = path.map(schema.lookup) ?? schema.root else { return names }
        for (name, property) in node.object.properties where property.hasFixedDefaults {
            names.insert(name)
        }
        return names
    }
}

extension SchemaNode {
    /// True if the place or a property below it has a default, so that it exists without any set value.
    fileprivate var hasFixedDefaults: Bool {
        isInterior ? object.properties.contains { $0.node.hasFixedDefaults } : defaultValue != nil
    }
}
