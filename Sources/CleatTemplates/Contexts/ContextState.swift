/// The state in a text of one format, byte by byte, as far as it affects values.
protocol ContextState: Hashable, Sendable {
    /// The state at the start of a text.
    static var start: Self { get }
    /// Returns the state after one more byte of the template's own text.
    func after(_ byte: UInt8) -> Self
    /// The state after a value.
    var afterValue: Self { get }
    /// The context of a value here; nil if no value would be safe.
    var context: TemplateContext? { get }
    /// The reason why no value is allowed here, as the end of a sentence that begins with “no value is allowed”.
    var refusal: String { get }
}

extension TemplateEscape {
    /// Finds the contexts of a template's variables.
    ///
    /// - Parameter program: the whole template; the contexts of its steps are set.
    /// - Throws: the variables in contexts where no value would be safe.
    func setContexts(in program: inout TemplateProgram) throws(TemplateErrors) {
        switch self {
        // The context of a step that was just compiled.
        case .word: break
        case .line: for index in program.steps.indices { program.steps[index].context = .line }
        case .shell: try ContextScanner<ShellContext>.setContexts(in: &program)
        case .ini: try ContextScanner<INIContext>.setContexts(in: &program)
        case .json: try ContextScanner<JSONContext>.setContexts(in: &program)
        case .xml: try ContextScanner<XMLContext>.setContexts(in: &program)
        }
    }
}
