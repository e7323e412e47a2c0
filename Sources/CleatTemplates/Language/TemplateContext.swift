/// The context of a value in the text that a template renders.
enum TemplateContext: UInt8, Sendable, Hashable {
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
