import CleatJSON

extension LayeredSettings {
    /// Checks changes against the schema and makes them in a copy.
    ///
    /// All problems are found at once. Of the rules about groups (what is required, how many entries) only those
    /// count that hold now and would not hold afterwards, so that stored settings never stand in the way of others.
    ///
    /// - Parameter changes: what is to be changed.
    /// - Returns: the settings afterwards, which are to be used only where there are no problems.
    package func propose(_ changes: ChangeSet) -> SettingsProposal {
        var draft = Draft(before: self)
        for change in changes.changes {
            draft.make(change)
        }
        draft.checkGroups()
        draft.checkSize()
        return draft.proposal
    }

    private struct Draft {
        let before: LayeredSettings
        var after: LayeredSettings
        var differences: [SettingDifference] = []
        var problems: [SettingProblem] = []
        var problemCount = 0

        init(before: LayeredSettings) {
            self.before = before
            after = before
        }

        var proposal: SettingsProposal {
            SettingsProposal(
                settings: after, differences: differences.sorted { $0.path < $1.path },
                problems: problems.sorted { $0.path < $1.path }, problemCount: problemCount)
        }

        mutating func add(_ new: [SettingProblem]) {
            problemCount += new.count
            problems += new.prefix(SettingsProposal.maximumProblems - problems.count)
        }

        mutating func make(_ change: Change) {
            guard let value = change.value else { return unset(change.path) }
            let path = change.path
            switch after.schema.place(of: path) {
            case .group where value == .object([:]): return
            case .entry where value == .object([:]): apply(Change(path, value))
            case .setting(let node):
                let canonical = node.canonical(value)
                let found = after.schema.problems(with: canonical, at: path)
                add(found)
                if found.isEmpty { apply(Change(path, canonical)) }
            default: add(after.schema.problems(with: value, at: path, suggesting: problems.count < 16))
            }
        }

        private mutating func unset(_ path: SettingPath) {
            if after.schema.lookup(path) == nil, !after.committed.contains(path) {
                add([after.schema.unknown(path, suggesting: problems.count < 16)])
                return
            }
            apply(Change(path, nil))
        }

        private mutating func apply(_ change: Change) {
            let first = differences.count
            after.committed.apply(change, recording: &differences)
            for difference in differences[first...] {
                // What is set here was validated; what is removed can no longer be refused.
                after.inactive[difference.path] = nil
            }
            // A stored value that was refused before may be set again as it was, and is checked anew.
            after.inactive[change.path] = nil
        }

        mutating func checkGroups() {
            add(after.schema.groupProblems(of: differences, before: before, after: after))
        }

        mutating func checkSize() {
            guard let path = differences.first?.path else { return }
            if after.committed.count > LayeredSettings.maximumCount, after.committed.count > before.committed.count {
                add([
                    SettingProblem(
                        path: path, value: nil, code: .limit,
                        reason: "would make more than \(LayeredSettings.maximumCount) settings; unset some first")
                ])
            }
            if after.committed.bytes > LayeredSettings.maximumBytes, after.committed.bytes > before.committed.bytes {
                add([
                    SettingProblem(
                        path: path, value: nil, code: .limit,
                        reason:
                            "would make the settings larger than \(LayeredSettings.maximumBytes) bytes; unset some first"
                    )
                ])
            }
        }
    }
}

extension LayeredSettings: SettingGroups {
    /// Whether something is stored at a path or below it.
    package func hasSettings(at path: SettingPath) -> Bool {
        committed.contains(path)
    }

    /// The names directly below a group that hold a value or a default; nil where the group is not there.
    package func memberNames(of path: SettingPath?) -> Set<String>? {
        if let path, !committed.contains(path) { return nil }
        var names = committed.childNames(of: path)
        guard let node = path.map(schema.lookup) ?? schema.root else { return names }
        for (name, property) in node.object.properties where property.hasFixedDefaults {
            names.insert(name)
        }
        return names
    }
}

extension SchemaNode {
    /// Whether a group is there even where nothing below it is set.
    fileprivate var hasFixedDefaults: Bool {
        isInterior ? object.properties.contains { $0.node.hasFixedDefaults } : defaultValue != nil
    }
}
