import CleatJSON

extension SchemaValidator {
    /// Checks the rules that apply other schemas to the same value.
    mutating func combine(
        _ rule: SchemaRule, of id: Int, _ value: JSONValue, _ seen: inout SeenMembers
    ) -> Bool {
        switch rule {
        case .reference(let target): return include(target, value, of: id, &seen)
        case .allOf(let branches):
            var holds = true
            for target in branches where !include(target, value, of: id, &seen) {
                holds = false
                if !isReporting || isExhausted { return false }
            }
            return holds
        case .anyOf(let branches): return checkAnyOf(rule, branches, of: id, value, &seen)
        case .oneOf(let branches): return checkOneOf(rule, branches, of: id, value, &seen)
        case .not(let target):
            var inner = SeenMembers()
            let holds = !test(target, value, &inner)
            if isExhausted { return false }
            if !holds { report(id, "not", rule, value) }
            return holds
        case .conditional(let condition, let then, let otherwise):
            var inner = SeenMembers()
            let holds = test(condition, value, &inner)
            if isExhausted { return false }
            if holds, schema.nodes[id].isTracked { join(inner, &seen) }
            guard let target = holds ? then : otherwise else { return true }
            if schema.nodes[target].isNever {
                report(id, holds ? "then" : "else", .never, value)
                return false
            }
            return include(target, value, of: id, &seen)
        case .dependentSchemas(let dependencies):
            guard case .object(let members) = value else { return true }
            var holds = true
            for (name, target) in dependencies {
                guard spend(1) else { return false }
                if members.index(forKey: name) == nil { continue }
                if schema.nodes[target].isNever {
                    report(id, "dependentSchemas", rule, value, .name(name))
                    holds = false
                } else if !include(target, value, of: id, &seen) {
                    holds = false
                }
                if !holds, !isReporting || isExhausted { return false }
            }
            return holds
        default: return true
        }
    }

    /// Validates a value against one more schema, whose rules count as if they were part of this one.
    private mutating func include(_ target: Int, _ value: JSONValue, of id: Int, _ seen: inout SeenMembers) -> Bool {
        var inner = SeenMembers()
        let holds = evaluate(target, value, &inner)
        // Even if the value is refused, the seen members keep an `unevaluated…` from reporting them again.
        if schema.nodes[id].isTracked { join(inner, &seen) }
        return holds
    }

    private mutating func join(_ inner: SeenMembers, _ seen: inout SeenMembers) {
        _ = spend(inner.cost)
        seen.formUnion(inner)
    }

    private mutating func checkAnyOf(
        _ rule: SchemaRule, _ branches: [Int], of id: Int, _ value: JSONValue, _ seen: inout SeenMembers
    ) -> Bool {
        let isTracked = schema.nodes[id].isTracked
        var holds = false
        var found: [[BrokenKeyword]] = []
        for target in branches {
            var inner = SeenMembers()
            var broken: [BrokenKeyword] = []
            if branch(target, value, &inner, &broken) {
                holds = true
                // The other branches only matter if an `unevaluated…` needs the members that they see.
                guard isTracked else { return true }
                join(inner, &seen)
            }
            if isExhausted { return false }
            if found.count < 4 { found.append(broken) }
        }
        if !holds { report(id, "anyOf", rule, value, .branches(found)) }
        return holds
    }

    private mutating func checkOneOf(
        _ rule: SchemaRule, _ branches: [Int], of id: Int, _ value: JSONValue, _ seen: inout SeenMembers
    ) -> Bool {
        var matching: [Int] = []
        var found: [[BrokenKeyword]] = []
        for (index, target) in branches.enumerated() {
            var inner = SeenMembers()
            var broken: [BrokenKeyword] = []
            if branch(target, value, &inner, &broken) {
                matching.append(index)
                if schema.nodes[id].isTracked { join(inner, &seen) }
                if matching.count > 1 { break }
            }
            if isExhausted { return false }
            if found.count < 4 { found.append(broken) }
        }
        if matching.count == 1 { return true }
        report(id, "oneOf", rule, value, matching.isEmpty ? .branches(found) : .matching(matching))
        return false
    }
}
