internal import CleatSandbox
package import SystemPackage

/// Says what could not be done with a resource, why, and what to do about it.
package struct ResourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be done.
    package enum Stage: String, Hashable, Sendable, CaseIterable {
        case look = "look at"
        case capture
        case apply
        case restore
    }

    /// What was to be done.
    package let stage: Stage
    /// The resource; nil where none could be reached.
    package let resource: Resource?
    /// The system's error, where one is behind it.
    package let errno: Errno?
    /// Why, and the remedy: the end of a sentence.
    package let reason: String
    /// Whether something is in the place of a managed file that must be moved away first.
    package private(set) var isObstacle = false
    /// The whole sentence, where it names the setting instead of the resource.
    private var sentence: String?

    /// Takes what failed.
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

    /// Takes an error that the kernel gave for one of its values.
    init(_ stage: Stage, kernel resource: Resource, _ errno: Errno) {
        let reason =
            switch errno {
            case .noSuchFileOrDirectory, .notDirectory:
                "this kernel does not have it; check the name, and that its module is loaded"
            case .permissionDenied, .notPermitted:
                "the system does not allow it; \(MissingRight.remedy()), and see whether it can be read and written"
            case .readOnlyFileSystem: "it cannot be written to; mount it writable"
            case .invalidArgument, .outOfRange: "the kernel does not take this value; see its documentation"
            case .improperLink:
                "it is not a file of /proc/sys, or of a device below /sys/devices; name the device, or unmount what is mounted over "
                    + "it"
            case .isDirectory: "it is a directory; name a value in it"
            case .tooManySymbolicLinkLevels: "it is a symbolic link; name what it stands for"
            case .noSuchAddressOrDevice: "it is a FIFO, a socket or a device; name a value of the kernel's"
            case .resourceBusy: "the kernel holds it; do it again later"
            default: "the kernel refused; see its reason"
            }
        self.init(stage, resource, errno: errno, reason: "\(reason) (\(errno))")
    }

    /// The error as one about the setting, where the kernel does not take its value.
    func naming(_ step: SystemChange.Step) -> ResourceError {
        guard stage == .apply, step.resource.isKernels, case .text(let value) = step.after,
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
