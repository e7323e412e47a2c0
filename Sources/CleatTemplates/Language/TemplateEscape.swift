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

/// The limits of templates.
package enum TemplateLimits {
    /// The maximum number of bytes of a template.
    package static let templateBytes = 256 << 10
    /// The maximum number of tags in a template.
    package static let tags = 8_192
    /// The maximum nesting depth of sections.
    package static let depth = 16
    /// The maximum number of bytes of a tag.
    package static let tagBytes = 2_048
    /// The maximum number of errors that are reported for one template.
    package static let problems = 32
    /// The maximum number of bytes of the rendered text.
    package static let outputBytes = 1 << 20
    /// The maximum number of pieces that are visited during rendering, with each turn of a loop counted.
    package static let steps = 1_000_000
    /// The maximum work to find the contexts of values, in scanned bytes.
    static let scanSteps = 4 << 20
}
