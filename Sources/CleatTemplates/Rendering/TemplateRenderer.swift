import CleatJSON
import CleatSettings

/// Renders the text of a template.
struct TemplateRenderer {
    /// The value of an open section.
    private struct Frame {
        var value: JSONValue
        var key: String?
        var isFirst = true
        var isLast = true
        /// The setting that the value belongs to; nil if no path names it.
        var path: SettingPath?
        /// True if paths can continue below it.
        var isInterior: Bool
    }

    private let contexts: [TemplateContext]
    private let value: (SettingPath) -> JSONValue?
    private var known: [SettingPath: JSONValue?] = [:]
    private var frames: [Frame] = []
    private var steps = 0
    /// The position of the section that was entered or repeated last.
    private var position = JSONPosition(line: 1, column: 1)
    private(set) var output: [UInt8] = []

    init(contexts: [TemplateContext], value: @escaping (SettingPath) -> JSONValue?) {
        self.contexts = contexts
        self.value = value
    }

    mutating func render(_ pieces: [TemplatePiece]) throws(TemplateProblem) {
        for piece in pieces {
            switch piece {
            case .text(let bytes):
                output += bytes
                try count()
            case .variable(let variable): try write(variable)
            case .section(let section): try render(section)
            }
        }
    }

    /// Counts one more step, and throws if there are too many, or the text is too long.
    private mutating func count() throws(TemplateProblem) {
        steps += 1
        if output.count > TemplateLimits.outputBytes {
            throw TemplateProblem(
                path: frames.last?.path, position: position,
                reason: "makes a file of more than \(TemplateLimits.outputBytes) bytes; set fewer entries")
        }
        if steps > TemplateLimits.steps {
            throw TemplateProblem(
                path: frames.last?.path, position: position,
                reason: "makes the template take more than \(TemplateLimits.steps) steps; set fewer entries")
        }
    }

    private mutating func write(_ variable: TemplateVariable) throws(TemplateProblem) {
        let (value, path, _) = look(at: variable.reference)
        if let refusal = contexts[variable.id].write(value, into: &output) {
            throw TemplateProblem(path: path, position: variable.position, reason: refusal)
        }
        try count()
    }

    private mutating func render(_ section: TemplateSection) throws(TemplateProblem) {
        position = section.position
        try count()
        switch section.condition {
        case .isFirst(let frame): if frames[frame].isFirst != section.isInverted { try render(section.pieces) }
        case .isLast(let frame): if frames[frame].isLast != section.isInverted { try render(section.pieces) }
        case .value(let reference):
            let (value, path, isInterior) = look(at: reference)
            guard let value, Self.isSomething(value) else {
                if section.isInverted { try render(section.pieces) }
                return
            }
            if section.isInverted { return }
            switch value {
            case .array(let elements):
                for (index, element) in elements.enumerated() {
                    frames.append(
                        Frame(
                            value: element, isFirst: index == 0, isLast: index == elements.count - 1, path: path,
                            isInterior: false))
                    try render(section.pieces)
                    frames.removeLast()
                    position = section.position
                    try count()
                }
            case .object(let object) where section.isMap:
                for (index, member) in object.sortedByKey().enumerated() {
                    frames.append(
                        Frame(
                            value: member.value, key: member.key, isFirst: index == 0,
                            isLast: index == object.count - 1,
                            path: isInterior ? (try? path?.appending(member.key)) ?? path : path, isInterior: isInterior
                        ))
                    try render(section.pieces)
                    frames.removeLast()
                    position = section.position
                    try count()
                }
            default:
                frames.append(Frame(value: value, path: path, isInterior: isInterior))
                try render(section.pieces)
                frames.removeLast()
            }
        }
    }

    /// Returns true if a value makes a section present: neither false, null nor empty.
    private static func isSomething(_ value: JSONValue) -> Bool {
        switch value {
        case .null: false
        case .bool(let flag): flag
        case .integer, .number: true
        case .string(let text): !text.utf8.isEmpty
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.isEmpty
        }
    }

    /// Returns a value, its setting, and true if paths can continue below it.
    private mutating func look(
        at reference: TemplateReference
    ) -> (value: JSONValue?, path: SettingPath?, isInterior: Bool) {
        switch reference {
        case .root(let path):
            if let found = known[path] { return (found, path, true) }
            let found = value(path)
            known[path] = .some(found)
            return (found, path, true)
        case .key(let frame): return (frames[frame].key.map(JSONValue.string), frames[frame].path, false)
        case .frame(let index, let names):
            let frame = frames[index]
            var value: JSONValue? = frame.value
            var path = frame.path
            for name in names {
                value = value?[name]
                if frame.isInterior { path = (try? path?.appending(name)) ?? path }
            }
            return (value, path, frame.isInterior)
        }
    }
}
