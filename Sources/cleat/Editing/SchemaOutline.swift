import CleatAPI
import CleatSettings

/// A tree of a board's schema, built from the descriptions of its settings.
struct SchemaOutline: Sendable {
    /// The kind of a path.
    enum Place: Hashable, Sendable {
        case setting, group, entry, unknown
    }

    /// A setting, a group, or the entry of a map.
    struct Node: Hashable, Sendable {
        /// The position of its branch.
        let index: Int
    }

    private struct Branch: Sendable {
        /// The positions of the branches below it, by their names.
        var children: [String: Int] = [:]
        /// The position of the branch for the keys of a map; nil if it is none.
        var entries: Int?
        var description: SettingDescription?
    }

    /// The branches; the first one is the root.
    private var branches = [Branch()]

    /// Builds the tree from descriptions, whose paths have names in braces for the keys of maps.
    init(_ descriptions: [SettingDescription]) {
        for description in descriptions {
            var place = 0
            for segment in description.path.split(separator: "/") {
                place = branch(
                    segment.contains("~")
                        ? String(segment).replacing("~1", with: "/").replacing("~0", with: "~") : String(segment),
                    below: place)
            }
            branches[place].description = description
        }
    }

    /// Returns the position of the branch of a name, which is added if it is missing.
    private mutating func branch(_ name: String, below place: Int) -> Int {
        let isKey = name.hasPrefix("{") && name.hasSuffix("}")
        if let found = isKey ? branches[place].entries : branches[place].children[name] { return found }
        let new = branches.count
        branches.append(Branch())
        if isKey { branches[place].entries = new } else { branches[place].children[name] = new }
        return new
    }

    /// Asks the service for the descriptions of all settings.
    init(from session: Session) throws(CommandError) {
        self.init(try session.call(SettingsInterface.Describe.self, .init()).descriptions)
    }

    /// The group of all settings.
    var root: Node { Node(index: 0) }
    /// The number of nodes; their positions are below it.
    var count: Int { branches.count }

    /// Returns what a group has by a name; nil if the schema has nothing there.
    func node(_ name: String, in group: Node) -> Node? {
        (branches[group.index].children[name] ?? branches[group.index].entries).map(Node.init)
    }

    /// Returns the description of a setting; nil if the node is none.
    func description(of node: Node) -> SettingDescription? { branches[node.index].description }

    /// Returns the description of a setting; nil if the path is not a setting.
    func description(of path: SettingPath) -> SettingDescription? {
        find(path).flatMap { description(of: $0.node) }
    }

    /// Returns the kind of a path.
    func place(of path: SettingPath) -> Place {
        guard let (node, isEntry) = find(path) else { return .unknown }
        if branches[node.index].description != nil { return .setting }
        return isEntry ? .entry : .group
    }

    private func find(_ path: SettingPath) -> (node: Node, isEntry: Bool)? {
        var (node, isEntry) = (root, false)
        for name in path.segments {
            guard let next = self.node(name, in: node) else { return nil }
            isEntry = branches[node.index].children[name] == nil
            node = next
        }
        return (node, isEntry)
    }
}
