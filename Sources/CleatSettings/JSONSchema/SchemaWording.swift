import CleatJSON

/// Writes messages for broken rules that name the value, the rule and its limit.
struct SchemaWording {
    let schema: JSONSchema
    /// The subschemas that the whole value was validated against.
    let start: [Int]
    /// True if the whole value is a secret.
    let isAllSecret: Bool

    /// Returns the report of the broken rules that a validation has found.
    func report(of validator: SchemaValidator) -> SchemaReport {
        var violations = validator.broken.keywords.map(violation)
        if validator.isExhausted {
            let limits = validator.budget.limits
            violations.append(
                SchemaViolation(
                    path: [], keyword: "limit", schemaPointer: start.first.map(schema.pointer) ?? [], value: nil,
                    isScalar: false,
                    reason:
                        "takes more than \(limits.steps) steps, or \(limits.depth) schemas inside each other, to check; "
                        + "simplify the schema, or make the value smaller"))
        }
        return SchemaReport(
            violations: violations, count: validator.broken.count + (validator.isExhausted ? 1 : 0),
            isComplete: !validator.isExhausted)
    }

    private func violation(_ broken: BrokenKeyword) -> SchemaViolation {
        let isSecret = isAllSecret || schema.isSecret(broken.path, from: start)
        let shown = shown(broken.value, isSecret)
        var pointer = schema.pointer(of: broken.node)
        if broken.keyword != "false" { pointer.append(broken.keyword) }
        return SchemaViolation(
            path: broken.path, keyword: broken.keyword, schemaPointer: pointer, value: isSecret ? nil : shown,
            isScalar: broken.value.isScalar,
            reason: reason(broken, shown, isSecret))
    }

    /// Returns a value as a short text on one line; of a value that may hold a secret only the kind is named.
    private func shown(_ value: JSONValue, _ isSecret: Bool) -> String {
        if isSecret { return "as given" }
        switch value {
        case .string(let text): return "“\(Excerpt.of(text))”"
        case .array(let values):
            guard !schema.hasSecrets, SettingSize.of(value) <= 256 else { return "a list of \(values.count) items" }
        case .object(let members):
            guard !schema.hasSecrets, SettingSize.of(value) <= 256 else {
                return "an object with \(members.count) members"
            }
        default: break
        }
        return Excerpt.of(value.description)
    }

    private func reason(_ broken: BrokenKeyword, _ shown: String, _ isSecret: Bool) -> String {
        switch broken.rule {
        case .never: return broken.path.isEmpty ? "is \(shown), but nothing is allowed" : never(broken)
        case .type(let types): return type(types, broken, shown)
        case .enumeration(let allowed):
            let list = allowed.prefix(16).map { self.shown($0, isSecret) }.joined(separator: ", ")
            return "is \(shown), but must be one of \(list)\(allowed.count > 16 ? ", …" : "")"
        case .constant(let constant): return "is \(shown), but can only be \(self.shown(constant, isSecret))"
        case .bound(let bound, let limit, let format): return self.bound(bound, limit, format, broken, shown)
        case .count(let bound, let limit): return count(bound, limit, broken)
        case .pattern(let pattern):
            let example = schema.nodes[broken.node].annotations?.examples.first.map {
                ", such as \(self.shown($0, isSecret))"
            }
            return "is \(shown), but must match the pattern \(Excerpt.of(pattern.text))\(example ?? "")"
        case .format(let format):
            let meant = isSecret ? nil : broken.value.stringValue.flatMap(format.nearMiss)
            return "is \(shown), but must be \(format.expectation)\(meant.map { "; did you mean “\($0)”?" } ?? "")"
        case .uniqueItems:
            guard case .value(let value) = broken.detail else { return "holds an item twice; remove one of the two" }
            return "holds \(self.shown(value, isSecret)) twice; remove one of the two"
        case .contains(_, let minimum, let maximum): return contains(minimum, maximum, broken)
        default: return combination(broken, shown)
        }
    }

    private func never(_ broken: BrokenKeyword) -> String {
        switch broken.keyword {
        case "additionalProperties", "unevaluatedProperties": "is not known; remove it"
        case "items", "prefixItems", "unevaluatedItems": "is one item too many; remove it"
        case "propertyNames": "is a member, but none is allowed; remove it"
        default: "is not allowed here; remove it"
        }
    }

