import CleatJSON

/// Iterates over the paths that any layer has a row at, in order.
struct LayerCursor {
    /// One path.
    struct Step {
        let path: SettingPath
        /// The highest layer that has a row there, in force or not.
        let layer: ResolvedSetting.Origin
        /// The value in that layer.
        let value: JSONValue
        /// True if no other layer has a row there.
        let isOnly: Bool
    }

    /// The cursors of the layers, the highest layer first.
    private var cursors: [(layer: ResolvedSetting.Origin, cursor: SettingsTreeCursor)] = []

    init(_ settings: LayeredSettings, under prefix: SettingPath?, after: SettingPath?) {
        for layer in LayeredSettings.stored where !settings[layer].isEmpty {
            cursors.append((layer, SettingsTreeCursor(settings[layer], under: prefix, after: after)))
        }
    }

    mutating func next() -> Step? {
        if cursors.count == 1 {
            guard let row = cursors[0].cursor.next() else { return nil }
            return Step(path: row.path, layer: cursors[0].layer, value: row.value, isOnly: true)
        }
        var least: (layer: ResolvedSetting.Origin, row: SettingsTree.Row)?
        var count = 0
        for (layer, cursor) in cursors {
            guard let row = cursor.current else { continue }
            if let found = least, !(row.path < found.row.path) {
                if row.path == found.row.path { count += 1 }
                continue
            }
            least = (layer, row)
            count = 1
        }
        guard let least else { return nil }
        for index in cursors.indices where cursors[index].cursor.current?.path == least.row.path {
            _ = cursors[index].cursor.next()
        }
        return Step(path: least.row.path, layer: least.layer, value: least.row.value, isOnly: count == 1)
    }
}
