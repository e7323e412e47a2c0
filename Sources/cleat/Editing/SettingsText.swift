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

    private enum Leaf {
        case value(JSONValue)
        case byDefault(JSONValue)
        /// The name to show, and the reason.
        case withheld(String, String)
    }

    /// The number of bytes after which text is passed on.
    private static let part = 1 << 16

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
        var printer = Printer(outline: outline, heading: heading)
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
    private var others: (sorted: [(SettingPath, Leaf)], groups: Set<SettingPath>) {
        var others: [(SettingPath, Leaf)] = []
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

    /// Writes sorted settings, and opens and closes the groups around them.
    private struct Printer {
        private let outline: SchemaOutline?
        var writer: JSON5Writer
        /// The names of the open groups, the outermost first.
        private var open: [String] = []
        /// The path of the innermost open group; nil for the top.
        private var parent: SettingPath?
        /// The top and the open groups in the schema; nil for those that it does not have.
        private var groups: [SchemaOutline.Node?]
        /// True for each node of the schema whose description was written; those of map entries are written once.
        private var described: [Bool]

        init(outline: SchemaOutline?, heading: String?) {
            self.outline = outline
            writer = JSON5Writer(comment: heading)
            groups = [outline?.root]
            described = Array(repeating: false, count: outline?.count ?? 0)
        }

        mutating func add(_ path: SettingPath, _ leaf: Leaf) {
            let above = path.parent
            // Settings are sorted: most are in the same group as the one before.
            if above != parent {
                enter(path.segments.dropLast())
                parent = above
            }
            let name = path.name
            let description = describe(name)
            var comment =
                description.map { [$0.title, $0.description].compactMap(\.self).joined(separator: ": ") } ?? ""
            switch leaf {
            case .value(let value):
                if let standard = description?.default {
                    comment += (comment.isEmpty ? "" : " ") + "(default: \(JSON5Writer.line(standard)))"
                }
                writer.add(name, value, comment: comment.isEmpty ? nil : comment)
            case .byDefault(let value): writer.show(name, value, comment: comment.isEmpty ? nil : comment)
            case .withheld(let name, let reason):
                comment += comment.isEmpty ? "" : "\n"
                writer.add(comment: "\(comment)\(name): \(reason); omitted here, and unchanged")
            }
        }

        /// Closes the groups that a setting is not in, and opens the others.
        private mutating func enter(_ names: ArraySlice<String>) {
            var shared = 0
            while shared < min(open.count, names.count), open[shared].utf8.elementsEqual(names[shared].utf8) {
                shared += 1
            }
            guard shared < max(open.count, names.count) else { return }
            while open.count > shared {
                writer.close()
                open.removeLast()
                groups.removeLast()
            }
            for name in names[shared...] {
                writer.open(name)
                open.append(name)
                groups.append(node(name))
            }
        }

        /// Returns what the innermost open group has by a name in the schema.
        private func node(_ name: String) -> SchemaOutline.Node? {
            guard let outline, case .some(.some(let group)) = groups.last else { return nil }
            return outline.node(name, in: group)
        }

        /// Returns the schema's description of a setting of the open group; nil if there is none, or it was returned for
        /// another map entry before.
        private mutating func describe(_ name: String) -> SettingDescription? {
            guard let node = node(name), !described[node.index] else { return nil }
            described[node.index] = true
            return outline?.description(of: node)
        }
    }
}
