import CleatJSON

/// A part of a template's text.
enum TemplateToken: Sendable {
    /// Text, with escapes of tags resolved.
    case text([UInt8])
    /// A tag that is no comment and no text.
    case tag(TemplateTag)
}

/// A tag as it is written.
struct TemplateTag: Sendable {
    enum Kind: Sendable { case variable, section, inverted, close }

    let kind: Kind
    /// What stands in it, without blanks around.
    let name: String
    /// Where it begins.
    let position: JSONPosition
}
