package import SystemPackage

/// The error of a child process that could not be started or could not be ended.
package struct SpawnError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// An argument or a variable holds a NUL, or a variable's name is not valid.
        case invalidCommand
        /// The program or its interpreter does not exist.
        case notFound
        /// The program may not be executed.
        case denied
        /// The program's format is not one that the kernel can execute.
        case notExecutable
        /// The working directory cannot be entered.
        case badDirectory
        /// A resource limit was refused.
        case badLimit
        /// The user or group could not be set.
        case badUser
        /// The kernel has no Landlock, so write access cannot be restricted.
        case noSandbox
        /// A place that the child may write cannot be opened.
        case badWritePath
        /// The kernel refused to restrict the child's write access.
        case sandboxFailed
        /// The system has no memory, process or descriptor to spare.
        case resources
        /// The task that ran the child was cancelled; the process and its group are dead.
        case cancelled
        /// The child was killed but has not exited, since it hangs in the kernel.
        case stuck
        /// Any other failure; see the underlying error.
        case failed
    }

    /// The kind of failure.
    package let code: Code
    /// The program's path or name.
    package let program: String
    /// The writable place that cannot be opened; nil for other errors.
    package let place: String?
    /// The error of the failed system call; nil if none failed.
    package let underlying: Errno?

    /// Makes an error.
    package init(_ code: Code, program: String, place: String? = nil, underlying: Errno? = nil) {
        self.code = code
        self.program = program
        self.place = place
        self.underlying = underlying
    }

    /// One sentence with the program and the remedy.
    package var description: String {
        let reason = underlying.map { "\($0)" } ?? "no reason given"
        return switch code {
        case .invalidCommand:
            "\(program) cannot be run: an argument or environment variable holds a NUL, or a variable's name is empty or "
                + "holds \"=\""
        case .notFound: "\(program) or the interpreter that it names does not exist: check the path"
        case .denied: "\(program) may not be executed: check its mode, owner and mount options"
        case .notExecutable:
            "\(program) is not a program for this machine: check its architecture, or its first line (#!)"
        case .badDirectory: "\(program) was not started: its working directory cannot be entered (\(reason))"
        case .badLimit: "\(program) was not started: a resource limit was refused (\(reason))"
        case .badUser:
            "\(program) was not started: its user or group was refused (\(reason)); only root may change them"
        case .resources: "\(program) was not started: the system has no resources for another process (\(reason))"
        case .noSandbox:
            "\(program) was not started: it may write only to its declared places, and this kernel cannot enforce that since it "
                + "has no Landlock; build or boot one that has, or set best-effort"
        case .badWritePath:
            "\(program) was not started: \(place ?? "a place"), which it may write, cannot be opened (\(reason)); make it or "
                + "correct the path"
        case .sandboxFailed: "\(program) was not started: its write access could not be limited (\(reason))"
        case .cancelled: "\(program) was cancelled and killed"
        case .stuck:
            "\(program) was killed but has not ended: it hangs in the kernel, check for a failing device or mount"
        case .failed: "\(program) failed to start: \(reason)"
        }
    }
}
