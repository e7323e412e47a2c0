import CleatJSON

/// Where in the text that a template makes a value stands.
enum TemplatePlace: Sendable, Hashable {
    case word
    case line
    case shell
    case iniName
    case iniValue
    case iniQuoted
    case json
    /// The name of a member of an object.
    case jsonName
    case xml
}

/// Follows the text of one format byte by byte, as far as it matters to what a value could do at a place.
protocol PlaceState: Hashable, Sendable {
    /// Where a text begins.
    static var start: Self { get }
    /// What is so after one more byte of the template's own.
    func after(_ byte: UInt8) -> Self
    /// What is so after a value.
    var afterValue: Self { get }
    /// What place it is; nil where no value would be safe.
    var place: TemplatePlace? { get }
    /// Why no value may stand here, as the end of a sentence that begins with “no value may stand”.
    var refusal: String { get }
}

extension TemplateEscape {
    /// Finds the places of a template's variables.
    ///
    /// - Parameters:
    ///   - pieces: the whole template.
    ///   - count: how many variables it has.
    /// - Returns: the place of each variable, by its number.
    /// - Throws: the variables that stand where no value would be safe.
    func places(in pieces: [TemplatePiece], count: Int) throws(TemplateErrors) -> [TemplatePlace] {
        switch self {
        case .word: return Array(repeating: .word, count: count)
        case .line: return Array(repeating: .line, count: count)
        case .shell: return try PlaceScanner<ShellPlace>.places(in: pieces, count: count)
        case .ini: return try PlaceScanner<INIPlace>.places(in: pieces, count: count)
        case .json: return try PlaceScanner<JSONPlace>.places(in: pieces, count: count)
        case .xml: return try PlaceScanner<XMLPlace>.places(in: pieces, count: count)
        }
    }
}
