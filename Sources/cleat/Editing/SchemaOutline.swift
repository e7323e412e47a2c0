import CleatAPI
import CleatSettings

/// A tree of a board's schema, built from the descriptions of its settings.
struct SchemaOutline: Sendable {
    /// The kind of a path.
    enum Place: Hashable, Sendable {
        case setting, group, entry, unknown
    }

    fileprivate struct Branch: Sendable {
        var children: [String: Branch] = [:]
        /// The branch for the keys of a map; at most one.
        var entries: [Branch] = []
        var description: SettingDescription?

        mutating func add(_ description: SettingDescription, _ segments: ArraySlice<String>) {
            guard let first = segments.first else {
                self.description = description
                return
            }
            if first.hasPrefix("{"), first.hasSuffix("}") {
                if entries.isEmpty { entries.append(Branch()) }
                entries[0].add(description, segments.dropFirst())
            } else {
                children[first, default: Branch()].add(description, segments.dropFirst())
            }
        }
    }

    private var root = Branch()

    /// Builds the tree from descriptions, whose paths have names in braces for the keys of maps.
    init(_ descriptions: [SettingDescription]) {
        for description in descriptions {
            let segments = description.path.split(separator: "/").map {
                $0.contains("~")
                    ? String($0).replacing("~1", with: "/").replacing("~0", with: "~") : String($0)
            }
            root.add(description, segments[...])
        }
    }

    /// Asks the service for the descriptions of all settings.
    init(from session: Session) throws(CommandError) {
        self.init(try session.call(SettingsInterface.Describe.self, .init()).descriptions)
    }

    /// Returns the description of a setting; nil if the path is not a setting.
    func description(of path: SettingPath) -> SettingDescription? {
        branch(at: path)?.branch.description
    }

    /// A group, or the entry of a map.
    struct Group: Sendable {
        fileprivate let branch: Branch

        /// Returns the description of one of its settings; nil if there is none of that name.
        func description(of name: String) -> SettingDescription? {
            (branch.children[name] ?? branch.entries.first)?.description
        }
    }

    /// Returns the group below some names; nil if the schema has none there.
    func group(at names: [String]) -> Group? { branch(at: names).map { Group(branch: $0.branch) } }

    /// Returns the kind of a path.
    func place(of path: SettingPath) -> Place {
        guard let (branch, isEntry) = branch(at: path) else { return .unknown }
        if branch.description != nil { return .setting }
        return isEntry ? .entry : .group
    }

    private func branch(at path: SettingPath) -> (branch: Branch, isEntry: Bool)? { branch(at: path.segments) }

    private func branch(at names: [String]) -> (branch: Branch, isEntry: Bool)? {
        var branch = root
        var isEntry = false
        for segment in names {
            if let child = branch.children[segment] {
                (branch, isEntry) = (child, false)
            } else if let entry = branch.entries.first {
                (branch, isEntry) = (entry, true)
            } else {
                return nil
            }
        }
        return (branch, isEntry)
    }
}
