package import CleatJSON

/// A compiled JSON Schema (2020-12) that validates values.
///
/// The compiler resolves every `$ref`, refuses unsupported keywords by name, and refuses references that lead back to
/// themselves without going down in the value. So every validation ends; limits bound its work as well.
package struct JSONSchema: Sendable {
    /// The purpose that a schema is compiled for.
    package enum Use: Hashable, Sendable {
        /// Validates any documents, exactly as specified.
        ///
        /// - assertFormat: true if `format` refuses values, and unknown formats are refused; otherwise it only
        ///   describes them.
        case documents(assertFormat: Bool)
        /// Validates the tree of settings.
        ///
        /// `format` refuses values. Unknown formats and invalid defaults are refused. `duration` and `bytes` are
        /// quantities that `minimum` and `maximum` bound.
        case settings
    }

    /// The only supported dialect of JSON Schema, for reading and writing.
    package static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// The purpose that the schema was compiled for.
    package let use: Use
    /// The source of the schema as a value.
    let source: JSONValue
    /// All subschemas; the first is the whole schema.
    let nodes: [Subschema]
    /// True if a subschema is `writeOnly`, so that objects and lists must not be shown whole.
    let hasSecrets: Bool

    /// Compiles a schema.
    ///
    /// - Parameters:
    ///   - json: an object or a boolean.
    ///   - use: the purpose of the schema.
    ///   - limits: bounds of the work that its defaults may take together.
    /// - Throws: all faults of the schema, with their places as JSON pointers.
    package init(
        _ json: JSONValue, for use: Use, limits: ValidationLimits = .standard
    ) throws(SchemaErrors) {
        var compiler = SchemaCompiler(use: use, source: json)
        nodes = try compiler.compile()
        self.use = use
        source = json
        hasSecrets = nodes.contains { $0.annotations?.isWriteOnly == true }
        try checkDefaults(limits)
    }

    /// Returns true if a value breaks no rule, without a report; false if the work would exceed the limits.
    package func accepts(_ value: JSONValue, limits: ValidationLimits = .standard) -> Bool {
        var validator = SchemaValidator(schema: self, limits: limits, isReporting: false)
        var seen = SeenMembers()
        return validator.evaluate(0, value, &seen) && !validator.isExhausted
    }

    /// Finds every rule that a value breaks.
    ///
    /// - Parameters:
    ///   - value: the value to validate.
    ///   - limits: bounds of the work and of the number of reported violations.
    /// - Returns: the violations in the order of the schema's keywords.
    package func validate(_ value: JSONValue, limits: ValidationLimits = .standard) -> SchemaReport {
        report(on: value, by: [0], limits: limits)
    }

    /// Finds every rule of some subschemas that a value breaks.
    ///
    /// - Parameters:
    ///   - value: the value to validate.
    ///   - ids: the subschemas.
    ///   - limits: bounds of the work and of the number of reported violations.
    ///   - isSecret: true if the whole value is a secret, regardless of the subschemas.
    /// - Returns: the violations.
    func report(
        on value: JSONValue, by ids: [Int], limits: ValidationLimits = .standard, isSecret: Bool = false
    ) -> SchemaReport {
        var validator = SchemaValidator(schema: self, limits: limits, isReporting: true)
        for id in ids {
            var seen = SeenMembers()
            _ = validator.evaluate(id, value, &seen)
        }
        return SchemaWording(schema: self, start: ids, isAllSecret: isSecret).report(of: validator)
    }

    /// Checks an object against only those rules of some subschemas that are over several members.
    func groupReport(on value: JSONValue, by ids: [Int], isSecret: Bool) -> SchemaReport {
        var validator = SchemaValidator(schema: self, limits: .standard, isReporting: true)
        for id in ids { validator.evaluateGroup(id, value) }
        return SchemaWording(schema: self, start: ids, isAllSecret: isSecret).report(of: validator)
    }

    private func checkDefaults(_ limits: ValidationLimits) throws(SchemaErrors) {
        guard use == .settings else { return }
        var problems: [SchemaError] = []
        // All defaults share the step limit of one value.
        var limits = limits
        limits.violations = 1
        for (id, node) in nodes.enumerated() {
            guard let value = node.annotations?.defaultValue, problems.count < SchemaErrors.maximumCount else {
                continue
            }
            var sentence: String?
            if value.isNull { sentence = "is null, which is never stored" }
            if sentence == nil {
                var validator = SchemaValidator(schema: self, limits: limits, isReporting: true)
                _ = validator.evaluate(id, value)
                limits.steps = validator.budget.remaining
                let report = SchemaWording(schema: self, start: [id], isAllSecret: false).report(of: validator)
                sentence = report.violations.first?.sentence
            }
            guard let broken = sentence else { continue }
            problems.append(
                SchemaError(
                    code: .invalidKeyword, pointer: pointer(of: id) + ["default"], keyword: "default",
                    message: "“default” breaks the schema's own rules: it \(broken)"))
        }
        if !problems.isEmpty { throw SchemaErrors(problems) }
    }

    /// Returns the place of a subschema as the keys of a JSON pointer.
    func pointer(of id: Int) -> [String] {
        Self.pointer(of: id, in: nodes)
    }

    /// Returns the place of a subschema as the keys of a JSON pointer.
    static func pointer(of id: Int, in nodes: [Subschema]) -> [String] {
        var parts: [[String]] = []
        var id = id
        while id != 0 {
            parts.append(nodes[id].tokens)
            id = nodes[id].parent
        }
        return parts.reversed().flatMap { $0 }
    }
}
