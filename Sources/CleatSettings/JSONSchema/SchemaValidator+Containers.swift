import CleatJSON

extension SchemaValidator {
    /// Checks the rules of lists.
    mutating func checkArray(
        _ rule: SchemaRule, of id: Int, _ values: [JSONValue], _ value: JSONValue, _ seen: inout SeenMembers
    ) -> Bool {
        let isTracked = schema.nodes[id].isTracked
        switch rule {
        case .elements(let prefix, let rest):
            var holds = true
            for (index, element) in values.enumerated() {
                let inPrefix = index < prefix.count
                guard let target = inPrefix ? prefix[index] : rest else { break }
                if isTracked, inPrefix { seen.insert(index) }
                if !descend(.index(index), element, by: target, inPrefix ? "prefixItems" : "items", of: id) {
                    holds = false
                    if !isReporting || isExhausted { return false }
                }
            }
            if isTracked, rest != nil { seen.insertAll() }
            return holds
        case .contains(let target, let minimum, let maximum):
            return checkContains(rule, target, minimum, maximum, of: id, values, &seen)
        case .uniqueItems:
            guard spend(values.reduce(0) { $0 + cost($1) }) else { return false }
            var known = Set<JSONValue>(minimumCapacity: values.count)
            for value in values where !known.insert(value).inserted {
                report(id, "uniqueItems", rule, .array(values), .value(value))
                return false
            }
            return true
        case .unevaluatedItems(let target):
            var holds = true
            for (index, element) in values.enumerated() where !seen.contains(index) {
                if !descend(.index(index), element, by: target, "unevaluatedItems", of: id) {
                    holds = false
                    if !isReporting || isExhausted { return false }
                }
            }
            seen.insertAll()
            return holds
        default: return true
        }
    }

    private mutating func checkContains(
        _ rule: SchemaRule, _ target: Int, _ minimum: Int?, _ maximum: Int?, of id: Int, _ values: [JSONValue],
        _ seen: inout SeenMembers
    ) -> Bool {
        let isTracked = schema.nodes[id].isTracked
        var found = 0
        for (index, element) in values.enumerated() {
            var inner = SeenMembers()
            if test(target, element, &inner) {
                found += 1
                if isTracked { seen.insert(index) }
            }
            if isExhausted { return false }
        }
        var holds = true
        if found < minimum ?? 1 {
            report(id, minimum == nil ? "contains" : "minContains", rule, .array(values), .count(found))
            holds = false
        }
        if let maximum, found > maximum {
            report(id, "maxContains", rule, .array(values), .count(found))
            holds = false
        }
        return holds
    }

    /// Checks the rules of objects.
    mutating func checkObject(
        _ rule: SchemaRule, of id: Int, _ members: JSONObject, _ value: JSONValue, _ seen: inout SeenMembers
    ) -> Bool {
        var holds = true
        switch rule {
        case .members(let rules): return checkMembers(rules, of: id, members, &seen)
        case .propertyNames(let target):
            for (name, _) in members {
                path.append(.key(name))
                defer { path.removeLast() }
                if schema.nodes[target].isNever {
                    report(id, "propertyNames", .never, .string(name))
                    holds = false
                } else if !evaluate(target, .string(name)) {
                    holds = false
                }
                if !holds, !isReporting || isExhausted { return false }
            }
        case .required(let names):
            guard spend(names.count) else { return false }
            for name in names where members.index(forKey: name) == nil {
                report(id, "required", rule, value, .name(name))
                holds = false
            }
        case .dependentRequired(let dependencies):
            for (name, others) in dependencies {
                guard spend(1 + others.count) else { return false }
                if members.index(forKey: name) == nil { continue }
                for other in others where members.index(forKey: other) == nil {
                    report(id, "dependentRequired", rule, value, .dependency(name: name, missing: other))
                    holds = false
                }
            }
        case .unevaluatedProperties(let target):
            for (index, member) in members.enumerated() where !seen.contains(index) {
                if !descend(.key(member.key), member.value, by: target, "unevaluatedProperties", of: id) {
                    holds = false
                    if !isReporting || isExhausted { return false }
                }
            }
            seen.insertAll()
        default: break
        }
        return holds
    }

    private mutating func checkMembers(
        _ rules: MemberRules, of id: Int, _ members: JSONObject, _ seen: inout SeenMembers
    ) -> Bool {
        let isTracked = schema.nodes[id].isTracked
        var holds = true
        for (index, member) in members.enumerated() {
            guard spend(1) else { return false }
            var isNamed = false
            if let target = rules.named[member.key] {
                isNamed = true
                if !descend(.key(member.key), member.value, by: target, "properties", of: id) { holds = false }
            }
            for (pattern, target) in rules.patterns {
                guard let matches = matches(pattern, member.key) else { return false }
                guard matches else { continue }
                isNamed = true
                if !descend(.key(member.key), member.value, by: target, "patternProperties", of: id) { holds = false }
            }
            if !isNamed, let target = rules.additional {
                isNamed = true
                if !descend(.key(member.key), member.value, by: target, "additionalProperties", of: id) {
                    holds = false
                }
            }
            if isTracked, isNamed { seen.insert(index) }
            if !holds, !isReporting || isExhausted { return false }
        }
        return holds
    }
}
