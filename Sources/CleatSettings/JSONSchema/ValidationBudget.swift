/// Limits for the work of one validation and for the number of reported violations.
package struct ValidationLimits: Hashable, Sendable {
    /// The most steps: roughly one for each rule, member and instruction of a pattern.
    package var steps: Int
    /// The most violations that are listed; all are counted.
    package var violations: Int
    /// The most subschemas that may be nested in the evaluation: a bound on the stack.
    package var depth: Int

    /// Makes limits; those that are not given are as in `standard`.
    package init(steps: Int = 10_000_000, violations: Int = 256, depth: Int = 256) {
        self.steps = steps
        self.violations = violations
        self.depth = depth
    }

    /// Ten million steps, 256 violations, 256 subschemas deep.
    package static let standard = ValidationLimits()
}

/// Counts the work of one validation against its limits.
struct ValidationBudget: Sendable {
    let limits: ValidationLimits
    private var steps = 0
    private var depth = 0
    /// True once a limit was exceeded.
    private(set) var isExhausted = false

    init(_ limits: ValidationLimits) {
        self.limits = limits
    }

    /// The number of remaining steps, for operations that count their own.
    var remaining: Int { max(limits.steps - steps, 0) }

    /// Counts work; returns false once the limit is exceeded.
    mutating func spend(_ amount: Int) -> Bool {
        steps += amount
        if steps > limits.steps { isExhausted = true }
        return !isExhausted
    }

    /// Counts one more schema inside the others; returns false if there are too many.
    mutating func enter() -> Bool {
        guard spend(1) else { return false }
        guard depth < limits.depth else {
            isExhausted = true
            return false
        }
        depth += 1
        return true
    }

    /// Ends the innermost schema.
    mutating func leave() { depth -= 1 }
}
