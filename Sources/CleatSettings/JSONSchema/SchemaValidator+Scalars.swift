import CleatJSON

extension SchemaValidator {
    /// Checks the rules that apply to a value as a whole.
    mutating func checkScalar(_ rule: SchemaRule, of id: Int, _ value: JSONValue) -> Bool {
        let holds: Bool
        let keyword: String
        var detail = BrokenKeyword.Detail.none
        switch rule {
        case .type(let types):
            keyword = "type"
            holds = types.admits(value, beyond64Bits: schema.use != .settings)
        case .enumeration(let allowed):
            keyword = "enum"
            guard spend(allowed.count + cost(value)) else { return false }
            holds = allowed.contains(value)
        case .constant(let constant):
            keyword = "const"
            guard spend(cost(value)) else { return false }
            holds = constant == value
        case .bound(let bound, let limit, let format):
            keyword = bound.rawValue
            holds = Self.isWithin(value, bound, limit, format)
        case .count(let bound, let limit):
            keyword = bound.rawValue
            guard let count = members(bound, value) else { return true }
            detail = .count(count)
            holds =
                switch bound {
                case .minLength, .minItems, .minProperties: count >= limit
                case .maxLength, .maxItems, .maxProperties: count <= limit
                }
        case .pattern(let pattern):
            keyword = "pattern"
            guard case .string(let text) = value else { return true }
            guard let matches = matches(pattern, text) else { return false }
            holds = matches
        case .format(let format):
            keyword = "format"
            guard case .string(let text) = value else { return true }
            guard spend(1 + text.utf8.count / 16) else { return false }
            holds = format.accepts(text)
        default: return true
        }
        if !holds { report(id, keyword, rule, value, detail) }
        return holds
    }

    /// Matches a text; returns nil if that exceeds the remaining steps.
    mutating func matches(_ pattern: Pattern, _ text: String) -> Bool? {
        var used = 0
        let result = pattern.matches(text, steps: &used, limit: budget.remaining)
        guard spend(used + 1), result != nil else {
            _ = spend(budget.remaining + 1)
            return nil
        }
        return result
    }

    private static func isWithin(
        _ value: JSONValue, _ bound: NumberBound, _ limit: JSONValue, _ format: SettingFormat?
    ) -> Bool {
        var number = value
        if case .string(let text) = value {
            guard let quantity = format?.quantity(text) else { return true }
            number = .integer(quantity)
        }
        guard number.doubleValue != nil else { return true }
        return switch bound {
        case .minimum: !Ordering.precedes(number, limit)
        case .maximum: !Ordering.precedes(limit, number)
        case .exclusiveMinimum: Ordering.precedes(limit, number)
        case .exclusiveMaximum: Ordering.precedes(number, limit)
        case .multipleOf: Ordering.isMultiple(number, of: limit)
        }
    }

    private mutating func members(_ bound: CountBound, _ value: JSONValue) -> Int? {
        switch (bound, value) {
        case (.minLength, .string(let text)), (.maxLength, .string(let text)):
            spend(1 + text.utf8.count / 16) ? text.unicodeScalars.count : nil
        case (.minItems, .array(let values)), (.maxItems, .array(let values)): values.count
        case (.minProperties, .object(let members)), (.maxProperties, .object(let members)): members.count
        default: nil
        }
    }

    /// Returns roughly the work that comparing a value takes.
    func cost(_ value: JSONValue) -> Int {
        switch value {
        case .array, .object: 1 + SettingSize.of(value) / 8
        case .string(let text): 1 + text.utf8.count / 16
        default: 1
        }
    }
}
