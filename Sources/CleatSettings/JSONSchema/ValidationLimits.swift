/// Bounds the work of one check of a value, and what is told about it.
package struct ValidationLimits: Hashable, Sendable {
    /// The most steps: about one a rule, a member, an instruction of a pattern.
    package var steps: Int
    /// The most violations that are told one by one; all are counted.
    package var violations: Int
    /// The most subschemas that may be entered inside each other: a bound on the stack.
    package var depth: Int

    /// Makes limits; what is not named is as in `standard`.
    package init(steps: Int = 10_000_000, violations: Int = 256, depth: Int = 256) {
        self.steps = steps
        self.violations = violations
        self.depth = depth
    }

    /// Ten million steps, 256 violations, 256 subschemas deep.
    package static let standard = ValidationLimits()
}
