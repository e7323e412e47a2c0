internal import CleatAPI
internal import CleatSandbox

/// The path of a symbolic link; a link there is not followed, but captured and replaced.
struct LinkResource: ResourceKind {
    static let kind = "link"

    let path: String

    static func resource(named name: String?) -> Resource? {
        name.flatMap { $0.utf8.first == UInt8(ascii: "/") ? .link($0) : nil }
    }

    var resource: Resource { .link(path) }
    var name: String? { path }
    var systemPath: String? { path }
    var description: String { path }
    var isFileName: Bool { true }

    func accepts(_ state: ResourceState) -> Bool {
        switch state {
        case .link, .absent: true
        default: false
        }
    }

    func accepts(_ content: Memento.Content) -> Bool { FileResource(path: path).accepts(content) }

    func differs(_ content: Memento.Content, from state: ResourceState) -> Bool? {
        switch (state, content) {
        case (.link(let wanted), .file(let file)): file.linkTarget != wanted
        case (.absent, .file(let file)): !file.isAbsence
        default: nil
        }
    }

    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        .file(try managed(.capture, system) { files throws(SandboxError) in try files.capture(path) })
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        switch state {
        case .link(let target):
            try managed(.apply, system) { files throws(SandboxError) in try files.link(path, to: target) }
        case .absent: try managed(.apply, system) { files throws(SandboxError) in try files.remove(path) }
        default: throw misfit(.apply)
        }
        return .written
    }

    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .file(let file) = content else { throw misfit(.restore) }
        try managed(.restore, system) { files throws(SandboxError) in try files.restore(file) }
        return .written
    }

    func flush(on system: SystemResources) throws(ResourceError) {
        try managed(.restore, system) { files throws(SandboxError) in try files.flush(path) }
    }

    func fingerprinted(on system: SystemResources) throws(ResourceError) -> [UInt8]? {
        if let target = try target(on: system) { return Array("link\n\(target)".utf8) }
        return try system.kind(at: path).map { Array("no link but \($0)\n".utf8) } ?? SystemResources.absentBytes
    }

    func holds(_ state: ResourceState, on system: SystemResources) throws(ResourceError) -> Bool {
        switch state {
        case .link(let wanted): try target(on: system) == wanted
        case .absent: try system.kind(at: path) == nil
        default: false
        }
    }

    func content(on system: SystemResources) throws(ResourceError) -> [UInt8]? {
        try target(on: system).map { Array($0.utf8) }
    }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        missingRight(toWrite: path, on: system)
    }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        planned.compareFiles(at: diffPath, FileLook(before), goal.look(system.contents), isSecret: isSecret)
    }

    private func target(on system: SystemResources) throws(ResourceError) -> String? {
        try managed(.inspect, system) { files throws(SandboxError) in try files.linkTarget(path) }
    }
}
