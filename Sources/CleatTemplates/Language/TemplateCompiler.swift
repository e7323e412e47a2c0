import CleatJSON
import CleatSettings

/// Compiles the tags of a template into steps, and resolves the name of each tag.
struct TemplateCompiler {
    /// A section that is not closed yet.
    private struct Open {
        let tag: TemplateTag
        /// The index of its first step.
        let start: Int
        /// True if its content may name parts of its value.
        let hasFrame: Bool
    }

    /// A resolved name.
    private struct Reference {
        let subject: TemplateStep.Subject
        var frame = 0
        var index = 0
        /// The type of the value; nil for the key of an entry.
        let shape: TemplateShape?
    }

    private let schema: Schema
    private let escape: TemplateEscape
    private var lexer: TemplateLexer
    private var program = TemplateProgram()
    private var open: [Open] = []
    private(set) var problems: [TemplateError] = []
    private(set) var holdsSecrets = false

    /// The settings that were written outside of sections, by their tags: the indices of their paths.
    private var written: [TemplateTag.Name: UInt16] = [:]
    /// The index of each path in the program.
    private var indices: [SettingPath: Int] = [:]
    /// The index of the names of each tag for a part of an enclosing section's value.
    private var parts: [TemplateTag.Name: Int] = [:]
    /// The values of the open sections, the outermost first.
    private var frames: [TemplateShape] = []
    /// True for each frame that may be repeated.
    private var loops: [Bool] = []

    init(_ text: [UInt8], schema: Schema, escape: TemplateEscape) {
        self.schema = schema
        self.escape = escape
        lexer = TemplateLexer(text)
    }

    /// Compiles the whole text; errors are added to `problems`.
    mutating func compile() -> TemplateProgram {
        while problems.count < TemplateLimits.problems, let tag = lexer.next() {
            switch tag.kind {
            case .variable: takeVariable(tag)
            case .section, .inverted: takeSection(tag)
            case .close: takeClose(tag)
            }
        }
        problems = lexer.problems + problems
        for open in open {
            refuse(
                open.tag,
                "the section “\(open.tag.name.shown)” is not closed; add {{/\(open.tag.name.shown)}}")
        }
        program.text = Self.exactly(lexer.text)
        var end = TemplateStep(.end, at: JSONPosition(line: 1, column: 1))
        end.textEnd = UInt32(program.text.count)
        program.steps = Self.exactly(program.steps + [end])
        return program
    }

    /// Returns a copy without spare capacity: templates are kept as long as the service runs.
    private static func exactly<Element>(_ elements: [Element]) -> [Element] {
        var copy: [Element] = []
        copy.reserveCapacity(elements.count)
        copy += elements
        return copy
    }

    /// Adds a step behind the text that was read so far.
    private mutating func append(
        _ kind: TemplateStep.Kind, _ tag: TemplateTag, _ reference: Reference?
    ) {
        var step = TemplateStep(kind, at: tag.position)
        step.textEnd = UInt32(tag.textEnd)
        if let reference {
            step.subject = reference.subject
            step.frame = UInt8(reference.frame)
            step.index = UInt16(reference.index)
        }
        program.steps.append(step)
    }

    private mutating func refuse(_ tag: TemplateTag, _ message: String) {
        problems.append(TemplateError(tag.position, message))
    }

    // MARK: Tags

    private mutating func takeVariable(_ tag: TemplateTag) {
        if frames.isEmpty, let index = written[tag.name] {
            append(.variable, tag, Reference(subject: .path, index: Int(index), shape: nil))
            return
        }
        guard let reference = resolve(tag) else { return }
        if let shape = reference.shape {
            let types = shape.types
            if types.areContainers, escape != .json {
                let name = tag.name.shown
                refuse(
                    tag,
                    "“\(name)” is \(types.contains(.array) ? "a list" : "a group"); "
                        + "write a section {{#\(name)}}…{{/\(name)}}, or a longer path")
                return
            }
            if !holdsSecrets, shape.holdsSecrets { holdsSecrets = true }
        }
        if frames.isEmpty, reference.subject == .path { written[tag.name] = UInt16(reference.index) }
        append(.variable, tag, reference)
    }

