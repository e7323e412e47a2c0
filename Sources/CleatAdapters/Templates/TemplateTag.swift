import CleatJSON

/// A token of a template's text.
enum TemplateToken: Sendable {
    /// Text, with escapes of tags resolved.
    case text([UInt8])
    /// A tag other than a comment or an escaped text.
    case tag(TemplateTag)
}

/// A tag as it is written in the template.
struct TemplateTag: Sendable {
    enum Kind: Sendable { case variable, section, inverted, close }

    let kind: Kind
    /// The content of the tag, without surrounding white space.
    let name: String
    /// The position of the tag's first byte.
    let position: JSONPosition
}
