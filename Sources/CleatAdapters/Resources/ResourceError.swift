internal import CleatSandbox
package import SystemPackage

/// An error of an operation on a resource, with its reason and the remedy.
package struct ResourceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation that failed.
    package enum Stage: String, Hashable, Sendable, CaseIterable {
        case inspect
        case capture
        case apply
        case restore
    }

    /// The operation that failed.
    package let stage: Stage
    /// The resource; nil if none could be reached.
    package let resource: Resource?
    /// The errno of the system call; nil if there is none.
    package let errno: Errno?
    /// The reason and the remedy: the end of a sentence.
    package let reason: String
    /// True if an object in the place of a managed file must be moved away first.
    package private(set) var isObstacle = false
    /// The whole sentence, if it names the setting instead of the resource.
    private var sentence: String?

    /// Creates an error.
    package init(_ stage: Stage, _ resource: Resource?, errno: Errno? = nil, reason: String) {
        self.stage = stage
        self.resource = resource
        self.errno = errno
        self.reason = reason
    }

    init(_ stage: Stage, _ resource: Resource?, _ error: SandboxError) {
        self.init(
            stage, resource, errno: error.errno,
            reason: error.code == .tooLarge ? "it is larger than a file that could be restored" : error.reason)
        isObstacle = [.tooLarge, .isDirectory, .specialFile, .hardLink].contains(error.code)
    }

    /// Creates an error from the errno for a kernel value.
    init(_ stage: Stage, kernel resource: Resource, _ errno: Errno) {
        let reason =
            switch errno {
            case .noSuchFileOrDirectory, .notDirectory:
                "this kernel does not have it; check the name, and that its module is loaded"
            case .permissionDenied, .notPermitted:
                "the system does not allow it; \(MissingRight.remedy()), and see whether it can be read and written"
            case .readOnlyFileSystem: "it cannot be written to; mount it writable"
            case .invalidArgument, .outOfRange: "the kernel does not accept this value; see its documentation"
            case .improperLink:
                "it is not a file of /proc/sys, or of a device below /sys/devices; name the device, or unmount what is mounted over "
                    + "it"
            case .isDirectory: "it is a directory; name a value in it"
            case .tooManySymbolicLinkLevels: "it is a symbolic link; name the file that it points to"
            case .noSuchAddressOrDevice: "it is a FIFO, a socket or a device; name a value of the kernel's"
            case .resourceBusy: "it is in use by the kernel; try again later"
            default: "the kernel refused; see its reason"
            }
        self.init(stage, resource, errno: errno, reason: "\(reason) (\(errno))")
    }

    /// Returns the error with the setting's path in its message, if the kernel refused the setting's value.
    func naming(_ step: ResourceChange) -> ResourceError {
        guard stage == .apply, step.resource.isRuntimeState, case .text(let value) = step.after,
            errno == .invalidArgument || errno == .outOfRange
        else { return self }
        var named = self
        let name = errno == .outOfRange ? "ERANGE" : "EINVAL"
        named.sentence = "\(step.path): the kernel refused \(step.isQuotable ? "\"\(value)\"" : "its value") (\(name))"
        return named
    }

    /// The error in one sentence.
    package var description: String {
        sentence
            ?? "Could not \(stage.rawValue) \(resource?.description ?? "the system"): \(reason)."
    }
}
