import CleatJSON
import CleatSettings

/// A part of a compiled template.
indirect enum TemplatePiece: Sendable {
    /// Text that stands as it is.
    case text([UInt8])
    /// The value of a setting, or of a part of one.
    case variable(TemplateVariable)
    /// What is there once, once for each element, or not at all.
    case section(TemplateSection)
}

/// A tag that stands for a value.
struct TemplateVariable: Sendable {
    /// Its number among the template's variables.
    let id: Int
    let reference: TemplateReference
    let position: JSONPosition
}

/// A part of a template that depends on a value.
struct TemplateSection: Sendable {
    /// What the section looks at.
    enum Condition: Sendable {
        case value(TemplateReference)
        /// Whether the loop around, counted from the outermost section, is in its first turn.
        case isFirst(frame: Int)
        /// Whether it is in its last turn.
        case isLast(frame: Int)
    }

    let condition: Condition
    /// Whether it is there where the value is not.
    let isInverted: Bool
    /// Whether it is there once for each member of an object.
    let isMap: Bool
    let position: JSONPosition
    var pieces: [TemplatePiece]

    /// Whether what stands in it may name parts of the value.
    var opensFrame: Bool {
        if case .value = condition { !isInverted } else { false }
    }
}

/// What a tag means, found out when the template is compiled.
enum TemplateReference: Sendable, Hashable {
    /// A path from the top of the tree of settings.
    case root(SettingPath)
    /// Names below the value that a section stands for; the sections around are counted from the outermost.
    case frame(Int, [String])
    /// The key of a map's entry.
    case key(frame: Int)
}
