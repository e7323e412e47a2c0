import CleatJSON

/// Validates one value against a compiled schema.
struct SchemaValidator {
    let schema: JSONSchema
    /// The work that remains.
    private(set) var budget: ValidationBudget
    /// The broken rules that were found.
    private(set) var broken: BrokenKeywordLog
    /// True if broken rules are recorded; otherwise the validation ends at the first.
    var isReporting: Bool
    /// The place in the value.
    var path: [SchemaViolation.Step] = []

    init(schema: JSONSchema, limits: ValidationLimits, isReporting: Bool) {
        self.schema = schema
        self.isReporting = isReporting
        budget = ValidationBudget(limits)
        broken = BrokenKeywordLog(capacity: limits.violations)
    }

    /// True once the work has exceeded its limits; the value counts as refused then.
    var isExhausted: Bool { budget.isExhausted }

    /// Counts work; returns false once the limit is exceeded.
    mutating func spend(_ amount: Int) -> Bool { budget.spend(amount) }

    /// Records a broken rule.
    mutating func report(
        _ node: Int, _ keyword: String, _ rule: SchemaRule, _ value: JSONValue, _ detail: BrokenKeyword.Detail = .none
    ) {
        guard isReporting, !isExhausted else { return }
        broken.add(path, node, keyword, rule, value, detail)
    }

    /// Validates a value against all rules of a subschema.
    ///
    /// - Parameters:
    ///   - id: the subschema.
    ///   - value: the value.
    ///   - seen: gathers the members that the rules have evaluated, if the subschema is tracked.
    /// - Returns: true if all rules hold; the validation stops at the first broken one if nothing is reported.
    mutating func evaluate(_ id: Int, _ value: JSONValue, _ seen: inout SeenMembers) -> Bool {
        guard budget.enter() else { return false }
        defer { budget.leave() }
        var holds = true
        for index in schema.nodes[id].rules.indices {
            if !apply(schema.nodes[id].rules[index], of: id, to: value, &seen) {
                holds = false
                if !isReporting || isExhausted { return false }
            }
        }
        return holds
    }

    /// Checks an object against the rules of a subschema that are over several members.
    mutating func evaluateGroup(_ id: Int, _ value: JSONValue) {
        var seen = SeenMembers()
        for rule in schema.nodes[id].rules where rule.isGroupRule {
            _ = apply(rule, of: id, to: value, &seen)
        }
    }

    /// Validates a value against a subschema without keeping track of the evaluated members.
    mutating func evaluate(_ id: Int, _ value: JSONValue) -> Bool {
        var seen = SeenMembers()
        return evaluate(id, value, &seen)
    }

    /// Validates a member or an element of a value.
    mutating func descend(
        _ step: SchemaViolation.Step, _ value: JSONValue, by id: Int, _ keyword: String, of node: Int
    ) -> Bool {
        path.append(step)
        defer { path.removeLast() }
        // For a member that must not exist, the message names the keyword that forbids it.
        if schema.nodes[id].isNever {
            report(node, keyword, .never, value)
            return false
        }
        return evaluate(id, value)
    }

    /// Validates a value against one of several branches, and gathers the rules that it breaks.
    mutating func branch(_ id: Int, _ value: JSONValue, _ seen: inout SeenMembers, _ reasons: inout [BrokenKeyword])
        -> Bool
    {
        var inner = BrokenKeywordLog(capacity: 2)
        swap(&broken, &inner)
        let holds = evaluate(id, value, &seen)
        swap(&broken, &inner)
        reasons = inner.keywords
        return holds
    }

    /// Validates a value without recording broken rules.
    mutating func test(_ id: Int, _ value: JSONValue, _ seen: inout SeenMembers) -> Bool {
        let outer = isReporting
        isReporting = false
        defer { isReporting = outer }
        return evaluate(id, value, &seen)
    }

    private mutating func apply(
        _ rule: SchemaRule, of id: Int, to value: JSONValue, _ seen: inout SeenMembers
    ) -> Bool {
        switch rule {
        case .never:
            report(id, "false", rule, value)
            return false
        case .reference, .allOf, .anyOf, .oneOf, .not, .conditional, .dependentSchemas:
            return combine(rule, of: id, value, &seen)
        case .elements, .contains, .uniqueItems, .unevaluatedItems:
            guard case .array(let values) = value else { return true }
            return checkArray(rule, of: id, values, value, &seen)
        case .members, .propertyNames, .required, .dependentRequired, .unevaluatedProperties:
            guard case .object(let members) = value else { return true }
            return checkObject(rule, of: id, members, value, &seen)
        default:
            return checkScalar(rule, of: id, value)
        }
    }
}

/// The members of an object, or elements of a list, that some rule has evaluated.
struct SeenMembers {
    private(set) var isAll = false
    private var marks: [Bool] = []

    func contains(_ index: Int) -> Bool {
        isAll || index < marks.count && marks[index]
    }

    mutating func insert(_ index: Int) {
        if isAll { return }
        while marks.count <= index { marks.append(false) }
        marks[index] = true
    }

    mutating func insertAll() {
        isAll = true
    }

    mutating func formUnion(_ other: SeenMembers) {
        if other.isAll { return insertAll() }
        for index in other.marks.indices where other.marks[index] { insert(index) }
    }

    /// The work that a union with this set takes.
    var cost: Int { marks.count }
}
