import CleatJSON
import CleatSettings

/// A compiled template: its own text, and the steps that put values into it.
///
/// All text is in one array and all steps are in another one, in their order in the template, so that a template takes
/// little more memory than its text.
struct TemplateProgram: Sendable {
    /// The template's own text, without its tags.
    var text: [UInt8] = []
    /// The steps; the last one is the end.
    var steps: [TemplateStep] = []
    /// The settings and groups that tags name from the root of the tree, each once.
    var paths: [SettingPath] = []
    /// The names below the value of an enclosing section, each list once; the first one is empty, for the
    /// value itself.
    var names: [[String]] = [[]]

    /// Returns the text between a step and the one before it.
    func text(before index: Int) -> ArraySlice<UInt8> {
        text[(index > 0 ? Int(steps[index - 1].textEnd) : 0)..<Int(steps[index].textEnd)]
    }
}

/// One step of a compiled template.
///
/// The steps of a section's content follow it, up to its end.
struct TemplateStep: Sendable {
    /// The effect of a step.
    enum Kind: UInt8 {
        /// Writes a value.
        case variable
        /// Begins a section that is present if its subject is true or has a value.
        case section
        /// Begins such a section that is repeated for each member of an object.
        case mapSection
        /// Begins a section that is present if its subject is false or has no value.
        case inverted
        /// Ends a section, or the template.
        case end
    }

    /// The meaning of a tag, resolved when the template is compiled.
    enum Subject: UInt8 {
        /// The setting or group at `index` in the template's paths.
        case path
        /// The part of the value of an enclosing section that the names at `index` lead to.
        case part
        /// The key of a map's entry in an enclosing section.
        case key
        /// True in the first turn of an enclosing loop.
        case isFirst
        /// True in the last turn of that loop.
        case isLast
    }

    let kind: Kind
    var subject = Subject.path
    /// The enclosing section that the subject belongs to, counted from the outermost one.
    var frame: UInt8 = 0
    /// The context of the value; set once all steps are known.
    var context = TemplateContext.word
    /// The index of the subject's path or names; there are at most as many as tags.
    var index: UInt16 = 0
    /// For the start of a section, the index of its end.
    var end: UInt16 = 0
    /// The end of the text before this step.
    var textEnd: UInt32 = 0
    private var line: UInt32
    private var column: UInt32

    init(_ kind: Kind, at position: JSONPosition) {
        self.kind = kind
        // A template has at most TemplateLimits.templateBytes bytes.
        (line, column) = (UInt32(position.line), UInt32(position.column))
    }

    /// The position of the tag in the template, from 1.
    var position: JSONPosition { JSONPosition(line: Int(line), column: Int(column)) }
}
