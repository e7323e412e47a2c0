import CleatJSON

/// Finds the rules over several settings that hold before a change and would not hold after it.
///
/// Rules that are already broken do not count: stored settings never block other ones.
struct GroupCheck {
    let before: LayeredSettings
    let after: LayeredSettings
    /// The rows that the change alters.
    let differences: [SettingDifference]

    private var schema: Schema { after.schema }

    /// Returns the new violations, each at the group or at the setting at fault.
    func problems() -> [SettingProblem] {
        guard let changed = differences.map(\.path).min() else { return [] }
        var problems: [SettingProblem] = []
        for path in presenceGroups() {
            guard let node = node(at: path), node.isInterior, node.object.hasPresenceRules,
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
            guard let node = node(at: path), node.isInterior else { continue }
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

    private func node(at path: SettingPath?) -> SchemaNode? {
        guard let path else { return schema.root }
        return schema.lookup(path)
    }

    /// Returns the groups with an added or removed member: only there can a member be missing now.
    private func presenceGroups() -> Set<SettingPath?> {
        var groups: Set<SettingPath?> = []
        for difference in differences where (difference.old == nil) != (difference.new == nil) {
            if difference.new == .object([:]) { groups.insert(difference.path) }
            var child = difference.path
            while before.hasRows(at: child) != after.hasRows(at: child) {
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
            schema.lookup(next) != nil
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
