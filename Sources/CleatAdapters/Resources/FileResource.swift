internal import CleatAPI
internal import CleatIO
internal import CleatSandbox

/// A file by its path; a link at the end of the path is followed, and kept.
struct FileResource: ResourceKind {
    static let kind = "file"

    let path: String

    static func resource(named name: String?) -> Resource? {
        name.flatMap { $0.utf8.first == UInt8(ascii: "/") ? .file($0) : nil }
    }

    var resource: Resource { .file(path) }
    var name: String? { path }
    var systemPath: String? { path }
    var description: String { path }
    var isWholeFile: Bool { true }
    var isFileName: Bool { true }

    func accepts(_ state: ResourceState) -> Bool {
        switch state {
        case .file, .absent: true
        default: false
        }
    }

    func accepts(_ content: Memento.Content) -> Bool {
        if case .file(let file) = content { file.path == path } else { false }
    }

    func differs(_ content: Memento.Content, from state: ResourceState) -> Bool? {
        switch (state, content) {
        case (.file(let wanted), .file(let file)): file.bytes != wanted.bytes
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
        case .file(let file):
            let form = step.resets ? FileForm(of: origin, or: .newFile) : nil
            try managed(.apply, system) { files throws(SandboxError) in
                try files.write(
                    file.bytes, to: path, owner: file.owner ?? form?.owner,
                    permissions: file.permissions ?? form?.permissions)
            }
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
        guard let file = try read(on: system) else { return SystemResources.absentBytes }
        return Array("file \(file.owner.user) \(file.owner.group) \(file.permissions)\n".utf8) + file.bytes
    }

    func holds(_ state: ResourceState, on system: SystemResources) throws(ResourceError) -> Bool {
        switch state {
        case .file(let wanted):
            guard let file = try read(on: system) else { return false }
            return file.bytes == wanted.bytes && (wanted.permissions.map { $0 == file.permissions } ?? true)
                && (wanted.owner.map { $0 == file.owner } ?? true)
        case .absent: return try system.kind(at: path) == nil
        default: return false
        }
    }

    func content(on system: SystemResources) throws(ResourceError) -> [UInt8]? { try read(on: system)?.bytes }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        missingRight(toWrite: path, on: system)
    }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        planned.compareFiles(at: diffPath, FileLook(before), goal.look(system.contents), isSecret: isSecret)
        if planned.action != .unchanged, let target = system.files.target(of: path) {
            planned.add("symbolic link; its target \(target) is written")
        }
    }

    /// Reads the file; nil if there is none.
    private func read(on system: SystemResources) throws(ResourceError) -> ManagedFileContent? {
        do throws(SandboxError) {
            return try system.files.read(path)
        } catch {
            guard error.code == .notFound else { throw ResourceError(.inspect, resource, error) }
            return nil
        }
    }
}

/// The owner and the permissions of a file.
struct FileForm: Hashable {
    let owner: FileOwner
    let permissions: UInt16

    /// The form of a file that the service creates.
    static var newFile: FileForm { FileForm(permissions: 0o644) }
    /// The form of a document that the service creates.
    static var newDocument: FileForm { FileForm(permissions: 0o640) }

    private init(permissions: UInt16) {
        owner = FileOwner(user: ProcessSelf.uid, group: ProcessSelf.gid)
        self.permissions = permissions
    }

    /// Creates the form of a captured file, or another one if there was no file, or it is not known.
    init(of origin: Memento?, or other: FileForm) {
        guard let rights = origin?.rights, let permissions = rights.permissions else {
            self = other
            return
        }
        (owner, self.permissions) = (rights.owner, permissions)
    }
}
