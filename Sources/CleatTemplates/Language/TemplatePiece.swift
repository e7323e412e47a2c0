import CleatJSON
import CleatSettings

/// A part of a compiled template.
indirect enum TemplatePiece: Sendable {
    /// Literal text.
    case text([UInt8])
    /// The value of a setting, or of a part of one.
    case variable(TemplateVariable)
    /// A section: present once, once for each element, or not at all.
    case section(TemplateSection)
}

/// A tag for a value.
struct TemplateVariable: Sendable {
    /// Its number among the template's variables.
    let id: Int
    let reference: TemplateReference
    let position: JSONPosition
}

/// A part of a template whose presence depends on a value.
struct TemplateSection: Sendable {
    /// The condition of a section.
    enum Condition: Sendable {
        case value(TemplateReference)
        /// True in the first turn of the enclosing loop, counted from the outermost section.
        case isFirst(frame: Int)
        /// True in the last turn of that loop.
        case isLast(frame: Int)
    }

    let condition: Condition
    /// True if the section is present when its condition is false.
    let isInverted: Bool
    /// True if the section is repeated for each member of an object.
    let isMap: Bool
    let position: JSONPosition
    var pieces: [TemplatePiece]

    /// True if the content of the section may name parts of the value.
    var opensFrame: Bool {
        if case .value = condition { !isInverted } else { false }
    }
}

/// The meaning of a tag, resolved when the template is compiled.
enum TemplateReference: Sendable, Hashable {
    /// A path from the root of the tree of settings.
    case root(SettingPath)
    /// Names below the value of an enclosing section, by its index from the outermost.
    case frame(Int, [String])
    /// The key of a map's entry in an enclosing section.
    case key(frame: Int)
}
