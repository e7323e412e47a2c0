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
