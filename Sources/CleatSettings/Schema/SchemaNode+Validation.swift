package import CleatJSON

/// One rule that a value breaks.
struct BrokenRule: Hashable, Sendable {
    let code: SettingProblem.Code
    /// A text that follows the path: `is 12, but must be at least 68; …`.
    let reason: String
}

extension SchemaNode {
    /// The most problems that are recorded for one value.
    static let maximumProblems = 16
    /// The limits for the validation of one value.
    static let limits = ValidationLimits(violations: maximumProblems)

    /// Returns the first rule that a value breaks.
    func firstProblem(with value: JSONValue) -> BrokenRule? {
        brokenRules(by: value).first
    }

    /// Returns true if a value breaks no rule.
    package func accepts(_ value: JSONValue) -> Bool { brokenRules(by: value).isEmpty }

    /// Returns the rules that a value breaks, up to ``maximumProblems``.
    func brokenRules(by value: JSONValue) -> [BrokenRule] {
        if value.isNull {
            let reason =
                types.isEmpty
                ? "holds null, which is never stored; remove it" : "is null, which is never stored; unset it instead"
            return [BrokenRule(code: .type, reason: reason)]
        }
        if isInterior, value.objectValue == nil {
            return [
                BrokenRule(
                    code: .type, reason: "is a group of settings, not a value; set one below it, or give an object")
            ]
        }
        var result: [BrokenRule] = []
        for rule in rules {
            // The rules of a file apply only to that file's settings of a group.
            let part = isInterior ? rule.isKnown.part(of: value) : value
            let report = rule.schema.report(on: part, by: rule.ids, limits: Self.limits, isSecret: isSecret)
            for violation in report.violations {
                let broken = BrokenRule(
                    code: SettingProblem.Code(keyword: violation.keyword), reason: violation.sentence)
                if !result.contains(broken) { result.append(broken) }
            }
        }
        if isInterior {
            var place: [String] = []
            addUnknown(in: value, at: &place, to: &result)
        }
        return Array(result.prefix(Self.maximumProblems))
    }

    /// Finds the members of a whole group that the tree does not know.
    private func addUnknown(in value: JSONValue, at place: inout [String], to result: inout [BrokenRule]) {
        guard isInterior, let members = value.objectValue else { return }
        for (name, value) in members where result.count < Self.maximumProblems {
            place.append("key “\(Excerpt.of(name))”")
            defer { place.removeLast() }
            if let child = object.property(name) ?? object.entry(name) {
                child.addUnknown(in: value, at: &place, to: &result)
            } else if case .closed = object.additional {
                let broken = BrokenRule(
                    code: .unknown, reason: "(\(place.joined(separator: ", "))) is not known; remove it")
                if !result.contains(broken) { result.append(broken) }
            }
        }
    }

    /// Returns the broken rules of a group about the number of its members and about required ones.
    ///
    /// - Parameter names: the members that have a value or a default.
    /// - Returns: the broken rules; none if all hold.
    func brokenGroupRules(names: Set<String>) -> [BrokenRule] {
        var result = object.required.filter { !names.contains($0) }.map { name in
            BrokenRule(code: .required, reason: "needs “\(Excerpt.of(name))” too; set it in the same transaction")
        }
        let entries = names.count == 1 ? "1 entry" : "\(names.count) entries"
        if let minimum = object.minProperties, names.count < minimum {
            result.append(
                BrokenRule(code: .count, reason: "has \(entries), but must have at least \(minimum)"))
        }
        if let maximum = object.maxProperties, names.count > maximum {
            result.append(
                BrokenRule(code: .count, reason: "has \(entries), but may have at most \(maximum)"))
        }
        return result
    }
}

extension SettingProblem.Code {
    /// Makes the code for a broken keyword.
    init(keyword: String) {
        switch keyword {
        case "type": self = .type
        case "enum": self = .enumeration
        case "const": self = .constant
        case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf": self = .range
        case "minLength", "maxLength": self = .length
        case "pattern": self = .pattern
        case "format": self = .format
        case "minItems", "maxItems", "minProperties", "maxProperties", "contains", "minContains", "maxContains":
            self = .count
        case "uniqueItems": self = .unique
        case "required", "dependentRequired": self = .required
        case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "properties", "patternProperties",
            "false":
            self = .unknown
        case "propertyNames": self = .key
        case "limit": self = .limit
        default: self = .combination
        }
    }
}
