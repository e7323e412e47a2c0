import CleatIO
import Synchronization
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The socket that a service manager gives to its services in `NOTIFY_SOCKET` (sd_notify(3)).
final class NotifySocket: Sendable {
    /// Where it is.
    let path: String
    private let descriptor: Descriptor
    private let received = Mutex<[String]>([])

    /// Binds the socket.
    init(path: String) throws {
        self.path = path
        let address = try #require(sockaddr_un(path: path), "\(path) is too long for a socket")
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_NONBLOCK, 0)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        descriptor = Descriptor(owning: FileDescriptor(rawValue: number))
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        let result = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// The variables that have been sent so far, one `NAME=value` each, in their order.
    var messages: [String] {
        received.withLock { messages in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe recv(descriptor.rawValue, &buffer, buffer.count, 0)
                guard count > 0 else { return messages }
                messages += String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n").map(
                    String.init)
            }
        }
    }

    /// How often a variable has been sent.
    func count(of message: String) -> Int { messages.count { $0 == message } }
}

extension sockaddr_un {
    /// Makes the address of a path; nil for one that is too long.
    init?(path: String) {
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = unsafe withUnsafeMutableBytes(of: &sun_path) { field in
            guard bytes.count < field.count else { return false }
            unsafe field.copyBytes(from: bytes)
            return true
        }
        guard room else { return nil }
    }
}
