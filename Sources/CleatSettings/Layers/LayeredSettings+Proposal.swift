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
                add([after.schema.unknown(path, value: nil, suggesting: problems.count < 16)])
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
            // Only a group with a member that came or went has to be looked at: each look counts all its members.
            var groups: Set<SettingPath> = []
            for difference in differences where (difference.old == nil) != (difference.new == nil) {
                if difference.new == .object([:]) { groups.insert(difference.path) }
                var child = difference.path
                while let path = child.parent, before.committed.contains(child) != after.committed.contains(child) {
                    groups.insert(path)
                    child = path
                }
            }
            for path in groups {
                guard let node = after.schema.lookup(path), node.isInterior, node.object.hasGroupRules else { continue }
                let now = before.brokenRules(of: node, at: path)
                add(
                    after.brokenRules(of: node, at: path).filter { !now.contains($0) }.map { rule in
                        SettingProblem(path: path, value: nil, code: rule.code, reason: rule.reason)
                    })
            }
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

    /// The rules of a group itself that do not hold; none where the group does not exist.
    fileprivate func brokenRules(of node: SchemaNode, at path: SettingPath) -> [BrokenRule] {
        guard committed.contains(path) else { return [] }
        var names = committed.childNames(of: path)
        for (name, property) in node.object.properties where property.hasFixedDefaults {
            names.insert(name)
        }
        return node.brokenGroupRules(names: names)
    }
}

extension SchemaNode {
    /// Whether a group is there even where nothing below it is set.
    fileprivate var hasFixedDefaults: Bool {
        isInterior ? object.properties.contains { $0.node.hasFixedDefaults } : defaultValue != nil
    }
}

extension SchemaNode.ObjectRules {
    fileprivate var hasGroupRules: Bool { !required.isEmpty || minProperties != nil || maxProperties != nil }
}