    private mutating func takeSection(_ tag: TemplateTag) {
        var reference: Reference?
        // The content of a section with an invalid name is still checked.
        var shape: TemplateShape? = .unknown
        if open.count >= TemplateLimits.depth {
            refuse(tag, "sections are nested more than \(TemplateLimits.depth) deep; nest them less")
        }
        if tag.name == "@first" || tag.name == "@last" {
            shape = nil
            if let frame = loops.lastIndex(of: true) {
                reference = Reference(
                    subject: tag.name == "@first" ? .isFirst : .isLast, frame: frame, shape: nil)
            } else {
                refuse(tag, "“\(tag.name.shown)” is in no section of a list or a map; move it into one")
            }
        } else if let found = resolve(tag) {
            reference = found
            shape = found.shape ?? .unknown
        }
        if tag.kind == .inverted { shape = nil }
        open.append(Open(tag: tag, start: program.steps.count, hasFrame: shape != nil))
        let isMap = reference?.shape?.isMap ?? false
        append(tag.kind == .inverted ? .inverted : isMap ? .mapSection : .section, tag, reference)
        if let shape {
            frames.append(shape.inside)
            loops.append(shape.isLoop)
        }
    }

    private mutating func takeClose(_ tag: TemplateTag) {
        guard let last = open.last else {
            return refuse(tag, "no section is open here; remove {{/\(tag.name.shown)}}")
        }
        guard last.tag.name == tag.name else {
            return refuse(
                tag,
                "the section that is open here, since \(last.tag.position), is “\(last.tag.name.shown)”; "
                    + "write {{/\(last.tag.name.shown)}}")
        }
        open.removeLast()
        if last.hasFrame {
            frames.removeLast()
            loops.removeLast()
        }
        program.steps[last.start].end = UInt16(program.steps.count)
        append(.end, tag, nil)
    }

    // MARK: Names

    /// Resolves a name: a part of the value of an enclosing section, the innermost first, else a setting.
    private mutating func resolve(_ tag: TemplateTag) -> Reference? {
        if tag.name == "." {
            guard let shape = frames.last else {
                refuse(tag, "“.” is in no section; write the path of a setting")
                return nil
            }
            return Reference(subject: .part, frame: frames.count - 1, shape: shape)
        }
        if tag.name == "@key" {
            guard let frame = loops.lastIndex(of: true) else {
                refuse(tag, "“@key” is in no section of a map; move it into one")
                return nil
            }
            return Reference(subject: .key, frame: frame, shape: nil)
        }
        let root = tag.name.withoutPrefix("@root/")
        let path: SettingPath
        do {
            path = try SettingPath((root ?? tag.name).text)
        } catch {
            refuse(tag, "the tag does not hold a valid path of a setting: \(error)")
            return nil
        }
        if root == nil, !frames.isEmpty {
            let segments = path.segments
            for (index, frame) in frames.enumerated().reversed() {
                guard let shape = frame.below(segments) else { continue }
                let names = parts[tag.name] ?? program.names.count
                if names == program.names.count {
                    parts[tag.name] = names
                    program.names.append(segments)
                }
                return Reference(subject: .part, frame: index, index: names, shape: shape)
            }
        }
        guard let node = schema.lookup(path) else {
            let inside = frames.isEmpty ? "" : ", neither in a section around nor at the top"
            let similar = schema.suggestion(for: path).map { "; did you mean “\($0)”?" } ?? ""
            refuse(tag, "no setting is called “\(tag.name.shown)”\(inside)\(similar)")
            return nil
        }
        let index = indices[path] ?? program.paths.count
        if index == program.paths.count {
            indices[path] = index
            program.paths.append(path)
        }
        return Reference(subject: .path, index: index, shape: .node(node))
    }
}
