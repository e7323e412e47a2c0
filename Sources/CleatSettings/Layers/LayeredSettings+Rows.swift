extension LayeredSettings {
    /// Returns true if any layer has rows at a path or below it, in force or not.
    package func holdsRows(at path: SettingPath) -> Bool {
        Self.stored.contains { self[$0].contains(path) }
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

    /// Returns true if one layer has rows below a path that count.
    func hasRows(below path: SettingPath, _ layer: ResolvedSetting.Origin) -> Bool {
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

    /// Returns the names directly below a group that have a value or a default; nil if the group does not exist.
    func memberNames(of path: SettingPath?) -> Set<String>? {
        if let path, !hasRows(at: path) { return nil }
        var names = childNames(of: path)
        guard let node = path.map(schema.lookup) ?? schema.root else { return names }
        for (name, property) in node.object.properties where property.hasFixedDefaults {
            names.insert(name)
        }
        return names
    }

    /// Finds the first entry of a map that a path goes through and that does not exist.
    ///
    /// - Parameter path: a setting or a group.
    /// - Returns: the entry; nil if all exist, and inside a secret, whose names are part of it.
    package func missingEntry(of path: SettingPath) -> MissingEntry? {
        MissingEntry.find(on: path, in: self)
    }
}
