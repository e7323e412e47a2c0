import CleatJSON

/// The context of a value in the text that a template renders.
enum TemplateContext: Sendable, Hashable {
    case word
    case line
    case shell
    case iniName
    case iniValue
    case iniQuoted
    case json
    /// The name of an object's member.
    case jsonName
    case xml
}

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
    /// - Parameters:
    ///   - pieces: the whole template.
    ///   - count: the number of variables.
    /// - Returns: the context of each variable, by its number.
    /// - Throws: the variables in contexts where no value would be safe.
    func contexts(in pieces: [TemplatePiece], count: Int) throws(TemplateErrors) -> [TemplateContext] {
        switch self {
        case .word: return Array(repeating: .word, count: count)
        case .line: return Array(repeating: .line, count: count)
        case .shell: return try ContextScanner<ShellContext>.contexts(in: pieces, count: count)
        case .ini: return try ContextScanner<INIContext>.contexts(in: pieces, count: count)
        case .json: return try ContextScanner<JSONContext>.contexts(in: pieces, count: count)
        case .xml: return try ContextScanner<XMLContext>.contexts(in: pieces, count: count)
        }
    }
}
