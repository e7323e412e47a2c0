import CleatJSON

/// One rule that a value breaks.
struct BrokenRule: Hashable, Sendable {
    let code: SettingProblem.Code
    /// Goes on after the path: `is 12, but must be at least 68; …`.
    let reason: String
}

extension SchemaNode {
    /// The most problems that are gathered for one value.
    static let maximumProblems = 16
    /// The bounds of the check of one value.
    static let limits = ValidationLimits(violations: maximumProblems)

    /// The first rule that a value breaks.
    func firstProblem(with value: JSONValue) -> BrokenRule? {
        brokenRules(by: value).first
    }

    /// All rules that a value breaks, up to ``maximumProblems``.
    func brokenRules(by value: JSONValue) -> [BrokenRule] {
        if value.isNull {
            let reason =
                types.isEmpty
                ? "holds null, which is never stored; leave it out" : "is null, which is never stored; unset it instead"
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
            // Of a whole group a file is asked about its own settings only.
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

    /// The rules about the number of its members and the presence of some that an object in the tree breaks.
    ///
    /// - Parameter names: the members that it has, as values or as defaults.
    /// - Returns: nothing where all hold.
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
    /// The name that the breach of a keyword has on the wire.
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
