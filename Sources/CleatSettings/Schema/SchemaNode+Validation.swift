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

    /// The first rule that a value breaks.
    func firstProblem(with value: JSONValue) -> BrokenRule? {
        brokenRules(by: value).first
    }

    /// All rules that a value breaks, up to ``maximumProblems``.
    func brokenRules(by value: JSONValue) -> [BrokenRule] {
        var check = Check(isSecret: isSecret)
        check.run(value, self)
        return check.broken
    }

    private struct Check {
        let isSecret: Bool
        var broken: [BrokenRule] = []
        /// Where in the value the check is: `item 2, key “port” `.
        var place: [String] = []

        private mutating func add(_ code: SettingProblem.Code, _ reason: String) {
            guard broken.count < SchemaNode.maximumProblems else { return }
            let prefix = place.isEmpty ? "" : "(" + place.joined(separator: ", ") + ") "
            broken.append(BrokenRule(code: code, reason: prefix + reason))
        }

        private func shown(_ value: JSONValue) -> String {
            if isSecret { return "as given" }
            if case .string(let text) = value { return "“\(Excerpt.of(text))”" }
            if SettingSize.of(value) > 256 { return value.typeName == "array" ? "a long array" : "a large object" }
            return Excerpt.of(value.description)
        }

        mutating func run(_ value: JSONValue, _ node: SchemaNode) {
            guard broken.count < SchemaNode.maximumProblems else { return }
            guard node.types.accepts(value) else {
                if value.isNull, node.types.isEmpty {
                    add(.type, "holds null, which is never stored; leave it out")
                } else {
                    add(.type, typeReason(value, node))
                }
                return
            }
            if value.isNull { return add(.type, "is null, which is never stored; unset it instead") }
            if let allowed = node.enumeration, !allowed.contains(value) {
                let list = allowed.prefix(16).map { shown($0) }.joined(separator: ", ")
                add(.enumeration, "is \(shown(value)), but must be one of \(list)\(allowed.count > 16 ? ", …" : "")")
            }
            if let constant = node.constant, constant != value {
                add(.constant, "is \(shown(value)), but can only be \(shown(constant))")
            }
            switch value {
            case .integer, .number: checkNumber(value, node.number, shown(value))
            case .string(let text): checkString(text, node)
            case .array(let values): checkArray(values, node.array)
            case .object(let members): checkObject(members, node)
            default: break
            }
        }

        private func typeReason(_ value: JSONValue, _ node: SchemaNode) -> String {
            if node.isInterior, place.isEmpty {
                return "is a group of settings, not a value; set one below it, or give an object"
            }
            let given: String
            if case .number(let number) = value, node.types.contains(.integer), number.magnitude >= 0x1p63 {
                given = "is \(shown(value)), beyond 64 bits"
            } else {
                let kind = value.typeName
                given = "is \(shown(value)), \(kind.first.map("aeio".contains) == true ? "an" : "a") \(kind)"
            }
            if let format = node.string.format, node.types == .string {
                return "\(given), but must be \(format.expectation)"
            }
            return "\(given), but must be \(node.types.sentence)"
        }

        private mutating func checkNumber(_ value: JSONValue, _ rules: NumberRules, _ shown: String) {
            if let minimum = rules.minimum, Ordering.precedes(value, minimum) {
                add(.range, "is \(shown), but must be at least \(minimum)\(Self.range(rules))")
            }
            if let maximum = rules.maximum, Ordering.precedes(maximum, value) {
                add(.range, "is \(shown), but must be at most \(maximum)\(Self.range(rules))")
            }
            if let bound = rules.exclusiveMinimum, !Ordering.precedes(bound, value) {
                add(.range, "is \(shown), but must be greater than \(bound)")
            }
            if let bound = rules.exclusiveMaximum, !Ordering.precedes(value, bound) {
                add(.range, "is \(shown), but must be less than \(bound)")
            }
            if let divisor = rules.multipleOf, !Ordering.isMultiple(value, of: divisor) {
                add(.range, "is \(shown), but must be a multiple of \(divisor)")
            }
        }

        private static func range(_ rules: NumberRules) -> String {
            guard let minimum = rules.minimum, let maximum = rules.maximum else { return "" }
            return "; give \(minimum) to \(maximum)"
        }

        private mutating func checkString(_ text: String, _ node: SchemaNode) {
            let rules = node.string
            if rules.minLength != nil || rules.maxLength != nil {
                let length = text.unicodeScalars.count
                if let minimum = rules.minLength, length < minimum {
                    add(.length, "has \(length) characters, but must have at least \(minimum)")
                }
                if let maximum = rules.maxLength, length > maximum {
                    add(.length, "has \(length) characters, but may have at most \(maximum)")
                }
            }
            if let pattern = rules.pattern, !pattern.matches(text) {
                let example = node.examples.first.map { ", such as \(shown($0))" } ?? ""
                add(.pattern, "is \(shown(.string(text))), but must match the pattern \(pattern)\(example)")
            }
            guard let format = rules.format else { return }
            guard format.accepts(text) else {
                return add(.format, "is \(shown(.string(text))), but must be \(format.expectation)")
            }
            if let quantity = format.quantity(text) {
                checkQuantity(quantity, text, format, node.number)
            }
        }

        private mutating func checkQuantity(
            _ quantity: Int64, _ text: String, _ format: SettingFormat, _ rules: NumberRules
        ) {
            func written(_ bound: JSONValue) -> String {
                bound.integerValue.flatMap { format.text(quantity: $0) } ?? bound.description
            }
            if let minimum = rules.minimum, Ordering.precedes(.integer(quantity), minimum) {
                add(.range, "is \(shown(.string(text))), but must be at least \(written(minimum))")
            }
            if let maximum = rules.maximum, Ordering.precedes(maximum, .integer(quantity)) {
                add(.range, "is \(shown(.string(text))), but must be at most \(written(maximum))")
            }
        }

        private mutating func checkArray(_ values: [JSONValue], _ rules: ArrayRules) {
            if let minimum = rules.minItems, values.count < minimum {
                add(.count, "has \(values.count) items, but must have at least \(minimum)")
            }
            if let maximum = rules.maxItems, values.count > maximum {
                add(.count, "has \(values.count) items, but may have at most \(maximum)")
            }
            if rules.uniqueItems {
                var seen: Set<JSONValue> = []
                for value in values where !seen.insert(value).inserted {
                    add(.unique, "holds \(shown(value)) twice; leave one of the two out")
                    break
                }
            }
            guard let items = rules.items else { return }
            for (index, value) in values.enumerated() {
                if broken.count == SchemaNode.maximumProblems { return }
                place.append("item \(index + 1)")
                run(value, items)
                place.removeLast()
            }
        }

        private mutating func checkObject(_ members: JSONObject, _ node: SchemaNode) {
            let rules = node.object
            for name in rules.required where members[name] == nil {
                add(.required, "lacks “\(Excerpt.of(name))”; add it")
            }
            checkCount(members.count, rules)
            for (key, value) in members {
                if broken.count == SchemaNode.maximumProblems { return }
                place.append("key “\(Excerpt.of(key))”")
                defer { place.removeLast() }
                if let names = rules.propertyNames { run(.string(key), names) }
                if let property = rules.property(key) {
                    run(value, property)
                } else if case .entries(let entry) = rules.additional {
                    run(value, entry)
                } else if case .closed = rules.additional, node.isInterior {
                    add(.unknown, "is not known; remove it")
                }
            }
        }

        mutating func checkCount(_ count: Int, _ rules: ObjectRules) {
            if let minimum = rules.minProperties, count < minimum {
                add(.count, "has \(count) entries, but must have at least \(minimum)")
            }
            if let maximum = rules.maxProperties, count > maximum {
                add(.count, "has \(count) entries, but may have at most \(maximum)")
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
        var check = Check(isSecret: isSecret)
        check.checkCount(names.count, object)
        result += check.broken
        return result
    }
}

/// Compares numbers without losing the last digits of 64-bit integers.
enum Ordering {
    static func precedes(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.integer(let left), .number(let right)): compare(left, right) < 0
        case (.number(let left), .integer(let right)): compare(right, left) > 0
        case (.number(let left), .number(let right)): left < right
        default: false
        }
    }

    private static func compare(_ integer: Int64, _ number: Double) -> Int {
        if number >= 0x1p63 { return -1 }
        if number < -0x1p63 { return 1 }
        let whole = number.rounded(.down)
        guard let floor = Int64(exactly: whole) else { return 0 }
        if integer != floor { return integer < floor ? -1 : 1 }
        return whole < number ? -1 : 0
    }

    /// Says whether a number is a multiple of another one, within the rounding of doubles.
    static func isMultiple(_ value: JSONValue, of divisor: JSONValue) -> Bool {
        if let value = value.integerValue, let divisor = divisor.integerValue {
            return divisor != 0 && (divisor == -1 || value % divisor == 0)
        }
        guard let value = value.doubleValue, let divisor = divisor.doubleValue, divisor != 0 else { return false }
        let quotient = value / divisor
        return quotient.isFinite && (quotient - quotient.rounded()).magnitude <= 2 * quotient.ulp
    }
}
