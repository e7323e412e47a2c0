internal import Synchronization
package import SystemPackage

/// Owns a file descriptor, which is closed when the object is released, or earlier with ``close()``.
package final class Descriptor: Sendable {
    private let fd: Atomic<Int32>

    /// Takes ownership of a descriptor.
    package init(owning descriptor: FileDescriptor) { fd = Atomic(descriptor.rawValue) }

    init(owning fd: Int32) { self.fd = Atomic(fd) }

    deinit { close() }

    /// The descriptor's number, or -1 once it is closed.
    package var rawValue: Int32 { fd.load(ordering: .acquiring) }

    /// The descriptor, for as long as this object lives and is not closed.
    package var descriptor: FileDescriptor { FileDescriptor(rawValue: rawValue) }

    /// Closes the descriptor; further calls do nothing.
    package func close() {
        let number = fd.exchange(-1, ordering: .acquiringAndReleasing)
        if number >= 0 { Kernel.close(number) }
    }

    /// Duplicates a descriptor for this process alone: programs do not inherit the copy. `fcntl(2)`, F_DUPFD_CLOEXEC
    package static func duplicate(of descriptor: FileDescriptor) throws(Errno) -> Descriptor {
        Descriptor(owning: try Kernel.duplicate(descriptor.rawValue))
    }

    /// Makes a pipe that programs do not inherit. `pipe2(2)`
    package static func pipe() throws(Errno) -> (reading: Descriptor, writing: Descriptor) {
        let ends = try Kernel.pipe()
        return (Descriptor(owning: ends.reading), Descriptor(owning: ends.writing))
    }

    /// Reads available bytes once; returns nil if a non-blocking descriptor has none, an empty array at the end.
    package func read(upTo limit: Int) throws(Errno) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(Errno) in unsafe try Kernel.read(rawValue, into: buffer) }
        }
        return try read.get().map { Array(bytes.prefix($0)) }
    }
}
