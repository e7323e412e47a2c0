import CleatJSON

extension LayeredSettings {
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
        var paths: [SettingPath] = []
        var result: [ResolvedSetting] = []
        var cursor = LayerCursor(self, under: prefix, after: after)
        while result.count < limit, let step = cursor.next() {
            paths.append(step.path)
            if let setting = listed(step) { result.append(setting) }
        }
        guard defaults else { return result }
        var finder = UnsetDefaults(settings: self, after: after)
        finder.find(under: prefix, paths: paths)
        if finder.found.isEmpty { return result }
        result += finder.found.map { resolved($0.path, $0.node) }
        result.sort { $0.path < $1.path }
        if result.count > limit { result.removeLast(result.count - limit) }
        return result
    }

    /// Returns the listed setting of a path that some layer has a row at; nil if rows above or below take its place.
    private func listed(_ step: LayerCursor.Step) -> ResolvedSetting? {
        let path = step.path
        let node = schema.lookup(path)
        if step.isOnly, locks.isEmpty, sources.refused.isEmpty, node?.types.isEmpty != true, step.value != [:],
            refusal(of: step.layer, at: path) == nil
        {
            return ResolvedSetting(
                path: path, value: step.value, origin: step.layer, inactive: nil, isSetting: true,
                isSecret: node?.isSecret ?? false, lock: nil)
        }
        let setting = resolved(path, node)
        if setting.origin == .schemaDefault {
            guard let problem = setting.inactive else { return nil }
            if problem.code == .locked, isBelowMissingEntry(path) { return setting.withoutValue }
        } else if setting.value == [:], hasRows(below: path) {
            return nil
        }
        return setting
    }

    /// Returns true if a path is in an entry of a map without rows in any layer that counts.
    private func isBelowMissingEntry(_ path: SettingPath) -> Bool {
        var above = path.parent
        while let place = above {
            if case .entry = schema.place(of: place), !hasRows(at: place) { return true }
            above = place.parent
        }
        return false
    }
}

extension ResolvedSetting {
    /// The same setting without its value.
    fileprivate var withoutValue: ResolvedSetting {
        ResolvedSetting(
            path: path, value: nil, origin: origin, inactive: inactive, isSetting: isSetting, isSecret: isSecret,
            lock: lock)
    }
}
