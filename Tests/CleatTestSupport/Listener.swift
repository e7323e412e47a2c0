internal import Synchronization
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Listens on a TCP port of the kernel's choice, on all addresses of both families.
package final class Listener: Sendable {
    /// The port.
    package let port: UInt16
    private let descriptor: Mutex<Int32>

    package init() throws {
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
            let type = SOCK_STREAM | SOCK_CLOEXEC
        #endif
        let fd = socket(AF_INET6, type, 0)
        guard fd >= 0 else { throw Errno(rawValue: errno) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(fd, address, size) == 0 && listen(fd, 16) == 0 && getsockname(fd, address, &size) == 0
            }
        }
        guard result else { throw Errno(rawValue: errno) }
        port = address.sin6_port.bigEndian
        descriptor = Mutex(fd)
    }

    /// Listens no more.
    package func close() {
        descriptor.withLock { fd in
            if fd >= 0 { _ = Self.end(fd) }
            fd = -1
        }
    }

    private static func end(_ fd: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.close(fd)
        #elseif canImport(Musl)
            Musl.close(fd)
        #endif
    }
}
