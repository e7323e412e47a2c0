import CleatAPI
import CleatSettings

/// What a board's schema says about paths, as far as its descriptions tell.
struct SchemaOutline: Sendable {
    /// What stands at a path.
    enum Place: Hashable, Sendable {
        case setting, group, entry, unknown
    }

    private struct Branch: Sendable {
        var children: [String: Branch] = [:]
        /// What stands for the keys of a map.
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

    /// Takes descriptions, with names in braces for the keys of maps.
    init(_ descriptions: [SettingDescription]) {
        for description in descriptions {
            let segments = description.path.split(separator: "/").map {
                $0.contains("~")
                    ? String($0).replacing("~1", with: "/").replacing("~0", with: "~") : String($0)
            }
            root.add(description, segments[...])
        }
    }

    /// Asks for the descriptions of all settings.
    init(from session: Session) throws(CommandError) {
        self.init(try session.call(SettingsInterface.Describe.self, .init()).descriptions)
    }

    /// What a setting may hold; nil where the path is none.
    func description(of path: SettingPath) -> SettingDescription? {
        branch(at: path)?.branch.description
    }

    /// What stands at a path.
    func place(of path: SettingPath) -> Place {
        guard let (branch, isEntry) = branch(at: path) else { return .unknown }
        if branch.description != nil { return .setting }
        return isEntry ? .entry : .group
    }

    private func branch(at path: SettingPath) -> (branch: Branch, isEntry: Bool)? {
        var branch = root
        var isEntry = false
        for segment in path.segments {
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