    private func type(_ types: SettingTypes, _ broken: BrokenKeyword, _ shown: String) -> String {
        let given: String
        if case .number(let number) = broken.value, types.contains(.integer), number.magnitude >= 0x1p63 {
            given = "is \(shown), beyond 64 bits"
        } else if broken.value.isNull {
            given = "is null"
        } else {
            let kind = broken.value.typeName
            switch broken.value {
            case .array, .object: given = "is \(kind.first.map("aeio".contains) == true ? "an" : "a") \(kind)"
            default: given = "is \(shown), \(kind.first.map("aeio".contains) == true ? "an" : "a") \(kind)"
            }
        }
        if types == .string, let format = schema.nodes[broken.node].format {
            return "\(given), but must be \(format.expectation)"
        }
        return "\(given), but must be \(types.sentence)"
    }

    private func bound(
        _ bound: NumberBound, _ limit: JSONValue, _ format: SettingFormat?, _ broken: BrokenKeyword,
        _ shown: String
    ) -> String {
        var written = limit.description
        if case .string = broken.value, let text = limit.integerValue.flatMap({ format?.text(quantity: $0) }) {
            written = text
        }
        let rule =
            switch bound {
            case .minimum: "at least \(written)\(range(broken))"
            case .maximum: "at most \(written)\(range(broken))"
            case .exclusiveMinimum: "greater than \(written)"
            case .exclusiveMaximum: "less than \(written)"
            case .multipleOf: "a multiple of \(written)"
            }
        return "is \(shown), but must be \(rule)"
    }

    /// Returns both bounds, if there are two.
    private func range(_ broken: BrokenKeyword) -> String {
        var bounds: [NumberBound: JSONValue] = [:]
        for case .bound(let bound, let limit, nil) in schema.nodes[broken.node].rules { bounds[bound] = limit }
        guard let minimum = bounds[.minimum], let maximum = bounds[.maximum] else { return "" }
        return "; give \(minimum) to \(maximum)"
    }

    private func count(_ bound: CountBound, _ limit: Int, _ broken: BrokenKeyword) -> String {
        guard case .count(let count) = broken.detail else { return "has too many or too few members" }
        let members =
            switch bound {
            case .minLength, .maxLength: count == 1 ? "1 character" : "\(count) characters"
            case .minItems, .maxItems: Self.items(count)
            case .minProperties, .maxProperties: count == 1 ? "1 entry" : "\(count) entries"
            }
        return switch bound {
        case .minLength, .minItems, .minProperties: "has \(members), but must have at least \(limit)"
        case .maxLength, .maxItems, .maxProperties: "has \(members), but may have at most \(limit)"
        }
    }

    private static func items(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

    private func contains(_ minimum: Int?, _ maximum: Int?, _ broken: BrokenKeyword) -> String {
        guard case .count(let found) = broken.detail else { return "does not hold the items that it must" }
        if broken.keyword == "maxContains" {
            return
                "holds \(Self.items(found)) of the kind that “contains” describes, but may hold at most \(maximum ?? 0)"
        }
        return
            "holds \(Self.items(found)) of the kind that “contains” describes, but must hold at least \(minimum ?? 1)"
    }

    private func combination(_ broken: BrokenKeyword, _ shown: String) -> String {
        switch (broken.rule, broken.detail) {
        case (.required, .name(let name)): return "lacks “\(Excerpt.of(name))”; add it"
        case (.dependentRequired, .dependency(let name, let missing)):
            return "has “\(Excerpt.of(name))” and so needs “\(Excerpt.of(missing))” too; add it"
        case (.dependentSchemas, .name(let name)):
            return "has “\(Excerpt.of(name))”, which is not allowed here; remove it"
        case (.not, _): return "is \(shown), but must not be what “not” describes"
        case (.oneOf, .matching(let indices)):
            let list = indices.map { String($0 + 1) }.joined(separator: " and ")
            return "is \(shown), but fits alternatives \(list) of “oneOf” where it may fit one only"
        case (_, .branches(let branches)):
            let reasons = branches.enumerated().compactMap { index, keywords in
                keywords.first.map { "(\(index + 1)) it \(violation($0).sentence(below: broken.path))" }
            }
            let list = reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")
            return "is \(shown), but fits no alternative of “\(broken.keyword)”\(list)"
        default: return "is \(shown), which is not allowed"
        }
    }
}

extension Subschema {
    /// The format that texts must have.
    var format: SchemaFormat? {
        for case .format(let format) in rules { return format }
        return nil
    }
}

extension SchemaViolation {
    /// Returns the reason as it follows the name of the value at a path above.
    fileprivate func sentence(below path: [Step]) -> String {
        SchemaViolation(
            path: Array(self.path.dropFirst(path.count)), keyword: keyword, schemaPointer: schemaPointer, value: value,
            isScalar: isScalar, reason: reason
        ).sentence
    }
}

extension JSONValue {
    fileprivate var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}
