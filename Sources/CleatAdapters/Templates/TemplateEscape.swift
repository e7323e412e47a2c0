/// Says of what kind the text is that a template makes, and so how values are written into it.
///
/// A value never leaves the place where its tag stands: what cannot be written there is refused, and so is a tag where
/// no value would be safe.
package enum TemplateEscape: String, Sendable, Hashable, CaseIterable {
    /// Values are single words of ASCII letters, digits and `_ - . : / @ + , %`, good for any format.
    case word
    /// Values are the rest of a line, or a part of it, as they are; they hold no control characters.
    case line
    /// Strings are written in single quotes, as arguments or assigned values of a POSIX shell.
    case shell
    /// Values stand behind `=` or `:` on one line; names and headings are words.
    case ini
    /// Values are JSON, lists and objects too; no value is `null`.
    case json
    /// Values are the text of an element or of a quoted attribute of XML 1.0.
    case xml

    /// The names, for messages.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
