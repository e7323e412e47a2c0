package import SystemPackage

/// Tests if a host on the network can be reached.
package struct NetworkProbe: Sendable {
    /// The time to wait for the reply to one echo request before the next is sent.
    private static let patience = Duration.seconds(1)

    private let loop: EventLoop

    /// Makes a probe that waits on a loop.
    package init(loop: EventLoop) { self.loop = loop }

    /// Sends ICMP echo requests, one a second, until a reply arrives. icmp(7), RFC 792, RFC 4443
    ///
    /// It uses an ICMP datagram socket, which needs no privilege but a group within `net.ipv4.ping_group_range`. If
    /// that range excludes the process, as the kernel's default does, it uses a raw socket, which needs `CAP_NET_RAW`.
    /// raw(7)
    ///
    /// - Parameters:
    ///   - address: The 4 or 16 bytes of an address.
    ///   - zone: The link of a link-local IPv6 address.
    ///   - limit: The time limit.
    /// - Throws: ``ReachError`` if no reply arrived.
    package func ping(_ address: [UInt8], zone: String? = nil, within limit: Duration) async throws(ReachError) {
        let deadline = BootTime.now().advanced(by: limit)
        let socket = try Self.icmpSocket(address)
        do {
            _ = try SocketCalls.connect(socket.file.rawValue, to: address, zone: zone, port: 0)
            let readiness = try loop.register(socket.file.descriptor)
            defer { readiness.close() }
            var echo = EchoRequest(isV4: address.count == 4, isRaw: socket.isRaw)
            while true {
                echo.sequence &+= 1
                _ = try Kernel.write(socket.file.rawValue, echo.bytes, from: 0, socket: true)
                let (remaining, sent) = (deadline.duration(since: .now()), echo)
                do {
                    try await loop.withDeadline(min(remaining, Self.patience)) {
                        try await Self.awaitReply(to: sent, on: socket.file, readiness)
                    }
                    return
                } catch is DeadlineExceeded {
                    if deadline <= .now() { throw ReachError.noAnswer(limit) }
                }
            }
        } catch {
            throw Self.reachError(error, zone)
        }
    }

    private static func icmpSocket(_ address: [UInt8]) throws(ReachError) -> (file: Descriptor, isRaw: Bool) {
        do throws(Errno) {
            return (Descriptor(owning: try SocketCalls.icmpSocket(address, isRaw: false)), false)
        } catch {
            guard error == .permissionDenied else { throw .refused(error) }
        }
        do throws(Errno) {
            return (Descriptor(owning: try SocketCalls.icmpSocket(address, isRaw: true)), true)
        } catch {
            guard error == .notPermitted || error == .permissionDenied else { throw .refused(error) }
            let range = (try? SmallFile.text("/proc/sys/net/ipv4/ping_group_range", limit: 64)) ?? "unknown"
            throw .notAllowed(groups: range.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
    }

    /// Waits for the reply to a request.
    private static func awaitReply(
        to echo: EchoRequest, on socket: Descriptor, _ readiness: Readiness
    ) async throws {
        while true {
            guard let datagram = try datagram(of: socket.rawValue) else {
                try await readiness.readable()
                continue
            }
            if echo.isAnswered(by: datagram) { return }
        }
    }

    /// Receives the first 256 bytes of a datagram; returns nil if none is available.
    private static func datagram(of fd: Int32) throws(Errno) -> [UInt8]? {
        let result = unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) {
            buffer -> Result<[UInt8]?, Errno> in
            do throws(Errno) {
                guard let count = unsafe try Kernel.read(fd, into: buffer) else { return .success(nil) }
                return unsafe .success(Array(buffer[..<count]))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Connects to a TCP port and closes the connection again. tcp(7)
    ///
    /// - Parameters:
    ///   - address: The 4 or 16 bytes of an address.
    ///   - zone: The link of a link-local IPv6 address.
    ///   - port: The port.
    ///   - limit: The time limit.
    /// - Throws: ``ReachError`` if the connection was not accepted.
    package func connect(
        _ address: [UInt8], zone: String? = nil, port: UInt16, within limit: Duration
    ) async throws(ReachError) {
        do {
            try await ByteStream.connect(to: address, zone: zone, port: port, within: limit, loop: loop).close()
        } catch {
            throw Self.reachError(error, zone)
        }
    }

    private static func reachError(_ error: any Error, _ zone: String?) -> ReachError {
        switch error {
        case let error as ReachError: error
        case let error as DeadlineExceeded: .noAnswer(error.limit)
        case let error as Errno:
            if let zone, error == .noSuchAddressOrDevice { .noLink(zone) } else { .refused(error) }
        default: .cancelled
        }
    }
}

/// The reason why another machine was not reached.
package enum ReachError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel allows this process neither ICMP nor raw sockets; `groups` is the value of
    /// `net.ipv4.ping_group_range`.
    case notAllowed(groups: String)
    /// The link of a link-local IPv6 address does not exist.
    case noLink(String)
    /// No reply arrived within this time.
    case noAnswer(Duration)
    /// The kernel or the other machine refused.
    case refused(Errno)
    /// The wait was cancelled.
    case cancelled

    /// The reason as half a sentence.
    package var description: String {
        switch self {
        case .notAllowed(let groups):
            "the kernel allows no ICMP socket here: net.ipv4.ping_group_range is \"\(groups)\", and the service lacks "
                + "CAP_NET_RAW; allow it with: cleat set 'kernel/sysctl/net.ipv4.ping_group_range=0 2147483647'"
        case .noLink(let name): "there is no link \(name)"
        case .noAnswer(let time): "no answer within \(time.milliseconds) ms"
        case .refused(let error): "\(error)"
        case .cancelled: "the wait was cancelled"
        }
    }
}
