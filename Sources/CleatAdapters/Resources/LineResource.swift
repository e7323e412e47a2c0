internal import CleatAPI
internal import CleatSandbox

/// The first line of a file that begins with a word.
///
/// The rest of the file is not managed, and a missing line is not added.
struct LineResource: TextResource {
    static let kind = "line"

    let file: String
    let word: String

    static func resource(named name: String?) -> Resource? {
        // The word may contain colons, as in addresses; the path begins at the first slash.
        guard let name, let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")), slash > name.startIndex else {
            return nil
        }
        let end = name.utf8.index(before: slash)
        guard end > name.startIndex, name.utf8[end] == UInt8(ascii: ":") else { return nil }
        return .line(String(name[slash...]), word: String(name[..<end]))
    }

    var resource: Resource { .line(file, word: word) }
    var name: String? { "\(word):\(file)" }
    var systemPath: String? { file }
    var description: String { "the line “\(word)” of \(file)" }
    var reasonForNothing: String? { "there was no such line" }

    func accepts(_ content: Memento.Content) -> Bool { content.plainText != nil }

    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        try text(.capture, system).flatMap { FileLine(word, in: $0) }.map { .text($0.bytes) } ?? .nothing
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .text(let text) = state else { throw misfit(.apply) }
        return try put(Array(text.utf8), .apply, system)
    }

    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let line = content.text else { throw misfit(.restore) }
        return try put(line, .restore, system)
    }

    func flush(on system: SystemResources) throws(ResourceError) {
        try managed(.restore, system) { files throws(SandboxError) in try files.flush(file) }
    }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        lacksLine(on: system) ? nil : missingRight(toWrite: file, on: system)
    }

    /// Compares the whole file, with the line replaced.
    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        let look = FileLook(try system.capture(.file(file), for: planned.adapter))
        guard let line = goal.text, let text = look.bytes, let found = FileLine(word, in: text) else {
            planned = PlannedStep(planned.adapter, resource, .skipped, note: "the file has no such line")
            return
        }
        planned.compareFiles(
            at: diffPath, look, .file(found.replaced(by: line, in: text), permissions: nil, owner: nil),
            isSecret: isSecret)
    }

    /// Replaces the line, if there is one.
    private func put(
        _ line: [UInt8], _ stage: ResourceError.Stage, _ system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let text = try text(stage, system), let found = FileLine(word, in: text) else {
            return .skipped("the file has no such line")
        }
        try managed(stage, system) { files throws(SandboxError) in
            try files.write(found.replaced(by: line, in: text), to: file)
        }
        return .written
    }

    /// Returns the content of the file; nil if there is none.
    private func text(_ stage: ResourceError.Stage, _ system: SystemResources) throws(ResourceError) -> [UInt8]? {
        do throws(SandboxError) {
            return try system.files.read(file).bytes
        } catch {
            if error.code == .notFound { return nil }
            throw ResourceError(stage, resource, error)
        }
    }

    /// Returns true if the file has no such line; none is written then.
    private func lacksLine(on system: SystemResources) -> Bool {
        do throws(SandboxError) {
            return FileLine(word, in: try system.files.read(file).bytes) == nil
        } catch {
            return error.code == .notFound
        }
    }
}

/// The first line of a file that begins with a word.
struct FileLine {
    /// The position of the line, without its line feed.
    let range: Range<Int>
    /// The line, without its line feed.
    let bytes: [UInt8]

    /// Finds the line; nil if there is none.
    init?(_ word: String, in text: [UInt8]) {
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            let line = text[start..<end]
            let first = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                .prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "\r") }
            if first.elementsEqual(word.utf8) {
                range = start..<end
                bytes = Array(line)
                return
            }
            start = end + 1
        }
        return nil
    }

    /// Returns the file's content with another line in place of this one.
    func replaced(by line: [UInt8], in text: [UInt8]) -> [UInt8] {
        Array(text[..<range.lowerBound]) + line + text[range.upperBound...]
    }
}
