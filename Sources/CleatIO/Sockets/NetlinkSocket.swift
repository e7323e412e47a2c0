internal import CLinux
package import SystemPackage

/// A non-blocking netlink socket that is subscribed to groups and reports the sender of each message (netlink(7)).
package final class NetlinkSocket: Sendable {
    /// The netlink protocols in use.
    package enum Family: Int32, Sendable {
        /// Links, addresses and routes.
        case route = 0
        /// Uevents.
        case uevent = 15
    }

    /// The result of one receive call.
    package enum Reception: Sendable {
        /// No message is available.
        case nothing
        /// The kernel has dropped messages (`ENOBUFS`).
        case overrun
        /// A message and its sender.
        case message([UInt8], Sender)
    }

    /// The sender of a message, as reported by the kernel.
    package struct Sender: Sendable, Hashable {
        /// The sending socket's port ID; 0 for the kernel.
        package var port: UInt32
        /// The groups that the message was sent to; 0 for a message to this socket alone.
        package var groups: UInt32
        /// The sending process, 0 for the kernel; nil if the message came without credentials.
        package var process: Int32?
        /// The sending user; nil if the message came without credentials.
        package var user: UInt32?
        /// True if the message was longer than the buffer.
        package var truncated: Bool
    }

    /// The requested size of the receive buffer, in bytes.
    package static let standardBuffer = 8 << 20

    private let descriptor: Descriptor
    private let readiness: Readiness
    private let capacity: Int

    /// Opens a socket and subscribes it.
    ///
    /// - Parameters:
    ///   - family: The protocol.
    ///   - groups: A mask of the groups.
    ///   - receiveBuffer: The size of the kernel's receive buffer; only root can exceed the system's limit.
    ///   - capacity: The longest message in bytes.
    ///   - loop: The loop that reports incoming messages.
    /// - Throws: The kernel's error.
    package init(
        _ family: Family, groups: UInt32, receiveBuffer: Int = NetlinkSocket.standardBuffer, capacity: Int,
        loop: EventLoop
    ) throws(Errno) {
        let fd = clinux_netlink_open(family.rawValue, groups, Int32(clamping: receiveBuffer))
        guard fd >= 0 else { throw Errno(rawValue: -fd) }
        descriptor = Descriptor(owning: FileDescriptor(rawValue: fd))
        readiness = try loop.register(descriptor.descriptor)
        self.capacity = capacity
    }

    deinit {
        close()
    }

    /// Closes the socket.
    package func close() {
        readiness.close()
        descriptor.close()
    }

    /// Waits until there is something to receive.
    package func readable() async throws {
        try await readiness.readable()
    }

    /// Receives one message, if one is available.
    package func receive() throws(Errno) -> Reception {
        var sender = clinux_netlink_sender()
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            result = unsafe clinux_netlink_receive(descriptor.rawValue, buffer.baseAddress, buffer.count, &sender)
            count = min(max(0, result), buffer.count)
        }
        if result < 0 {
            let error = Errno(rawValue: Int32(clamping: -result))
            switch error {
            case .resourceTemporarilyUnavailable, .wouldBlock: return .nothing
            case .noBufferSpace: return .overrun
            default: throw error
            }
        }
        let known = sender.has_credentials != 0
        return .message(
            bytes,
            Sender(
                port: sender.port, groups: sender.groups, process: known ? sender.pid : nil,
                user: known ? sender.uid : nil, truncated: sender.truncated != 0))
    }

    /// Requests a dump of all objects of a type from rtnetlink.
    package func requestDump(type: UInt16, sequence: UInt32) throws(Errno) {
        let result = clinux_rtnetlink_dump(descriptor.rawValue, type, sequence)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Sends bytes to groups of this socket's protocol; the kernel allows it only to privileged processes.
    package func multicast(_ bytes: [UInt8], groups: UInt32) throws(Errno) {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe clinux_netlink_multicast(descriptor.rawValue, groups, bytes.baseAddress, bytes.count)
        }
        guard result == 0 else { throw Errno(rawValue: -result) }
    }
}
