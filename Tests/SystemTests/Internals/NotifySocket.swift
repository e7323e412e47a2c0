import CLinux
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
    /// The path of the socket.
    let path: String
    private let descriptor: Descriptor
    private let received = Mutex<[String]>([])

    /// Binds the socket.
    init(path: String) throws {
        self.path = path
        // A datagram socket that does not block, closed on exec.
        let number = clinux_unix_socket(2, 1)
        guard number >= 0 else { throw Errno(rawValue: -number) }
        descriptor = Descriptor(owning: FileDescriptor(rawValue: number))
        let result = unsafe path.withCString { unsafe clinux_unix_bind(number, $0, path.utf8.count) }
        guard result == 0 else { throw Errno(rawValue: -result) }
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

    /// Returns the number of messages with a variable.
    func count(of message: String) -> Int { messages.count { $0 == message } }
}
