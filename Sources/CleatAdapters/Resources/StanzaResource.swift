internal import CleatAPI
internal import CleatSandbox

/// The lines of a file of ifupdown that are for one interface.
///
/// They are made comments, and made lines again; the rest of the file is not managed.
struct StanzaResource: TextResource {
    static let kind = "stanza"

    let file: String
    let interface: String

    static func resource(named name: String?) -> Resource? {
        guard let name, let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")), colon > name.startIndex else {
            return nil
        }
        let path = name[name.utf8.index(after: colon)...]
        return path.hasPrefix("/") ? .stanza(String(path), interface: String(name[..<colon])) : nil
    }

    var resource: Resource { .stanza(file, interface: interface) }
    var name: String? { "\(interface):\(file)" }
    var systemPath: String? { file }
    var description: String { "the lines of \(interface) in \(file)" }
    var reasonForNothing: String? { "there were no such lines" }

    func accepts(_ state: ResourceState) -> Bool { state == .text("") }

    func accepts(_ content: Memento.Content) -> Bool { content.plainText != nil }

    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        guard let content = try content(.capture, system) else { return .nothing }
        let text = content.text(of: interface)
        // Lines that others add later are not of the state before Cleat.
        return text.isEmpty && !content.hasComments(of: interface) ? .nothing : .text(InterfacesFile.bytes(of: text))
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let content = try content(.apply, system), !content.text(of: interface).isEmpty else {
            return .skipped("the file has no lines for it")
        }
        return try put(content.without(interface), .apply, system)
    }

    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let bytes = content.text else { throw misfit(.restore) }
        guard let present = try self.content(.restore, system) else { return .skipped("there is no such file") }
        let former = InterfacesFile.text(of: bytes)
        return try put(
            former.isEmpty ? present.without(interface) : present.restoring(interface, former), .restore, system)
    }

    func flush(on system: SystemResources) throws(ResourceError) {
        try managed(.restore, system) { files throws(SandboxError) in try files.flush(file) }
    }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        guard let content = try? content(.capture, system), !content.text(of: interface).isEmpty else { return nil }
        return missingRight(toWrite: file, on: system)
    }

    /// Compares the whole file, with the lines as comments, or restored.
    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        let look = FileLook(try system.capture(.file(file), for: planned.adapter))
        let lines = before.content.text ?? []
        guard let wanted = goal.text, let content = try content(.capture, system), wanted != lines else {
            planned = PlannedStep(planned.adapter, resource, .skipped, note: "the file has no lines for it")
            return
        }
        let text =
            wanted.isEmpty
            ? content.without(interface) : content.restoring(interface, InterfacesFile.text(of: wanted))
        planned.compareFiles(
            at: diffPath, look, .file(InterfacesFile.bytes(of: text), permissions: nil, owner: nil), isSecret: isSecret)
    }

    private func put(
        _ text: String, _ stage: ResourceError.Stage, _ system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        try managed(stage, system) { files throws(SandboxError) in
            try files.write(InterfacesFile.bytes(of: text), to: file)
        }
        return .written
    }

    /// Returns the content of the file; nil if there is none.
    private func content(
        _ stage: ResourceError.Stage, _ system: SystemResources
    ) throws(ResourceError) -> InterfacesFile? {
        do throws(SandboxError) {
            return InterfacesFile(bytes: try system.files.read(file).bytes)
        } catch {
            if error.code == .notFound { return nil }
            throw ResourceError(stage, resource, error)
        }
    }
}
