internal import CleatAPI
internal import CleatIO
internal import CleatSandbox
internal import SystemPackage

/// One kind of resource: reads, writes, restores and describes its objects.
///
/// The functions that take a system are called only if the resource is available there: never for a value of the kernel
/// under a root directory (``SystemResources/reasonToSkip(_:)``).
protocol ResourceKind: Sendable, CustomStringConvertible {
    /// The word before the colon of ``Resource/text``.
    static var kind: String { get }
    /// Returns the resource of this kind with the name after the colon of its text.
    ///
    /// - Parameter name: the name; nil if the text has no colon.
    /// - Returns: the resource; nil if the name is not valid.
    static func resource(named name: String?) -> Resource?

    /// The resource.
    var resource: Resource { get }
    /// The name after the colon of ``Resource/text``; nil if the text has no colon.
    var name: String? { get }
    /// The path in the file system; nil if it has none.
    var systemPath: String? { get }
    /// The path in the heading of a difference.
    var diffPath: String { get }
    /// True if it is a value of the running kernel.
    var isRuntimeState: Bool { get }
    /// True if it is a file that Cleat writes as a whole.
    var isWholeFile: Bool { get }
    /// True if it is a name in the file system, which can be missing.
    var isFileName: Bool { get }
    /// True if rights are checked under a root directory, too.
    var isCheckedBelowRoot: Bool { get }

    /// Returns true if the resource can have a state, besides ``ResourceState/kept``.
    func accepts(_ state: ResourceState) -> Bool
    /// Returns true if a stored content can be restored to the resource.
    func accepts(_ content: Memento.Content) -> Bool
    /// Returns true if a captured content differs from a desired state; nil if that is unknown.
    func differs(_ content: Memento.Content, from state: ResourceState) -> Bool?

    /// Captures the present state.
    ///
    /// - Throws: the reason why it could not be read whole.
    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content
    /// Brings the resource to a desired state that it accepts.
    ///
    /// - Parameters:
    ///   - state: the desired state.
    ///   - step: the step of the change, with the former desired state.
    ///   - origin: the state before Cleat changed it, from which released parts are restored.
    ///   - system: the system.
    /// - Returns: the outcome: written or skipped.
    /// - Throws: the failed operation; the resource is unchanged then, or in its desired state.
    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome
    /// Restores a captured content; it may be repeated after a failure.
    func restore(_ content: Memento.Content, on system: SystemResources) throws(ResourceError)
        -> SystemResources.Outcome
    /// True if a restore compares the present state with the captured one first, and writes nothing if they are equal.
    var isComparedFirst: Bool { get }
    /// Makes the present state durable: an earlier attempt to restore it may have failed right before its flush.
    func flush(on system: SystemResources) throws(ResourceError)
    /// The reason why a memento of nothing leaves nothing to restore; nil if it means that the former state is unknown.
    var reasonForNothing: String? { get }

    /// Returns the bytes that stand for the present state in a fingerprint; nil if the kind has no fingerprints.
    func fingerprinted(on system: SystemResources) throws(ResourceError) -> [UInt8]?
    /// Returns true if the resource has a desired state; a file's mode and owner are compared only if the state sets
    /// them.
    func holds(_ state: ResourceState, on system: SystemResources) throws(ResourceError) -> Bool
    /// Returns the content from which a setting can be adopted: a file's bytes, a link's target, or a value's text.
    func content(on system: SystemResources) throws(ResourceError) -> [UInt8]?

    /// Returns the right that a step lacks, as the end of a sentence with the remedy; nil if nothing is missing.
    func missingRight(to step: ResourceChange, on system: SystemResources) -> String?
    /// Describes the effect of reaching a state, for users who plan it; nothing is written.
    ///
    /// - Parameters:
    ///   - planned: the step to complete.
    ///   - before: the present state.
    ///   - goal: the state to reach.
    ///   - isSecret: true if the present or the new content is made of a secret.
    ///   - system: the system.
    /// - Throws: the reason why the resource could not be read.
    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError)
}

extension ResourceKind {
    var systemPath: String? { nil }
    var diffPath: String { systemPath ?? "" }
    var isRuntimeState: Bool { false }
    var isWholeFile: Bool { false }
    var isFileName: Bool { false }
    var isCheckedBelowRoot: Bool { false }
    var isComparedFirst: Bool { true }
    var reasonForNothing: String? { nil }

    func flush(on system: SystemResources) throws(ResourceError) {}

    /// Returns the error for a state or content that is not one of this kind.
    func misfit(_ stage: ResourceError.Stage) -> ResourceError {
        ResourceError(
            stage, resource,
            reason: stage == .apply
                ? "the requested state is not valid for it; report this as a fault of the adapter"
                : "the captured state is not valid for it; report this as a fault")
    }

    /// Runs an operation on managed files, and names this resource in its error.
    func managed<Value>(
        _ stage: ResourceError.Stage, _ system: SystemResources,
        _ body: (ManagedFiles) throws(SandboxError) -> Value
    ) throws(ResourceError) -> Value {
        do throws(SandboxError) {
            return try body(system.files)
        } catch {
            throw ResourceError(stage, resource, error)
        }
    }

    /// Runs a system call on a value of the kernel, and names this resource in its error.
    func asked<Value>(
        _ stage: ResourceError.Stage, _ body: () throws(Errno) -> Value
    ) throws(ResourceError) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw ResourceError(stage, kernel: resource, error)
        }
    }

    /// Returns the right that writing a file or link lacks.
    func missingRight(toWrite path: String, on system: SystemResources) -> String? {
        do throws(SandboxError) {
            try system.files.checkWritable(path)
            return nil
        } catch {
            switch error.code {
            case .readOnly:
                return "needs to write \(path), which is on a file system that is mounted read-only; mount it writable"
            case .denied:
                return
                    "needs to write \(path), which the system does not allow; \(MissingRight.remedy()), "
                    + "or give --root to configure an image"
            default: return "needs to write \(path): \(error.reason)"
            }
        }
    }
}

/// A kind of resource whose state is one text: a kernel value, the host name, or a line of a file.
protocol TextResource: ResourceKind {}

extension TextResource {
    func accepts(_ state: ResourceState) -> Bool { if case .text = state { true } else { false } }

    func differs(_ content: Memento.Content, from state: ResourceState) -> Bool? {
        guard case .text(let wanted) = state, let bytes = content.text else { return nil }
        return String(decoding: AttributeText.value(of: bytes), as: UTF8.self) != wanted
    }

    /// Returns the text; a resource that has none counts as absent.
    func fingerprinted(on system: SystemResources) throws(ResourceError) -> [UInt8]? {
        try content(on: system).map { Array("text\n".utf8) + $0 } ?? SystemResources.absentBytes
    }

    func holds(_ state: ResourceState, on system: SystemResources) throws(ResourceError) -> Bool {
        guard case .text(let text) = state else { return false }
        // If the file has no such line, none is added.
        return try content(on: system).map { $0 == AttributeText.value(of: Array(text.utf8)) } ?? true
    }

    func content(on system: SystemResources) throws(ResourceError) -> [UInt8]? {
        try capture(on: system).text.map { AttributeText.value(of: $0) }
    }
}

/// The remedy if the system does not permit the service an operation.
enum MissingRight {
    /// Returns the remedy.
    ///
    /// - Parameter user: the user of the service; root has every right that nothing outside has removed.
    /// - Returns: the remedy, as the end of a sentence.
    static func remedy(user: UInt32 = ProcessSelf.uid) -> String {
        user == 0
            ? "the service is root: see its unit or container"
            : "start the service as root"
    }
}
