import CleatAPI
import CleatJSON
import CleatSettings

/// Writes settings as JSON5 with the schema's descriptions as comments, or as JSON.
struct SettingsText {
    var snapshot: SettingsSnapshot
    /// The schema's descriptions; nil to write no comments.
    var outline: SchemaOutline?
    /// True to show unset settings with their defaults, in comments.
    var showsDefaults = false
    /// The comment at the top.
    var heading: String?

    /// The number of bytes after which text is passed on.
    static let part = 1 << 16

    /// The settings as one object.
    var value: JSONValue { snapshot.settings.value(at: nil) ?? [:] }

    /// The settings as JSON5.
    var json5: String {
        var text = ""
        writeJSON5 { (part: String) throws(Never) in text += part }
        return text
    }

    /// Writes the settings as JSON5, in parts.
    func writeJSON5<Failure>(_ output: (String) throws(Failure) -> Void) throws(Failure) {
        let (others, groups) = others
        var rest = others[...]
        var printer = SettingsPrinter(outline: outline, heading: heading)
        for row in snapshot.settings.joined where !row.value.isEmptyObject || !groups.contains(row.path) {
            while let (path, leaf) = rest.first, !(row.path < path) {
                printer.add(path, leaf)
                rest.removeFirst()
            }
            printer.add(row.path, .value(row.value))
            if printer.writer.count > Self.part { try output(printer.writer.take()) }
        }
        for (path, leaf) in rest { printer.add(path, leaf) }
        printer.writer.finish()
        try output(printer.writer.take())
    }

    /// The comments about settings without a value, in the order of their places, and the groups that they are in.
    private var others: (sorted: [(SettingPath, SettingsPrinter.Leaf)], groups: Set<SettingPath>) {
        var others: [(SettingPath, SettingsPrinter.Leaf)] = []
        for (path, reason) in snapshot.withheld.sorted(by: { $0.key < $1.key }) {
            // Below a value there is no group for a comment.
            let place = valueAbove(path) ?? path
            let above = place.parent.map { $0.text.utf8.count + 1 } ?? 0
            let name = place == path ? path.name : String(path.text.utf8.dropFirst(above)) ?? path.text
            others.append((place, .withheld(name, reason)))
        }
        if showsDefaults {
            for (path, value) in snapshot.defaults where valueAbove(path) == nil {
                others.append((path, .byDefault(value)))
            }
        }
        others.sort { $0.0 < $1.0 }
        var groups: Set<SettingPath> = []
        for (path, _) in others {
            var group = path.parent
            while let path = group, groups.insert(path).inserted { group = path.parent }
        }
        // A path above another setting is written as the group that it is.
        others.removeAll { groups.contains($0.0) || snapshot.settings.hasRows(below: $0.0) }
        return (others, groups)
    }

    /// Returns the setting above a path that has a value other than an empty group.
    private func valueAbove(_ path: SettingPath) -> SettingPath? {
        var above = path.parent
        while let place = above {
            if let value = snapshot.settings[place], !value.isEmptyObject { return place }
            above = place.parent
        }
        return nil
    }
}
