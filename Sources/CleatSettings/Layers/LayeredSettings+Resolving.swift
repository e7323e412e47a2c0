package import CleatJSON

extension LayeredSettings {
    /// Returns the setting or the group at a path.
    ///
    /// - Parameter path: a setting or a group.
    /// - Returns: nil if the schema does not know the path and nothing is stored there.
    package func value(at path: SettingPath) -> ResolvedSetting? {
        var isSkipped = false
        return value(at: path, skippingLarge: false, &isSkipped)
    }

    /// Returns the setting or the group at a path; nil for a large group that is to be skipped.
    package func value(
        at path: SettingPath, skippingLarge skipsLarge: Bool, _ isSkipped: inout Bool
    ) -> ResolvedSetting? {
        let isGroup: Bool
        switch schema.place(of: path) {
        case .setting(let node):
            isGroup = node.types.isEmpty && (holding(at: path, node)?.value ?? [:]) == [:] && hasRows(below: path)
            if !isGroup { return resolved(path, node) }
        case .group, .entry: isGroup = true
        default:
            if Self.stored.contains(where: { self[$0][path] != nil }) { return resolved(path, nil) }
            isGroup = hasRows(below: path)
        }
        isSkipped = isGroup && skipsLarge && isLarge(path)
        return isGroup && !isSkipped ? group(path) : nil
    }

    /// Returns true if there are so many rows below a path that it takes milliseconds to collect them.
    package func isLarge(_ path: SettingPath) -> Bool {
        Self.stored.contains { self[$0].isLarge(below: path) }
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

    /// Returns the values in force below a group, defaults included, that a filter lets through; nil if there are none.
    package func value(at path: SettingPath, where isIncluded: (ResolvedSetting) -> Bool) -> JSONValue? {
        let rows = list(under: path).compactMap { setting in
            isIncluded(setting) ? setting.value.map { (setting.path, $0) } : nil
        }
        return SettingsTree(rows).value(at: path)
    }

    /// Lists settings in the order of the bytes of their paths.
    ///
    /// - Parameters:
    ///   - prefix: the path of a group or a setting; nil for all.
    ///   - defaults: true if the defaults of unset paths are listed too; those of a map's entry only if the entry
    ///     exists.
    ///   - after: the last path of the page before; nil for the first page.
    ///   - limit: the most settings to return.
    /// - Returns: one page.
    package func list(
        under prefix: SettingPath?, defaults: Bool = true, after: SettingPath? = nil, limit: Int = .max
    ) -> [ResolvedSetting] {
        SettingsListing(settings: self, prefix: prefix, includesDefaults: defaults).page(after: after, limit: limit)
    }

    // MARK: Leaves

    /// Returns true if something could keep a layer's value at a path from being in force: a lock, a higher layer, or
    /// the schema's refusal; false if nothing can.
    package func canOverride(_ layer: ResolvedSetting.Origin, at path: SettingPath) -> Bool {
        !locks.isEmpty || refusal(of: layer, at: path) != nil
            || Self.stored.contains { $0 > layer && !self[$0].isEmpty }
    }

    /// Returns the leaf at a path; nil if neither a layer nor the schema has a value at the path itself.
    func leaf(at path: SettingPath) -> ResolvedSetting? { leaf(at: path, schema.lookup(path)) }

    /// Returns the leaf at a path whose node in the schema is known, as ``leaf(at:)`` does.
    func leaf(at path: SettingPath, _ node: SchemaNode?) -> ResolvedSetting? {
        let setting = resolved(path, node)
        if setting.value == nil, setting.inactive == nil { return nil }
        if setting.value?.isEmptyObject == true, hasRows(below: path) { return nil }
        return setting
    }

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
            if let value = tree[place], !value.isEmptyObject, refusal(of: layer, at: place) == nil,
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

    /// Returns the value in force from the layers below one, without the schema's default; nil if they have none.
    package func value(at path: SettingPath, below layer: ResolvedSetting.Origin) -> ResolvedSetting? {
        let node = schema.lookup(path)
        let lower: ResolvedSetting.Origin = layer == .volatile ? .committed : .factory
        guard let found = holding(at: path, node, upTo: lower) else { return nil }
        return ResolvedSetting(
            path: path, value: found.value, origin: found.origin, inactive: nil, isSetting: true,
            isSecret: node?.isSecret ?? false, lock: nil)
    }
}
