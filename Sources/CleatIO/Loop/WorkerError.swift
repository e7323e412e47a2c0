package import SystemPackage

/// The error of a worker that could not start its thread; the slice has not run.
package struct WorkerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason why the thread could not be started: usually EAGAIN, a limit on processes or memory.
    package let underlying: Errno

    /// Makes an error.
    package init(underlying: Errno) { self.underlying = underlying }

    /// One sentence with the reason and the remedy.
    package var description: String {
        "the system has no room for the thread that handles files (\(underlying)): raise the service's limit on tasks, "
            + "or free memory, and try again"
    }
}
