package import SystemPackage

/// The failure of a durable write: the step, the file and the system's error.
package struct DurableFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A step of the durable write, in order of execution.
    package enum Stage: String, Sendable, Hashable, CaseIterable {
        case name, create, write, flush, owner, permissions, attributes, rename
        case flushDirectory = "flush the directory"
        case sweep
    }

    /// The step that failed.
    package let stage: Stage
    /// The file's name in its directory.
    package let name: String
    /// The system's error.
    package let cause: Errno

    /// Makes an error.
    package init(stage: Stage, name: String, cause: Errno) {
        self.stage = stage
        self.name = name
        self.cause = cause
    }

    /// True if the new content is in place, and only a power cut could still restore the old one.
    package var isInPlace: Bool { stage == .flushDirectory }

    /// The error in one sentence.
    package var description: String { "The file “\(name)” was not written durably, because \(reason); \(remedy)." }

    /// The step that failed, and the state of the file.
    package var reason: String {
        let step =
            switch stage {
            case .name: "its name is not that of a file in a directory"
            case .create: "its temporary file could not be made: \(cause)"
            case .write: "the content could not be written: \(cause)"
            case .flush: "the content could not be flushed: \(cause)"
            case .owner: "the owner could not be set: \(cause)"
            case .permissions: "the permissions could not be set: \(cause)"
            case .attributes: "the extended attributes could not be set: \(cause)"
            case .rename: "the new file could not take the place of the old one: \(cause)"
            case .flushDirectory: "the directory could not be flushed: \(cause)"
            case .sweep: "remaining temporary files could not be listed: \(cause)"
            }
        let state =
            isInPlace ? "the new content is in place, but may not outlast a power cut" : "the old content is unchanged"
        return "\(step); \(state)"
    }

    /// The remedy.
    package var remedy: String {
        switch cause {
        case .noSpace, .diskQuotaExceeded: "free space on its file system"
        case .readOnlyFileSystem: "make its file system writable"
        case .permissionDenied, .notPermitted: "check the owner and the permissions of its directory"
        case .resourceBusy: "stop what uses the file, such as a mount on it"
        case .ioError: "check the storage device and the kernel's log"
        default: stage == .name ? "give a plain file name" : "correct that and write again"
        }
    }
}

extension SandboxError {
    init(_ error: DurableFileError, _ operation: String, area: Area, path: SandboxPath) {
        self.init(
            Code(error.cause), operation, area: area, path: path.text, errno: error.cause,
            detail: "\(error.reason); \(error.remedy)")
    }
}
