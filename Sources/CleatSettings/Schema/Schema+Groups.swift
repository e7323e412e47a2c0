package import CleatJSON

/// The settings before or after a change, as rules over several settings need them.
package protocol SettingGroups {
    /// Returns true if there are settings at a path or below it.
    func hasSettings(at path: SettingPath) -> Bool
    /// Returns the names directly below a group that have a value or a default; nil if the group does not exist.
    func memberNames(of path: SettingPath?) -> Set<String>?
    /// Returns the values in force below a path, defaults included.
    func subtree(at path: SettingPath?) -> JSONValue?
}

extension Schema {
    /// Finds the rules over several settings that hold before a change and would not hold after it.
    ///
    /// Rules that are already broken do not count: stored settings never block other ones.
    ///
    /// - Parameters:
    ///   - differences: the rows that the change alters.
    ///   - before: the current settings.
    ///   - after: the settings after the change.
    /// - Returns: the new violations, at the group or at the setting at fault.
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
                // The top has no path of its own; the problem is reported at the changed path.
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

    /// Returns the groups with an added or removed member: only there can a member be missing now.
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

    /// Returns the problem of a violation inside a group, at the setting that it concerns.
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
    /// Returns the violations of a group's rules over several members.
    fileprivate func violations(_ value: JSONValue, _ isSecret: Bool) -> [SchemaViolation] {
        schema.groupReport(on: isKnown.part(of: value), by: groupIDs, isSecret: isSecret).violations
    }
}

extension SchemaNode.ObjectRules {
    var hasPresenceRules: Bool { !required.isEmpty || minProperties != nil || maxProperties != nil }
}

extension SchemaViolation {
    /// The identity of a violation, which is the same before and after a change.
    ///
    /// For a broken `required` or dependency, and for a scalar, the reason is part of it. Other values of a group may
    /// change along with the fault, so their text is not part of it.
    fileprivate var identity: [String] {
        let isPartial = ["required", "dependentRequired", "dependentSchemas"].contains(keyword)
        return [keyword, instancePath, schemaPath, isPartial || isScalar ? reason : ""]
    }
}
