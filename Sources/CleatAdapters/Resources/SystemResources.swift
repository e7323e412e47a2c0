internal import CleatHash
internal import CleatIO
package import CleatSandbox
package import SystemPackage

/// Captures, applies, restores and reads the resources of the running system, or of a system under a root directory.
///
/// Under a root directory kernel state is unchanged: kernel values are skipped. Every call blocks; call it on the
/// worker.
package struct SystemResources: Sendable {
    /// The outcome of applying or restoring one resource.
    package enum Outcome: Equatable, Sendable {
        /// The resource was written.
        case written
        /// The resource was skipped, for this reason.
        case skipped(String)
    }

    /// True if it is the running system, whose kernel state may be changed.
    package let isRunning: Bool
    /// Returns true if Cleat has written a resource before, as far as the caller knows.
    private(set) var isKnown: @Sendable (Resource) -> Bool = { _ in false }
    private(set) var files: ManagedFiles
    let kernel: any KernelCalls
    /// The area `documents`; nil if it could not be opened.
    let documents: SandboxedDirectory?
    /// The contents of documents to write, by their SHA-256 in hexadecimal digits.
    private(set) var contents: DocumentContents = [:]
    /// The programs that take part in changes, by the names of their adapters.
    private(set) var programs: [String: any AdapterProgram] = [:]
    /// True if no file that names a program could not be read.
    private(set) var hasAllPrograms = true

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
            throw ResourceError(.inspect, nil, error)
        }
    }

    /// Returns the same system with more files that may be written.
    package func declaring(_ declarations: [ManagedFileDeclaration]) -> SystemResources {
        var system = self
        system.files = files.declaring(declarations)
        system.contents = [:]
        return system
    }

    /// Returns the same system with the programs that take part in changes, by the names of their adapters.
    ///
    /// - Parameters:
    ///   - programs: the programs.
    ///   - isComplete: true if no file that names a program could not be read.
    /// - Returns: the system.
    package func hosting(_ programs: [String: any AdapterProgram], isComplete: Bool = true) -> SystemResources {
        var system = self
        system.programs = programs
        system.hasAllPrograms = isComplete
        return system
    }

    /// Returns the same system with files that were written before, so that undeclared ones can still be restored.
    ///
    /// - Parameter resources: the written resources; those that are not files or links, or cannot be declared, are
    ///   omitted.
    /// - Returns: the system.
    package func keeping(_ resources: [Resource]) -> SystemResources {
        declaring(
            resources.compactMap { resource in
                guard !resource.isRuntimeState, let path = resource.path, !files.declares(path),
                    let declared = try? ManagedFileDeclaration(path, isLink: resource == .link(path)), declared.isPlain
                else { return nil }
                return declared
            })
    }

    /// Returns the same system with the knowledge of which resources Cleat has written before, whether they exist now or
    /// not.
    package func knowing(_ isKnown: @escaping @Sendable (Resource) -> Bool) -> SystemResources {
        var system = self
        system.isKnown = isKnown
        return system
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
    /// Nothing is durable until ``AdapterSet/makeDurable(_:of:on:)`` has succeeded.
    func batching(_ writes: [ManagedFileWrite]) -> SystemResources {
        var system = self
        system.files = files.batching(ManagedFileBatch(writes))
        return system
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
        Memento(
            adapter: adapter, resource: resource,
            content: reasonToSkip(resource) == nil ? try resource.handler.capture(on: self) : .nothing)
    }

    /// Captures the resource of a step; for a released value of a removed device it captures nothing.
    func capture(_ step: ResourceChange, for adapter: String) throws(ResourceError) -> Memento {
        if step.restoresOrigin, isGone(step.resource) {
            return Memento(adapter: adapter, resource: step.resource, content: .nothing)
        }
        return try capture(step.resource, for: adapter)
    }

    /// Brings a resource to its desired state.
    ///
    /// - Parameters:
    ///   - step: the step of a change, with the desired state.
    ///   - origin: the state before Cleat changed the resource, from which released parts are restored.
    /// - Returns: the outcome: written or skipped.
    /// - Throws: the failed operation; the resource is unchanged then, or in its desired state.
    func apply(_ step: ResourceChange, origin: Memento?) throws(ResourceError) -> Outcome {
        if let reason = reasonToSkip(step.resource) { return .skipped(reason) }
        guard let state = step.after, state != .kept else { return .skipped("it changes with the rest") }
        return try step.resource.handler.apply(state, of: step, origin: origin, on: self)
    }

    /// Restores a captured state; it may be repeated after a failure.
    ///
    /// A resource that is as it was captured is not written: it may be on a read-only file system, and so unchanged.
    ///
    /// - Throws: the failed operation; the resource is then as it was before the call, or as it was captured.
    func restore(_ memento: Memento) throws(ResourceError) -> Outcome {
        if let reason = reasonToSkip(memento.resource) { return .skipped(reason) }
        let handler = memento.resource.handler
        if memento.isNothing {
            return .skipped(
                handler.reasonForNothing
                    ?? "its former state is unknown: it was changed under another root directory")
        }
        if handler.isComparedFirst, let present = try? capture(memento.resource, for: memento.adapter),
            !present.isNothing, present.isSame(as: memento)
        {
            try handler.flush(on: self)
            return .skipped(Self.isUnchanged)
        }
        return try handler.restore(memento.content, on: self)
    }

    /// Returns the reason why a resource is skipped here; nil if it is not.
    func reasonToSkip(_ resource: Resource) -> String? {
        isRunning || !resource.isRuntimeState ? nil : Self.belowRoot
    }

    /// The reason why a resource is skipped that is as it was captured.
    static let isUnchanged = "it is as it was"

    /// The reason why kernel values are skipped under a root directory.
    package static let belowRoot = "kernel state is unchanged with --root"
}

