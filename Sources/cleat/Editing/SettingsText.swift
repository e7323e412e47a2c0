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

    /// One node of the tree.
    private struct Branch {
        var names: [String] = []
        var children: [String: Branch] = [:]
        var leaf: Leaf?

        mutating func add(_ leaf: Leaf, _ segments: ArraySlice<String>) {
            guard let first = segments.first else {
                self.leaf = leaf
                return
            }
            if children[first] == nil { names.append(first) }
            children[first, default: Branch()].add(leaf, segments.dropFirst())
        }
    }

    private enum Leaf {
        case value(SettingPath, JSONValue)
        case byDefault(SettingPath, JSONValue)
        case withheld(SettingPath, String)
    }

    /// The settings as one object.
    var value: JSONValue { snapshot.settings.value(at: nil) ?? [:] }

    /// The settings as JSON5.
    var json5: String {
        var leaves = snapshot.settings.joined.map { ($0.path, Leaf.value($0.path, $0.value)) }
        leaves += snapshot.withheld.map { ($0.key, Leaf.withheld($0.key, $0.value)) }
        if showsDefaults {
            leaves += snapshot.defaults.map { ($0.key, Leaf.byDefault($0.key, $0.value)) }
        }
        leaves.sort { $0.0 < $1.0 }
        var root = Branch()
        for (path, leaf) in leaves { root.add(leaf, path.segments[...]) }
        var described: Set<String> = []
        return JSON5Writer.write(JSON5Document(comment: heading, root: .object(items(of: root, &described))))
    }

    private func items(of branch: Branch, _ described: inout Set<String>) -> [JSON5Document.Item] {
        var items: [JSON5Document.Item] = []
        for name in branch.names {
            guard let child = branch.children[name] else { continue }
            if !child.names.isEmpty {
                items.append(.member(comment: nil, key: name, value: .object(self.items(of: child, &described))))
                continue
            }
            switch child.leaf {
            case .value(let path, let value):
                items.append(.member(comment: comment(on: path, &described), key: name, value: .value(value)))
            case .byDefault(let path, let value):
                items.append(.shown(comment: comment(on: path, &described), key: name, value: value))
            case .withheld(let path, let reason):
                let comment = comment(on: path, &described).map { $0 + "\n" } ?? ""
                items.append(.comment("\(comment)\(name): \(reason); omitted here, and unchanged"))
            case nil: break
            }
        }
        return items
    }

    /// Returns the schema's description of a setting; nil if there is none, or it was returned for another map entry
    /// before.
    private func comment(on path: SettingPath, _ described: inout Set<String>) -> String? {
        guard let description = outline?.description(of: path), described.insert(description.path).inserted else {
            return nil
        }
        var comment = [description.title, description.description].compactMap(\.self).joined(separator: ": ")
        if snapshot.settings[path] != nil, let value = description.default {
            comment += (comment.isEmpty ? "" : " ") + "(default: \(JSON5Writer.line(value)))"
        }
        return comment.isEmpty ? nil : comment
    }
}
