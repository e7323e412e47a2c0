import CleatJSON

/// Lists the settings below a path, one page at a time.
struct SettingsListing {
    let settings: LayeredSettings
    /// The path of a group or a setting; nil for all.
    let prefix: SettingPath?
    /// True if the defaults of unset paths are listed too.
    let includesDefaults: Bool

    /// Returns the settings after a path, in the order of the bytes of their paths.
    func page(after: SettingPath?, limit: Int) -> [ResolvedSetting] {
        var paths: [SettingPath] = []
        var result: [ResolvedSetting] = []
        var cursor = LayerCursor(settings, under: prefix, after: after)
        var places = SchemaCursor(settings.schema)
        while result.count < limit, let step = cursor.next() {
            paths.append(step.path)
            if let setting = listed(step, places.place(of: step.path).node) { result.append(setting) }
        }
        guard includesDefaults else { return result }
        var finder = UnsetDefaults(settings: settings, after: after)
        finder.find(under: prefix, paths: paths)
        if finder.found.isEmpty { return result }
        result += finder.found.map { settings.resolved($0.path, $0.node) }
        result.sort { $0.path < $1.path }
        if result.count > limit { result.removeLast(result.count - limit) }
        return result
    }

    /// Returns the listed setting of a path that some layer has a row at; nil if rows above or below take its place.
    private func listed(_ step: LayerCursor.Step, _ node: SchemaNode?) -> ResolvedSetting? {
        let path = step.path
        if step.isOnly, settings.locks.isEmpty, settings.sources.refused.isEmpty, node?.types.isEmpty != true,
            !step.value.isEmptyObject,
            settings.refusal(of: step.layer, at: path) == nil
        {
            return ResolvedSetting(
                path: path, value: step.value, origin: step.layer, inactive: nil, isSetting: true,
                isSecret: node?.isSecret ?? false, lock: nil)
        }
        let setting = settings.resolved(path, node)
        if setting.origin == .schemaDefault {
            guard let problem = setting.inactive else { return nil }
            if problem.code == .locked, isBelowMissingEntry(path) { return setting.withoutValue }
        } else if setting.value?.isEmptyObject == true, settings.hasRows(below: path) {
            return nil
        }
        return setting
    }

    /// Returns true if a path is in an entry of a map without rows in any layer that counts.
    private func isBelowMissingEntry(_ path: SettingPath) -> Bool {
        var above = path.parent
        while let place = above {
            if case .entry = settings.schema.place(of: place), !settings.hasRows(at: place) { return true }
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
