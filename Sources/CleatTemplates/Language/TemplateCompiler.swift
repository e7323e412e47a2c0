import CleatJSON
import CleatSettings

/// Compiles the tags of a template into its pieces, and resolves the name of each tag.
struct TemplateCompiler {
    /// A section that is not closed yet.
    private struct Open {
        var tag: TemplateTag
        var section: TemplateSection
        /// The value that the section opens a frame for; nil if it opens none.
        var shape: TemplateShape?
    }

    private let schema: Schema
    private let escape: TemplateEscape
    private var open: [Open] = []
    private var top: [TemplatePiece] = []
    private(set) var problems: [TemplateError]
    private(set) var variables = 0
    /// The settings and groups that the template names from the root of the tree.
    private(set) var dependencies: Set<SettingPath> = []
    private(set) var holdsSecrets = false

    /// The settings and groups that were found outside of sections, by the bytes of the names of their tags.
    private var found: [[UInt8]: (TemplateReference, TemplateShape?)] = [:]
    /// The values of the open sections, the outermost first.
    private var frames: [TemplateShape] = []
    /// True for each frame that may be repeated.
    private var loops: [Bool] = []

    init(schema: Schema, escape: TemplateEscape, problems: [TemplateError]) {
        self.schema = schema
        self.escape = escape
        self.problems = problems
    }

    /// Compiles all tokens; errors are added to `problems`.
    mutating func compile(_ tokens: [TemplateToken]) -> [TemplatePiece] {
        for token in tokens where problems.count < TemplateLimits.problems {
            switch token {
            case .text(let bytes): append(.text(bytes))
            case .tag(let tag):
                switch tag.kind {
                case .variable: takeVariable(tag)
                case .section, .inverted: takeSection(tag)
                case .close: takeClose(tag)
                }
            }
        }
        for open in open {
            refuse(
                open.tag,
                "the section “\(Self.shown(open.tag.name))” is not closed; add {{/\(Self.shown(open.tag.name))}}")
        }
        return top
    }

    private mutating func append(_ piece: TemplatePiece) {
        if open.isEmpty { top.append(piece) } else { open[open.count - 1].section.pieces.append(piece) }
    }

    private mutating func refuse(_ tag: TemplateTag, _ message: String) {
        problems.append(TemplateError(tag.position, message))
    }

    // MARK: Tags

    private mutating func takeVariable(_ tag: TemplateTag) {
        guard let (reference, shape) = resolve(tag) else { return }
        if let shape {
            let types = shape.types
            let isList = !types.isEmpty && types.isSubset(of: [.array, .object, .null])
            if isList, escape != .json {
                refuse(
                    tag,
                    "“\(Self.shown(tag.name))” is \(types.contains(.array) ? "a list" : "a group"); "
                        + "write a section {{#\(Self.shown(tag.name))}}…{{/\(Self.shown(tag.name))}}, or a longer path")
                return
            }
            if shape.holdsSecrets { holdsSecrets = true }
        }
        append(.variable(TemplateVariable(id: variables, reference: reference, position: tag.position)))
        variables += 1
    }

    private mutating func takeSection(_ tag: TemplateTag) {
        let isInverted = tag.kind == .inverted
        var section = TemplateSection(
            condition: .isFirst(frame: 0), isInverted: isInverted, isMap: false, position: tag.position, pieces: [])
        var shape: TemplateShape?
        if open.count >= TemplateLimits.depth {
            refuse(tag, "sections are nested more than \(TemplateLimits.depth) deep; nest them less")
        }
        if tag.name == "@first" || tag.name == "@last" {
            if let frame = loops.lastIndex(of: true) {
                section = TemplateSection(
                    condition: tag.name == "@first" ? .isFirst(frame: frame) : .isLast(frame: frame),
                    isInverted: isInverted, isMap: false, position: tag.position, pieces: [])
            } else {
                refuse(tag, "“\(tag.name)” is in no section of a list or a map; move it into one")
            }
        } else if let (reference, found) = resolve(tag) {
            section = TemplateSection(
                condition: .value(reference), isInverted: isInverted, isMap: found?.isMap ?? false,
                position: tag.position, pieces: [])
            if !isInverted { shape = found ?? .unknown }
        } else if !isInverted {
            // The content of the section is still checked.
            shape = .unknown
        }
        if let shape {
            frames.append(shape.inside)
            loops.append(shape.isLoop)
        }
        open.append(Open(tag: tag, section: section, shape: shape))
    }

    private mutating func takeClose(_ tag: TemplateTag) {
        guard let last = open.last else {
            return refuse(tag, "no section is open here; remove {{/\(Self.shown(tag.name))}}")
        }
        guard last.tag.name.utf8.elementsEqual(tag.name.utf8) else {
            return refuse(
                tag,
                "the section that is open here, since \(last.tag.position), is “\(Self.shown(last.tag.name))”; "
                    + "write {{/\(Self.shown(last.tag.name))}}")
        }
        open.removeLast()
        if last.shape != nil {
            frames.removeLast()
            loops.removeLast()
        }
        append(.section(last.section))
    }

    // MARK: Names

    /// Resolves a name: a part of the value of an enclosing section, the innermost first, else a setting.
    private mutating func resolve(_ tag: TemplateTag) -> (TemplateReference, TemplateShape?)? {
        let name = tag.name
        if frames.isEmpty, let known = found[Array(name.utf8)] { return known }
        if name == "." {
            guard let shape = frames.last else {
                refuse(tag, "“.” is in no section; write the path of a setting")
                return nil
            }
            return (.frame(frames.count - 1, []), shape)
        }
        if name == "@key" {
            guard let frame = loops.lastIndex(of: true) else {
                refuse(tag, "“@key” is in no section of a map; move it into one")
                return nil
            }
            return (.key(frame: frame), nil)
        }
        var text = name
        let isRooted = name.hasPrefix("@root/")
        if isRooted { text = String(name.utf8.dropFirst("@root/".utf8.count)) ?? "" }
        let path: SettingPath
        do {
            path = try SettingPath(text)
        } catch {
            refuse(tag, "the tag does not hold a valid path of a setting: \(error)")
            return nil
        }
        if !isRooted, !frames.isEmpty {
            let segments = path.segments
            for (index, frame) in frames.enumerated().reversed() {
                guard let shape = frame.below(segments) else { continue }
                return (.frame(index, segments), shape)
            }
        }
        guard let node = schema.lookup(path) else {
            let inside = frames.isEmpty ? "" : ", neither in a section around nor at the top"
            let similar = schema.suggestion(for: path).map { "; did you mean “\($0)”?" } ?? ""
            refuse(tag, "no setting is called “\(Self.shown(name))”\(inside)\(similar)")
            return nil
        }
        dependencies.insert(path)
        if frames.isEmpty { found[Array(name.utf8)] = (.root(path), .node(node)) }
        return (.root(path), .node(node))
    }

    private static func shown(_ name: String) -> String {
        let printable = name.unicodeScalars.prefix(64).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }
        return printable.joined() + (name.unicodeScalars.count > 64 ? "…" : "")
    }
}
