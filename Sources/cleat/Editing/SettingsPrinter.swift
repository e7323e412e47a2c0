import CleatAPI
import CleatJSON
import CleatSettings

/// Writes sorted settings, and opens and closes the groups around them.
struct SettingsPrinter {
    /// A value or a comment for a path.
    enum Leaf {
        case value(JSONValue)
        case byDefault(JSONValue)
        /// The name to show, and the reason.
        case withheld(String, String)
    }

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
