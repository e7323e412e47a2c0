internal import Synchronization
package import SystemPackage

/// Owns a file descriptor: closes it when it is let go, or before with ``close()``.
package final class Descriptor: Sendable {
    private let fd: Atomic<Int32>

    /// Takes over a descriptor.
    package init(owning descriptor: FileDescriptor) { fd = Atomic(descriptor.rawValue) }

    init(owning fd: Int32) { self.fd = Atomic(fd) }

    deinit { close() }

    /// The number of the descriptor, or -1 once it is closed.
    package var rawValue: Int32 { fd.load(ordering: .acquiring) }

    /// The descriptor, for as long as this object lives and is not closed.
    package var descriptor: FileDescriptor { FileDescriptor(rawValue: rawValue) }

    /// Closes the descriptor; more than once does nothing.
    package func close() {
        let number = fd.exchange(-1, ordering: .acquiringAndReleasing)
        if number >= 0 { Kernel.close(number) }
    }
}
