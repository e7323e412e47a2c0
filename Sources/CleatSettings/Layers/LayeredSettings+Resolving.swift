import CleatJSON

extension LayeredSettings {
    /// Returns the value of the highest layer that counts at a path.
    ///
    /// - Parameters:
    ///   - path: a leaf.
    ///   - node: the schema's node of the path; nil if the schema does not know it.
    ///   - ceiling: the highest layer to use.
    /// - Returns: the layer and its value; nil if only the schema's default remains.
    func holding(
        at path: SettingPath, _ node: SchemaNode?, upTo ceiling: ResolvedSetting.Origin = .volatile
    ) -> (origin: ResolvedSetting.Origin, value: JSONValue)? {
        let top = min(ceiling, locks.ceiling(at: path))
        // One layer can have a leaf where another one has a group only if the schema accepts any value there.
        let isFree = node?.types.isEmpty ?? false
        for layer in Self.stored where layer <= top {
            let tree = self[layer]
            if tree.isEmpty { continue }
            if let value = tree[path], refusal(of: layer, at: path) == nil { return (layer, value) }
            if isFree, takesPlace(of: path, layer) { return nil }
        }
        return nil
    }

    /// Returns true if a layer has a leaf above a path, or rows below it.
    private func takesPlace(of path: SettingPath, _ layer: ResolvedSetting.Origin) -> Bool {
        if hasRows(below: path, layer) { return true }
        let tree = self[layer]
        var above = path.parent
        while let place = above {
            if let value = tree[place], value != [:], refusal(of: layer, at: place) == nil,
                layer <= locks.ceiling(at: place)
            {
                return true
            }
            above = place.parent
        }
        return false
    }

    /// Resolves a leaf: its value, origin, lock, and the reason why a stored value is not in force.
    func resolved(_ path: SettingPath, _ node: SchemaNode?) -> ResolvedSetting {
        let holding = holding(at: path, node)
        return ResolvedSetting(
            path: path, value: holding?.value ?? node?.defaultValue, origin: holding?.origin ?? .schemaDefault,
            inactive: ignored(at: path, above: holding?.origin), isSetting: true, isSecret: node?.isSecret ?? false,
            lock: locks[path]?.layer)
    }

    /// Returns the reason why the highest stored value above the one in force does not count.
    private func ignored(at path: SettingPath, above origin: ResolvedSetting.Origin?) -> SettingProblem? {
        for layer in Self.stored where origin.map({ $0 < layer }) ?? true {
            if let problem = ignored(layer, at: path) { return problem }
        }
        return nil
    }

    /// Returns the reason why one layer's value at a path does not count; nil if it has none there, or if it counts.
    package func ignored(_ layer: ResolvedSetting.Origin, at path: SettingPath) -> SettingProblem? {
        guard self[layer][path] != nil else {
            guard !sources.refused.isEmpty, layer < .committed else { return nil }
            return sources.refused.last { $0.layer == layer && $0.path == path }?.problem
        }
        if let refusal = refusal(of: layer, at: path) { return refusal }
        guard let lock = locks[path], lock.layer < layer else { return nil }
        return lock.ignored(at: path)
    }

    /// Returns true if any layer has rows at a path or below it, in force or not.
    package func holdsRows(at path: SettingPath) -> Bool {
        Self.stored.contains { self[$0].contains(path) }
    }

    /// Returns the value in force from the layers below one, without the schema's default; nil if they have none.
    package func value(at path: SettingPath, below layer: ResolvedSetting.Origin) -> ResolvedSetting? {
        let node = schema.lookup(path)
        let lower: ResolvedSetting.Origin = layer == .volatile ? .committed : .factory
        guard let found = holding(at: path, node, upTo: lower) else { return nil }
        return ResolvedSetting(
            path: path, value: found.value, origin: found.origin, inactive: nil, isSetting: true,
            isSecret: node?.isSecret ?? false, lock: nil)
    }

    /// The settings without the committed rows, as after `unset`; volatile values remain until the next boot.
    package var withoutCommitted: LayeredSettings {
        var result = self
        result.committed = SettingsTree()
        result.inactive = [:]
        result.renamed = [:]
        return result
    }

    /// Returns true if some layer that counts there has rows at a path or below it.
    func hasRows(at path: SettingPath) -> Bool {
        let top = locks.ceiling(at: path)
        return Self.stored.contains { $0 <= top && self[$0][path] != nil } || hasRows(below: path)
    }

    /// Returns true if some layer that counts there has rows below a path.
    func hasRows(below path: SettingPath) -> Bool {
        Self.stored.contains { hasRows(below: path, $0) }
    }

    private func hasRows(below path: SettingPath, _ layer: ResolvedSetting.Origin) -> Bool {
        let tree = self[layer]
        guard tree.hasRows(below: path) else { return false }
        guard locks.splits(path) else { return layer <= locks.ceiling(at: path) }
        return tree.rows(under: path).contains { $0.path != path && layer <= locks.ceiling(at: $0.path) }
    }

    /// Returns the names directly below a path that have rows that count.
    func childNames(of path: SettingPath?) -> Set<String> {
        var names: Set<String> = []
        for layer in Self.stored {
            let own = self[layer].childNames(of: path)
            guard !locks.isEmpty else {
                names.formUnion(own)
                continue
            }
            for name in own where !names.contains(name) {
                guard let child = try? path.map({ try $0.appending(name) }) ?? SettingPath(segments: [name]) else {
                    continue
                }
                let isThere = self[layer][child] != nil && layer <= locks.ceiling(at: child)
                if isThere || hasRows(below: child, layer) { names.insert(name) }
            }
        }
        return names
    }
}
