package import CleatJSON
package import CleatSettings

/// A text with tags for settings, compiled against a schema.
///
/// `{{path}}` is the value of a setting. `{{#path}}…{{/path}}` is present if the setting has a value, once for each
/// element of a list or entry of a map, and `{{^path}}…{{/path}}` if it has none. No value can leave its context
/// (``TemplateEscape``), and rendering is bounded by ``TemplateLimits``.
package struct Template: Sendable {
    /// The escaping of values.
    package let escape: TemplateEscape
    /// The settings and groups that the text depends on, sorted.
    package let dependencies: [SettingPath]
    /// True if the text may hold a secret.
    package let holdsSecrets: Bool

    private let program: TemplateProgram

    /// Compiles a template.
    ///
    /// - Parameters:
    ///   - text: the template, UTF-8.
    ///   - escape: the escaping of values.
    ///   - schema: the schema in which names are looked up.
    /// - Throws: all errors in the template, with lines and columns.
    package init(_ text: [UInt8], escape: TemplateEscape, schema: Schema) throws(TemplateErrors) {
        let start = JSONPosition(line: 1, column: 1)
        guard text.count <= TemplateLimits.templateBytes else {
            throw TemplateErrors([
                TemplateError(
                    start, "the template has more than \(TemplateLimits.templateBytes) bytes; make it smaller")
            ])
        }
        // Most templates are ASCII, which takes no validation.
        guard text.allSatisfy({ $0 < 0x80 }) || String(validating: text, as: UTF8.self) != nil else {
            throw TemplateErrors([TemplateError(start, "the template is not UTF-8; save it as that")])
        }
        var compiler = TemplateCompiler(text, schema: schema, escape: escape)
        var program = compiler.compile()
        if !compiler.problems.isEmpty { throw TemplateErrors(compiler.problems) }
        try escape.setContexts(in: &program)
        self.escape = escape
        self.program = program
        dependencies = program.paths.sortedPaths()
        holdsSecrets = compiler.holdsSecrets
    }

    /// Compiles a template.
    package init(_ text: String, escape: TemplateEscape, schema: Schema) throws(TemplateErrors) {
        try self.init(Array(text.utf8), escape: escape, schema: schema)
    }

    /// Renders the text.
    ///
    /// - Parameter settings: the settings, defaults included.
    /// - Returns: the text, UTF-8, at most ``TemplateLimits/outputBytes``.
    /// - Throws: the reason why it cannot be rendered: a value that its context does not allow, or too long a text.
    package func render(_ settings: LayeredSettings) throws(TemplateProblem) -> [UInt8] {
        try render { settings.value(at: $0)?.value }
    }

    /// Renders the text with values that `value` returns by their paths.
    package func render(_ value: @escaping (SettingPath) -> JSONValue?) throws(TemplateProblem) -> [UInt8] {
        var renderer = TemplateRenderer(program, value: value)
        try renderer.render()
        return renderer.output
    }
}
