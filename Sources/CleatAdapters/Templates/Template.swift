package import CleatJSON
package import CleatSettings

/// A text with places for settings, compiled against a schema.
///
/// `{{path}}` stands for the value of a setting, `{{#path}}…{{/path}}` for what is there where the setting has a value,
/// once for each element of a list or entry of a map, and `{{^path}}…{{/path}}` for what is there where it has none.
/// Whatever the values are, each stays in its place (``TemplateEscape``), and making the text ends within
/// ``TemplateLimits``.
package struct Template: Sendable {
    /// How values are written.
    package let escape: TemplateEscape
    /// The settings and groups that the text depends on, in order.
    package let dependencies: [SettingPath]
    /// Whether the text may hold a secret.
    package let holdsSecrets: Bool

    private let pieces: [TemplatePiece]
    private let places: [TemplatePlace]

    /// Compiles a template.
    ///
    /// - Parameters:
    ///   - text: the template, UTF-8.
    ///   - escape: how values are written.
    ///   - schema: what its names are looked up in.
    /// - Throws: all that is wrong with it, with lines and columns.
    package init(_ text: [UInt8], escape: TemplateEscape, schema: Schema) throws(TemplateErrors) {
        let start = JSONPosition(line: 1, column: 1)
        guard text.count <= TemplateLimits.templateBytes else {
            throw TemplateErrors([
                TemplateError(
                    start, "the template has more than \(TemplateLimits.templateBytes) bytes; make it smaller")
            ])
        }
        guard String(validating: text, as: UTF8.self) != nil else {
            throw TemplateErrors([TemplateError(start, "the template is not UTF-8; save it as that")])
        }
        var lexer = TemplateLexer(text)
        let tokens = lexer.read()
        var compiler = TemplateCompiler(schema: schema, escape: escape, problems: lexer.problems)
        let pieces = compiler.compile(tokens)
        if !compiler.problems.isEmpty { throw TemplateErrors(compiler.problems) }
        places = try escape.places(in: pieces, count: compiler.variables)
        self.escape = escape
        self.pieces = pieces
        dependencies = compiler.dependencies.sorted()
        holdsSecrets = compiler.holdsSecrets
    }

    /// Compiles a template.
    package init(_ text: String, escape: TemplateEscape, schema: Schema) throws(TemplateErrors) {
        try self.init(Array(text.utf8), escape: escape, schema: schema)
    }

    /// Makes the text.
    ///
    /// - Parameter settings: the settings, defaults included.
    /// - Returns: the text, UTF-8, at most ``TemplateLimits/outputBytes``.
    /// - Throws: why there is none: a value that cannot stand where it is asked for, or too long a text.
    package func render(_ settings: LayeredSettings) throws(TemplateProblem) -> [UInt8] {
        try render { settings.value(at: $0)?.value }
    }

    /// Makes the text of values that `value` gives by their paths.
    package func render(_ value: @escaping (SettingPath) -> JSONValue?) throws(TemplateProblem) -> [UInt8] {
        var renderer = TemplateRenderer(places: places, value: value)
        try renderer.render(pieces)
        return renderer.output
    }
}
