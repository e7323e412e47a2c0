package import CleatJSON

/// Settings before or after a change, as far as rules over several of them have to know.
package protocol SettingGroups {
    /// Whether something is stored at a path or below it.
    func hasSettings(at path: SettingPath) -> Bool
    /// The names directly below a group that hold a value or a default; nil where the group is not there.
    func memberNames(of path: SettingPath?) -> Set<String>?
    /// All that holds below a path, defaults included.
    func subtree(at path: SettingPath?) -> JSONValue?
}

extension Schema {
    /// Finds the rules over several settings that hold before a change and would not hold after it.
    ///
    /// Rules that are broken already do not count: what is stored never stands in the way of other settings.
    ///
    /// - Parameters:
    ///   - differences: the rows that the change makes different.
    ///   - before: the settings as they are.
    ///   - after: the settings as they would be.
    /// - Returns: the new violations, at the group or at the setting that is at fault.
    package func groupProblems(
        of differences: [SettingDifference], before: some SettingGroups, after: some SettingGroups
    ) -> [SettingProblem] {
        guard let changed = differences.map(\.path).min() else { return [] }
        var problems: [SettingProblem] = []
        for path in presenceGroups(differences, before, after) {
            guard let node = path.map(lookup) ?? root, node.isInterior, node.object.hasPresenceRules,
                let names = after.memberNames(of: path)
            else { continue }
            let now = before.memberNames(of: path).map(node.brokenGroupRules) ?? []
            problems += node.brokenGroupRules(names: names).filter { !now.contains($0) }.map { rule in
                // The top has no path of its own; the problem is told at what is changed.
                SettingProblem(path: path ?? changed, value: nil, code: rule.code, reason: rule.reason)
            }
        }
        var groups: Set<SettingPath?> = [nil]
        for difference in differences {
            var above = difference.new == .object([:]) ? difference.path : difference.path.parent
            while let path = above, groups.insert(path).inserted { above = path.parent }
        }
        for path in groups {
            guard let node = path.map(lookup) ?? root, node.isInterior else { continue }
            for rule in node.rules where !rule.groupIDs.isEmpty {
                guard let value = after.subtree(at: path) else { continue }
                let broken = before.subtree(at: path).map { rule.violations($0, node.isSecret) } ?? []
                let now = Set(broken.map(\.identity))
                for violation in rule.violations(value, node.isSecret) where !now.contains(violation.identity) {
                    let problem = self.problem(violation, below: path, changed)
                    if !problems.contains(problem) { problems.append(problem) }
                }
            }
        }
        return problems
    }

    /// The groups with a member that came or went: only there can something be missing now.
    private func presenceGroups(
        _ differences: [SettingDifference], _ before: some SettingGroups, _ after: some SettingGroups
    ) -> Set<SettingPath?> {
        var groups: Set<SettingPath?> = []
        for difference in differences where (difference.old == nil) != (difference.new == nil) {
            if difference.new == .object([:]) { groups.insert(difference.path) }
            var child = difference.path
            while before.hasSettings(at: child) != after.hasSettings(at: child) {
                groups.insert(child.parent)
                guard let parent = child.parent else { break }
                child = parent
            }
        }
        return groups
    }

    /// Names the setting that a violation inside a group is at.
    private func problem(
        _ violation: SchemaViolation, below path: SettingPath?, _ changed: SettingPath
    ) -> SettingProblem {
        var place = path
        var rest = violation.path[...]
        while case .key(let name)? = rest.first,
            let next = try? place.map({ try $0.appending(name) }) ?? SettingPath(segments: [name]),
            lookup(next) != nil
        {
            place = next
            rest = rest.dropFirst()
        }
        let inside = SchemaViolation(
            path: Array(rest), keyword: violation.keyword, schemaPointer: violation.schemaPointer,
            value: violation.value, isScalar: violation.isScalar, reason: violation.reason)
        return SettingProblem(
            path: place ?? changed, value: nil, code: SettingProblem.Code(keyword: violation.keyword),
            reason: inside.sentence)
    }
}

extension NodeRules {
    /// What the rules over several members have against a group.
    fileprivate func violations(_ value: JSONValue, _ isSecret: Bool) -> [SchemaViolation] {
        schema.groupReport(on: isKnown.part(of: value), by: groupIDs, isSecret: isSecret).violations
    }
}

extension SchemaNode.ObjectRules {
    var hasPresenceRules: Bool { !required.isEmpty || minProperties != nil || maxProperties != nil }
}

extension SchemaViolation {
    /// What makes a violation the same before and after a change.
    ///
    /// What stands in a group beside the fault may change with it; a value that is at fault itself may not.
    fileprivate var identity: [String] {
        let isPartial = ["required", "dependentRequired", "dependentSchemas"].contains(keyword)
        return [keyword, instancePath, schemaPath, isPartial || isScalar ? reason : ""]
    }
}
