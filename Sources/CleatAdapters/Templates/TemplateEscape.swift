/// The format of the text that a template renders, which decides the escaping of values.
///
/// A value never leaves the context of its tag: a value that cannot be written there is refused, and so is a tag where
/// no value would be safe.
package enum TemplateEscape: String, Sendable, Hashable, CaseIterable {
    /// Values are single words of ASCII letters, digits and `_ - . : / @ + , %`, good for any format.
    case word
    /// Values are the rest of a line, or a part of it, unescaped; they hold no control characters.
    case line
    /// Strings are written in single quotes, as arguments or assigned values of a POSIX shell.
    case shell
    /// Values follow `=` or `:` on one line; names and headings are words.
    case ini
    /// Values are JSON, also lists and objects; a missing value is `null`.
    case json
    /// Values are the text of an element or of a quoted attribute of XML 1.0.
    case xml

    /// The names, for messages.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
