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

    private let program: TemplateProgram
    private let value: (SettingPath) -> JSONValue?
    /// The values that were looked up, by the indices of their paths.
    private var known: [JSONValue??]
    private var frames: [Frame] = []
    private var steps = 0
    /// The position of the section that was entered or repeated last.
    private var position = JSONPosition(line: 1, column: 1)
    private(set) var output: [UInt8] = []

    init(_ program: TemplateProgram, value: @escaping (SettingPath) -> JSONValue?) {
        self.program = program
        self.value = value
        known = Array(repeating: nil, count: program.paths.count)
    }

    /// Renders the whole template.
    mutating func render() throws(TemplateProblem) {
        output.reserveCapacity(program.text.count)
        try render(from: 0)
    }

    /// Renders the steps from one up to the end of the section that it is in.
    private mutating func render(from start: Int) throws(TemplateProblem) {
        var index = start
        while true {
            output += program.text(before: index)
            try count()
            let step = program.steps[index]
            switch step.kind {
            case .end: return
            case .variable: try write(step)
            case .section, .mapSection, .inverted:
                try render(step, at: index)
                index = Int(step.end)
            }
            index += 1
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

    private mutating func write(_ step: TemplateStep) throws(TemplateProblem) {
        let (value, path, _) = look(at: step)
        if let refusal = step.context.write(value, into: &output) {
            throw TemplateProblem(path: path, position: step.position, reason: refusal)
        }
    }

    /// Renders the section whose start is at an index.
    private mutating func render(_ step: TemplateStep, at index: Int) throws(TemplateProblem) {
        position = step.position
        guard step.subject != .isFirst, step.subject != .isLast else {
            let frame = frames[Int(step.frame)]
            let isTrue = step.subject == .isFirst ? frame.isFirst : frame.isLast
            if isTrue == (step.kind != .inverted) { try render(from: index + 1) }
            return
        }
        let (value, path, isInterior) = look(at: step)
        guard let value, Self.isSomething(value) else {
            if step.kind == .inverted { try render(from: index + 1) }
            return
        }
        if step.kind == .inverted { return }
        switch value {
        case .array(let elements):
            for (turn, element) in elements.enumerated() {
                try enter(
                    Frame(
                        value: element, isFirst: turn == 0, isLast: turn == elements.count - 1, path: path,
                        isInterior: false), index)
                position = step.position
            }
        case .object(let object) where step.kind == .mapSection:
            for (turn, member) in object.sortedByKey().enumerated() {
                try enter(
                    Frame(
                        value: member.value, key: member.key, isFirst: turn == 0, isLast: turn == object.count - 1,
                        path: isInterior ? (try? path?.appending(member.key)) ?? path : path, isInterior: isInterior),
                    index)
                position = step.position
            }
        default: try enter(Frame(value: value, path: path, isInterior: isInterior), index)
        }
    }

    /// Renders the content of the section at an index once.
    private mutating func enter(_ frame: Frame, _ index: Int) throws(TemplateProblem) {
        frames.append(frame)
        try render(from: index + 1)
        frames.removeLast()
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
    private mutating func look(at step: TemplateStep) -> (value: JSONValue?, path: SettingPath?, isInterior: Bool) {
        let index = Int(step.index)
        if step.subject == .path {
            let path = program.paths[index]
            if let found = known[index] { return (found, path, true) }
            let found = value(path)
            known[index] = .some(found)
            return (found, path, true)
        }
        let frame = frames[Int(step.frame)]
        if step.subject == .key { return (frame.key.map(JSONValue.string), frame.path, false) }
        var value: JSONValue? = frame.value
        var path = frame.path
        for name in program.names[index] {
            value = value?[name]
            if frame.isInterior { path = (try? path?.appending(name)) ?? path }
        }
        return (value, path, frame.isInterior)
    }
}
