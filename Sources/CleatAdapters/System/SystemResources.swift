package import CleatSandbox
package import SystemPackage

/// Captures, applies, brings back and looks at the resources of a system: the running one, or the one below a root
/// directory.
///
/// Below a root directory nothing speaks to the kernel: its values are skipped. Every call blocks; it belongs on the
/// worker.
package struct SystemResources: Sendable {
    /// Says what came of applying or bringing back one resource.
    package enum Outcome: Hashable, Sendable {
        /// It was written.
        case written
        /// It was left as it is, and why.
        case skipped(String)
    }

    /// Whether it is the running system, whose kernel is spoken to.
    package let isRunning: Bool
    private(set) var files: ManagedFiles
    let kernel: any KernelCalls
    /// The area `documents`; nil where it could not be opened.
    let documents: SandboxedDirectory?
    /// What documents shall hold, by its SHA-256 in hexadecimal digits.
    private(set) var contents: DocumentContents = [:]

    /// Opens a system.
    ///
    /// - Parameters:
    ///   - root: the directory that stands for `/`; nil for the running system.
    ///   - isRunning: whether the kernel and services are spoken to; nil where a root says that they are not.
    ///   - declarations: the files and links that may be written.
    ///   - documents: the area `documents`; nil where it could not be opened.
    ///   - fileCalls: the system calls for files, which a test can make fail.
    ///   - kernelCalls: the system calls for values of the kernel, which a test can make fail.
    /// - Throws: why the root could not be opened.
    package init(
        root: FilePath?, isRunning: Bool? = nil, declarations: [ManagedFileDeclaration] = [],
        documents: SandboxedDirectory? = nil, fileCalls: any ManagedFileCalls = SystemFileCalls(),
        kernelCalls: any KernelCalls = SystemKernelCalls()
    ) throws(ResourceError) {
        self.isRunning = isRunning ?? (root == nil)
        kernel = kernelCalls
        self.documents = documents
        do throws(SandboxError) {
            files = try ManagedFiles(root: root ?? FilePath("/"), declarations: declarations, calls: fileCalls)
        } catch {
            throw ResourceError(.look, nil, error)
        }
    }

    private init(
        isRunning: Bool, files: ManagedFiles, kernel: any KernelCalls, documents: SandboxedDirectory?
    ) {
        self.isRunning = isRunning
        self.files = files
        self.kernel = kernel
        self.documents = documents
    }

    /// Gives the same system with more files that may be written.
    package func declaring(_ declarations: [ManagedFileDeclaration]) -> SystemResources {
        SystemResources(
            isRunning: isRunning, files: files.declaring(declarations), kernel: kernel, documents: documents)
    }

    /// Gives the same system in which files may be brought back that were written before, and that nothing declares any
    /// more.
    ///
    /// - Parameter resources: what was written; what is no file or link, or cannot be declared, is left out.
    /// - Returns: the system.
    package func keeping(_ resources: [Resource]) -> SystemResources {
        declaring(
            resources.compactMap { resource in
                let (path, isLink): (String, Bool)
                switch resource {
                case .file(let file), .line(let file, _): (path, isLink) = (file, false)
                case .link(let link): (path, isLink) = (link, true)
                default: return nil
                }
                guard !files.declares(path), let declared = try? ManagedFileDeclaration(path, isLink: isLink),
                    declared.isPlain
                else { return nil }
                return declared
            })
    }

    /// Gives the same system with what documents shall hold that are to be written.
    package func providing(_ contents: DocumentContents) -> SystemResources {
        if contents.isEmpty { return self }
        var system = self
        system.contents = contents
        return system
    }

    /// Gives the same system, whose files are flushed together: these, which are written next, and in this order.
    ///
    /// Nothing is durable before ``AdapterSet/settle(_:of:on:)`` has said so.
    func batching(_ writes: [ManagedFileWrite]) -> SystemResources {
        var system = self
        system.files = files.batching(ManagedFileBatch(writes))
        return system
    }

    /// Says what a path of the system stands for, links followed; nil where nothing is there.
    package func kind(at path: String) throws(ResourceError) -> FileKind? {
        do throws(SandboxError) {
            return try files.kind(at: path)
        } catch {
            throw ResourceError(.look, .file(path), error)
        }
    }

    /// Takes away the temporary files that cut-off writes have left beside the declared ones.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func sweep() throws(ResourceError) -> Int {
        do throws(SandboxError) {
            return try files.sweep()
        } catch {
            throw ResourceError(.look, .file(error.path), error)
        }
    }

    /// Captures what a resource is.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - adapter: the name of the adapter that it is captured for.
    /// - Returns: a memento; of nothing where the resource is not there under this root directory, or an interface that is
    ///   not plugged in.
    /// - Throws: why it could not be read whole: then it could not be brought back, and must not be changed.
    package func capture(_ resource: Resource, for adapter: String) throws(ResourceError) -> Memento {
        let content = try memento(of: resource)
        return Memento(
            adapter: adapter, resource: resource, content: content,
            parameters: try triggerParameters(of: resource, content))
    }

    /// Captures what the resource of a step is; of a value that has gone with its device, and is let go, that it is nothing.
    func capture(_ step: SystemChange.Step, for adapter: String) throws(ResourceError) -> Memento {
        if step.bringsOriginBack, isGone(step.resource) {
            return Memento(adapter: adapter, resource: step.resource, content: .nothing)
        }
        return try capture(step.resource, for: adapter)
    }

    private func memento(of resource: Resource) throws(ResourceError) -> Memento.Content {
        guard isRunning || !resource.isKernels else { return .nothing }
        switch resource {
        case .file(let path), .link(let path):
            return .file(
                try managed(.capture, resource) { files throws(SandboxError) in try files.capture(path) })
        case .line(let path, let word):
            let text = try managed(.capture, resource) { files throws(SandboxError) in try files.text(path) }
            return text.flatMap { FileLine(word, in: $0) }.map { .bytes($0.bytes) } ?? .nothing
        case .attribute(let path): return try capture(attribute: path)
        case .interface(let name): return try capture(interface: name).map { .bytes($0.encoded) } ?? .nothing
        case .document(let path): return .bytes(try look(atDocument: path, .capture).encoded)
        case .hostName: return .bytes(try asked(.capture, resource) { () throws(Errno) in try kernel.hostName() })
        }
    }

    /// Makes a resource what it shall be.
    ///
    /// - Parameters:
    ///   - state: what it shall be.
    ///   - resource: the resource.
    ///   - former: what it was to be before.
    ///   - origin: what it was before Cleat touched it: what the state does not say any more comes back from there.
    ///   - resets: whether owner and mode of a file that the state does not name are those of the origin, or of a new file,
    ///     and not those that it has: somebody else has given it those.
    /// - Returns: whether it was written.
    /// - Throws: the step that failed; the resource is as it was then, or as it shall be.
    package func apply(
        _ state: ResourceState, to resource: Resource, after former: ResourceState? = nil, origin: Memento? = nil,
        resets: Bool = false
    ) throws(ResourceError) -> Outcome {
        if let reason = reasonToSkip(resource) { return .skipped(reason) }
        switch (resource, state) {
        case (_, .kept): return .skipped("it changes with the rest")
        case (.file(let path), .file(let file)):
            let form = resets ? FileForm(of: origin, or: .newFile) : nil
            try managed(.apply, resource) { files throws(SandboxError) in
                try files.write(
                    file.bytes, to: path, owner: file.owner ?? form?.owner,
                    permissions: file.permissions ?? form?.permissions)
            }
        case (.link(let path), .link(let target)):
            try managed(.apply, resource) { files throws(SandboxError) in try files.link(path, to: target) }
        case (.file(let path), .absent), (.link(let path), .absent):
            try managed(.apply, resource) { files throws(SandboxError) in try files.remove(path) }
        case (.line(let path, let word), .text(let text)):
            return try put(Array(text.utf8), word: word, in: path, .apply, resource)
        case (.interface(let name), .interface(let state)):
            var before: InterfaceState?
            if case .interface(let former) = former { before = former }
            return try apply(state, to: name, after: before, origin: Self.snapshot(in: origin))
        case (.document(let path), .content(let hash)):
            try write(content: hash, toDocument: path, as: resets ? FileForm(of: origin, or: .newDocument) : nil)
        case (.attribute(let path), .text(let text)):
            try asked(.apply, resource) { () throws(Errno) in
                try kernel.write(Array(text.utf8) + [UInt8(ascii: "\n")], toAttribute: path)
            }
        case (.hostName, .text(let text)):
            try asked(.apply, resource) { () throws(Errno) in try kernel.setHostName(Array(text.utf8)) }
        default:
            throw ResourceError(.apply, resource, reason: "it cannot be that; report this as a fault of the adapter")
        }
        return .written
    }

    /// Brings back what was captured; it may be done again after a failure.
    ///
    /// What is as it was captured is not written: it may lie where nothing can be written, which is why it has stayed so.
    ///
    /// - Throws: the step that failed; the resource is as it was before the call then, or as it was captured.
    package func restore(_ memento: Memento) throws(ResourceError) -> Outcome {
        if let reason = reasonToSkip(memento.resource) { return .skipped(reason) }
        if try isAsCaptured(memento) { return .skipped(Self.asItWas) }
        return try putBack(memento)
    }

    /// Why a resource is not brought back that is what it was.
    package static let asItWas = "it is as it was"

    /// Whether a resource is what it was, durably; where that cannot be told, it is not.
    private func isAsCaptured(_ memento: Memento) throws(ResourceError) -> Bool {
        let resource = memento.resource
        // Of an interface only what differs is brought back in any case.
        if case .interface = resource { return false }
        guard !memento.isNothing, let present = try? capture(resource, for: memento.adapter),
            !present.isNothing, present.isSame(as: memento)
        else { return false }
        // An earlier try may have failed right before the flush.
        switch resource {
        case .file(let path), .link(let path), .line(let path, _):
            try managed(.restore, resource) { files throws(SandboxError) in try files.flush(path) }
        case .document(let path): try flush(document: path)
        case .attribute, .interface, .hostName: break
        }
        return true
    }

    private func putBack(_ memento: Memento) throws(ResourceError) -> Outcome {
        let resource = memento.resource
        switch (resource, memento.content) {
        case (.line, .nothing): return .skipped("there was no such line")
        case (.interface, .nothing): return .skipped("it was not here")
        case (.attribute, .nothing): return .skipped("what it was is not known: it was not here when it was changed")
        case (_, .nothing): return .skipped("what it was is not known: it was changed under another root directory")
        case (_, .file(let file)):
            try managed(.restore, resource) { files throws(SandboxError) in try files.restore(file) }
        case (.line(let path, let word), .bytes(let line)):
            return try put(line, word: word, in: path, .restore, resource)
        case (.attribute(let path), .bytes(let value)):
            if let reason = trigger(inChargeOf: path, for: value) { return .skipped(reason) }
            let outcome = try restore(value, toAttribute: path)
            if outcome == .written { try restore(memento.parameters, besideTrigger: path) }
            return outcome
        case (.interface(let name), .bytes(let bytes)):
            guard let snapshot = InterfaceSnapshot(encoded: bytes) else {
                throw ResourceError(
                    .restore, resource, reason: "it cannot be what was captured; report this as a fault")
            }
            return try restore(snapshot, to: name)
        case (.document(let path), .bytes(let bytes)):
            guard let document = DocumentMemento(encoded: bytes[...]) else {
                throw ResourceError(
                    .restore, resource, reason: "it cannot be what was captured; report this as a fault")
            }
            try restore(document, toDocument: path)
        case (.hostName, .bytes(let name)):
            try asked(.restore, resource) { () throws(Errno) in try kernel.setHostName(name) }
        default:
            throw ResourceError(.restore, resource, reason: "it cannot be what was captured; report this as a fault")
        }
        return .written
    }

    /// Puts a line in the place of the first one of a file that begins with its word, if there is one.
    private func put(
        _ line: [UInt8], word: String, in path: String, _ stage: ResourceError.Stage, _ resource: Resource
    ) throws(ResourceError) -> Outcome {
        let text = try managed(stage, resource) { files throws(SandboxError) in try files.text(path) }
        guard let text, let found = FileLine(word, in: text) else { return .skipped("the file has no such line") }
        try managed(stage, resource) { files throws(SandboxError) in
            try files.write(found.replaced(by: line, in: text), to: path)
        }
        return .written
    }

    /// Why a resource is not touched here; nil where it is.
    func reasonToSkip(_ resource: Resource) -> String? {
        isRunning || !resource.isKernels ? nil : Self.belowRoot
    }

    /// Why nothing is told to the kernel below a root directory.
    package static let belowRoot = "the running kernel is untouched: --root"

    func managed<Value>(
        _ stage: ResourceError.Stage, _ resource: Resource, _ body: (ManagedFiles) throws(SandboxError) -> Value
    ) throws(ResourceError) -> Value {
        do throws(SandboxError) {
            return try body(files)
        } catch {
            throw ResourceError(stage, resource, error)
        }
    }

    func asked<Value>(
        _ stage: ResourceError.Stage, _ resource: Resource, _ body: () throws(Errno) -> Value
    ) throws(ResourceError) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw ResourceError(stage, kernel: resource, error)
        }
    }
}

extension ManagedFiles {
    /// The whole content of a file; nil where there is none.
    fileprivate func text(_ path: String) throws(SandboxError) -> [UInt8]? {
        do throws(SandboxError) {
            return try read(path).bytes
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
