package import CleatSandbox
package import SystemPackage

/// Captures, applies, restores and reads the resources of the running system, or of a system under a root directory.
///
/// Under a root directory kernel state is unchanged: kernel values are skipped. Every call blocks; call it on the
/// worker.
package struct SystemResources: Sendable {
    /// The outcome of applying or restoring one resource.
    package enum Outcome: Hashable, Sendable {
        /// The resource was written.
        case written
        /// The resource was skipped, for this reason.
        case skipped(String)
    }

    /// True if it is the running system, whose kernel state may be changed.
    package let isRunning: Bool
    private(set) var files: ManagedFiles
    let kernel: any KernelCalls
    /// The area `documents`; nil if it could not be opened.
    let documents: SandboxedDirectory?
    /// The contents of documents to write, by their SHA-256 in hexadecimal digits.
    private(set) var contents: DocumentContents = [:]

    /// Opens a system.
    ///
    /// - Parameters:
    ///   - root: the directory in place of `/`; nil for the running system.
    ///   - isRunning: true if kernel and services are used; nil for true without a root, and false with one.
    ///   - declarations: the files and links that may be written.
    ///   - documents: the area `documents`; nil if it could not be opened.
    ///   - fileCalls: the system calls for files; a test can make them fail.
    ///   - kernelCalls: the system calls for kernel values; a test can make them fail.
    /// - Throws: the reason why the root could not be opened.
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

    /// Returns the same system with more files that may be written.
    package func declaring(_ declarations: [ManagedFileDeclaration]) -> SystemResources {
        SystemResources(
            isRunning: isRunning, files: files.declaring(declarations), kernel: kernel, documents: documents)
    }

    /// Returns the same system with files that were written before, so that undeclared ones can still be restored.
    ///
    /// - Parameter resources: the written resources; those that are not files or links, or cannot be declared, are
    ///   omitted.
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

    /// Returns the same system with the contents of documents to write.
    package func providing(_ contents: DocumentContents) -> SystemResources {
        if contents.isEmpty { return self }
        var system = self
        system.contents = contents
        return system
    }

    /// Returns the same system with a batch of file writes that are flushed together; they follow next, in this order.
    ///
    /// Nothing is durable until ``AdapterSet/settle(_:of:on:)`` has succeeded.
    func batching(_ writes: [ManagedFileWrite]) -> SystemResources {
        var system = self
        system.files = files.batching(ManagedFileBatch(writes))
        return system
    }

    /// Returns the kind of the object at a path, with links followed; nil if there is none.
    package func kind(at path: String) throws(ResourceError) -> FileKind? {
        do throws(SandboxError) {
            return try files.kind(at: path)
        } catch {
            throw ResourceError(.look, .file(path), error)
        }
    }

    /// Removes temporary files of interrupted writes next to the declared files.
    ///
    /// - Returns: the number of removed files.
    @discardableResult
    package func sweep() throws(ResourceError) -> Int {
        do throws(SandboxError) {
            return try files.sweep()
        } catch {
            throw ResourceError(.look, .file(error.path), error)
        }
    }

    /// Captures the present state of a resource.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - adapter: the name of the adapter that it is captured for.
    /// - Returns: the memento; of nothing if the resource does not exist under this root directory, or is an interface
    ///   that does not exist.
    /// - Throws: the reason why it could not be read whole; it could not be restored then, and must not be changed.
    package func capture(_ resource: Resource, for adapter: String) throws(ResourceError) -> Memento {
        let content = try memento(of: resource)
        return Memento(
            adapter: adapter, resource: resource, content: content,
            parameters: try triggerParameters(of: resource, content))
    }

    /// Captures the resource of a step; for a released value of a removed device it captures nothing.
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

    /// Brings a resource to a desired state.
    ///
    /// - Parameters:
    ///   - state: the desired state.
    ///   - resource: the resource.
    ///   - former: the former desired state.
    ///   - origin: the state before Cleat changed it, from which released parts are restored.
    ///   - resets: true to reset a file's owner and mode that the state does not set to those of the origin, or of a
    ///     new file, instead of keeping the present ones, which were set outside Cleat.
    /// - Returns: the outcome: written or skipped.
    /// - Throws: the failed operation; the resource is unchanged then, or in its desired state.
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

    /// Restores a captured state; it may be repeated after a failure.
    ///
    /// A resource that is as it was captured is not written: it may be on a read-only file system, and so unchanged.
    ///
    /// - Throws: the failed operation; the resource is then as it was before the call, or as it was captured.
    package func restore(_ memento: Memento) throws(ResourceError) -> Outcome {
        if let reason = reasonToSkip(memento.resource) { return .skipped(reason) }
        if try isAsCaptured(memento) { return .skipped(Self.asItWas) }
        return try putBack(memento)
    }

    /// The reason why an unchanged resource is not restored.
    package static let asItWas = "it is as it was"

    /// Returns true if a resource is as it was captured, and durable; false if that cannot be determined.
    private func isAsCaptured(_ memento: Memento) throws(ResourceError) -> Bool {
        let resource = memento.resource
        // Restoring an interface writes only the differences anyway.
        if case .interface = resource { return false }
        guard !memento.isNothing, let present = try? capture(resource, for: memento.adapter),
            !present.isNothing, present.isSame(as: memento)
        else { return false }
        // An earlier attempt may have failed right before the flush.
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

    /// Replaces the first line of a file that begins with a word, if there is one.
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

    /// Returns the reason why a resource is skipped here; nil if it is not.
    func reasonToSkip(_ resource: Resource) -> String? {
        isRunning || !resource.isKernels ? nil : Self.belowRoot
    }

    /// The reason why kernel values are skipped under a root directory.
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
    /// Returns the content of a file; nil if there is none.
    fileprivate func text(_ path: String) throws(SandboxError) -> [UInt8]? {
        do throws(SandboxError) {
            return try read(path).bytes
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