extension SystemResources {
    /// The fingerprint of a resource that does not exist (``fingerprint(of:)``).
    package static let absentFingerprint = SHA256.hexadecimal(of: absentBytes)
    /// The bytes of that fingerprint.
    static let absentBytes = Array("absent\n".utf8)

    /// Returns the fingerprint of a resource: a SHA-256 in 64 hexadecimal digits.
    ///
    /// It covers a file's bytes, mode and owner, or a kernel value's text.
    ///
    /// A fingerprint that was recorded right after a change shows later if the resource was changed outside Cleat.
    ///
    /// - Returns: the fingerprint; nil for a kernel value under a root directory, and for an interface.
    /// - Throws: the reason why the resource could not be read.
    package func fingerprint(of resource: Resource) throws(ResourceError) -> String? {
        guard reasonToSkip(resource) == nil else { return nil }
        return try resource.handler.fingerprinted(on: self).map { SHA256.hexadecimal(of: $0) }
    }

    /// Returns true if a resource has a desired state; a file's mode and owner are compared only if the state sets
    /// them.
    ///
    /// A kernel value under a root directory counts as as desired.
    ///
    /// - Throws: the reason why it could not be read.
    func holds(_ state: ResourceState, _ resource: Resource) throws(ResourceError) -> Bool {
        if state == .kept || reasonToSkip(resource) != nil { return true }
        return try resource.handler.holds(state, on: self)
    }

    /// Returns a resource's content for ``Adapter/adopted(_:_:)``: a file's bytes, a link's target, or a value's text.
    ///
    /// - Returns: the content; nil if there is none.
    /// - Throws: the reason why it could not be read.
    package func content(of resource: Resource) throws(ResourceError) -> [UInt8]? {
        guard reasonToSkip(resource) == nil else { return nil }
        return try resource.handler.content(on: self)
    }

    /// Returns a kernel value as text; nil under a root directory, and if there is no such value.
    ///
    /// - Throws: the reason why it could not be read.
    package func value(ofAttribute path: String) throws(ResourceError) -> String? {
        isRunning ? try AttributeResource(path: path).value(on: self) : nil
    }

    /// Returns the names of the devices of a class (`/sys/class`), sorted; none under a root directory.
    func names(ofClass name: String) throws(ResourceError) -> [String] {
        guard isRunning else { return [] }
        let directory = "/sys/class/\(name)"
        do throws(Errno) {
            return try kernel.names(in: directory).sortedByBytes()
        } catch {
            throw ResourceError(.inspect, kernel: .attribute(directory), error)
        }
    }

    /// Asks a program for the fingerprint of its state, even if it has not answered a short time ago.
    package func ask(_ resource: Resource) {
        guard case .program(let name) = resource else { return }
        // A failure is that of the next inspection.
        _ = try? programs[name]?.fingerprint(comparing: nil)
    }

    /// Returns true if a program has not answered in time a short time ago, or does not now.
    package func isPaused(_ resource: Resource) -> Bool {
        guard case .program(let name) = resource else { return false }
        return programs[name]?.isPaused ?? false
    }

    /// Returns true if all users may read a value of the kernel; true for any other resource.
    package func isPublic(_ resource: Resource) throws(ResourceError) -> Bool {
        guard case .attribute(let path) = resource else { return true }
        return try AttributeResource(path: path).isPublic(on: self)
    }

    /// Returns the state of an interface of the running kernel; nil if there is none, and under a root directory.
    package func interface(_ name: String) throws(ResourceError) -> InterfaceSnapshot? {
        try InterfaceResource(name: name).snapshot(on: self)
    }

    /// The reason why an interface that does not exist is skipped.
    package static let absenceOfInterface = InterfaceResource.absence

    /// Returns true if a resource is a value that the running kernel does not have, as of a removed device, or the state
    /// of a program that no file names any more.
    ///
    /// A value that exists and cannot be read does not count.
    func isGone(_ resource: Resource) -> Bool {
        if case .program(let name) = resource { return isRunning && hasAllPrograms && programs[name] == nil }
        guard isRunning, case .attribute(let path) = resource else { return false }
        return AttributeResource(path: path).isGone(on: self)
    }

    /// Returns the error for a setting whose value the kernel does not have.
    static func absence(of resource: Resource) -> String {
        "sets \(resource), which this kernel does not have; check the name, and that its module is loaded"
    }
}
