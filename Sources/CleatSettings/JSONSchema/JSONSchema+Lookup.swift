import CleatJSON

extension JSONSchema {
    /// Adds to some subschemas those that they apply to the same value, in the order in which they are named.
    ///
    /// - Parameters:
    ///   - ids: the subschemas to start from.
    ///   - next: returns the subschemas of a rule that count.
    /// - Returns: the subschemas, each once.
    func closure(of ids: [Int], _ next: (SchemaRule) -> [Int] = \.inPlace) -> [Int] {
        var result: [Int] = []
        var open = Array(ids.reversed())
        var known: Set<Int> = []
        while let id = open.popLast() {
            guard known.insert(id).inserted else { continue }
            result.append(id)
            open += nodes[id].rules.flatMap(next).reversed()
        }
        return result
    }

    /// Adds to some subschemas those that apply to the same value unconditionally: by `$ref` and `allOf`.
    func sure(_ ids: [Int]) -> [Int] {
        closure(of: ids) { rule in
            switch rule {
            case .reference(let target): [target]
            case .allOf(let branches): branches
            default: []
            }
        }
    }

    /// Returns the subschemas that may apply to a member or an element if the given ones apply to the whole value.
    ///
    /// - Parameters:
    ///   - ids: the subschemas of the whole value.
    ///   - step: the member or element.
    ///   - isSure: true if only those count that apply unconditionally.
    ///   - steps: the remaining work for patterns; once it is used up, each pattern counts as a match.
    /// - Returns: the subschemas, in the order of the rules.
    func below(_ ids: [Int], _ step: SchemaViolation.Step, isSure: Bool = false, steps: inout Int) -> [Int] {
        var result: [Int] = []
        for rule in ids.lazy.flatMap({ nodes[$0].rules }) {
            switch (rule, step) {
            case (.members(let rules), .key(let name)):
                if let target = rules.named[name] { result.append(target) }
                let patterns = rules.patterns.filter { pattern, _ in
                    var used = 0
                    defer { steps = max(steps - used - 1, 0) }
                    return steps == 0 || pattern.matches(name, steps: &used, limit: steps) ?? true
                }
                result += patterns.map(\.schema)
                if patterns.isEmpty, rules.named[name] == nil, let target = rules.additional { result.append(target) }
            case (.unevaluatedProperties(let target), .key) where !isSure: result.append(target)
            case (.elements(let prefix, let rest), .index(let index)):
                if index < prefix.count { result.append(prefix[index]) } else if let rest { result.append(rest) }
            case (.contains(let target, _, _), .index) where !isSure: result.append(target)
            case (.unevaluatedItems(let target), .index) where !isSure: result.append(target)
            default: break
            }
        }
        return result
    }

    /// Returns true if the value at a path is a secret of some subschema, or is inside one.
    func isSecret(_ path: [SchemaViolation.Step], from start: [Int]) -> Bool {
        guard hasSecrets else { return false }
        var ids = closure(of: start)
        // If the search takes too long, the value counts as a secret and is not shown.
        var steps = 100_000
        for step in path {
            if steps == 0 || ids.contains(where: isSecret) { return true }
            ids = closure(of: below(ids, step, steps: &steps))
            steps = max(steps - ids.count, 0)
        }
        return ids.contains(where: isSecret)
    }

    /// The subschemas that are secrets, or that may describe one inside a value.
    var secretHolders: Set<Int> {
        guard hasSecrets else { return [] }
        var users: [Int: [Int]] = [:]
        for (id, node) in nodes.enumerated() {
            for next in node.rules.flatMap({ $0.inPlace + $0.below }) { users[next, default: []].append(id) }
        }
        var open = nodes.indices.filter(isSecret)
        var found = Set(open)
        while let id = open.popLast() {
            for user in users[id] ?? [] where found.insert(user).inserted { open.append(user) }
        }
        return found
    }

    private func isSecret(_ id: Int) -> Bool {
        nodes[id].annotations?.isWriteOnly == true
    }
}

extension JSONSchema {
    /// Returns a value in its stored form: durations, sizes and addresses in canonical form, 1.0 as 1.
    func canonical(_ value: JSONValue, by ids: [Int]) -> JSONValue {
        var steps = ValidationLimits.standard.steps
        return canonical(value, by: ids, &steps)
    }

    private func canonical(_ value: JSONValue, by ids: [Int], _ steps: inout Int) -> JSONValue {
        // A value that takes so much work is refused by its validation.
        if steps == 0 { return value }
        let ids = sure(ids)
        steps = max(steps - ids.count, 0)
        switch value {
        case .number(let number):
            return Int64(exactly: number).map { canonical(.integer($0), by: ids, &steps) } ?? value
        case .integer(let quantity):
            guard let format = settingFormat(ids), isText(ids), let text = format.text(quantity: quantity) else {
                return value
            }
            return .string(text)
        case .string(let text): return settingFormat(ids).map { .string($0.canonical(text)) } ?? value
        case .array(let values):
            return .array(
                values.enumerated().map { index, value in
                    let below = below(ids, .index(index), isSure: true, steps: &steps)
                    return below.isEmpty ? value : canonical(value, by: below, &steps)
                })
        case .object(let members):
            return .object(
                JSONObject(
                    members.map { name, value in
                        let below = below(ids, .key(name), isSure: true, steps: &steps)
                        return (name, below.isEmpty ? value : canonical(value, by: below, &steps))
                    }))
        default: return value
        }
    }

    private func settingFormat(_ ids: [Int]) -> SettingFormat? {
        for case .format(.setting(let format)) in ids.lazy.flatMap({ nodes[$0].rules }) { return format }
        return nil
    }

    private func isText(_ ids: [Int]) -> Bool {
        for case .type(let types) in ids.lazy.flatMap({ nodes[$0].rules }) where types == .string { return true }
        return false
    }
}
