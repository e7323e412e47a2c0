internal import SystemPackage

extension EventLoop {
    /// How long an answer to one echo request is waited for before the next is sent.
    private static let patience = Duration.seconds(1)
    /// What is sent behind the header of an echo request.
    private static let payload = [UInt8](repeating: 0x63, count: 24)

    /// Sends ICMP echo requests, one a second, until one is answered. icmp(7), RFC 792, RFC 4443
    ///
    /// It uses an ICMP datagram socket, which needs no privilege but a group within `net.ipv4.ping_group_range`.
    ///
    /// - Parameters:
    ///   - address: the 4 or 16 bytes of an address.
    ///   - zone: the link that an IPv6 address is local to.
    ///   - limit: how long to try.
    /// - Throws: ``ReachError`` where no answer came.
    package func ping(_ address: [UInt8], zone: String? = nil, within limit: Duration) async throws(ReachError) {
        let deadline = BootTime.now().advanced(by: limit)
        let socket = try Self.icmpSocket(address)
        do {
            _ = try Kernel.connect(socket.rawValue, to: address, zone: zone, port: 0)
            let readiness = try register(socket.descriptor)
            defer { readiness.close() }
            let isV4 = address.count == 4
            var sequence: UInt16 = 0
            while true {
                sequence &+= 1
                // Type, code, checksum and identifier, which the kernel fills in, then the number of the request.
                let request =
                    [isV4 ? 8 : 128, 0, 0, 0, 0, 0, UInt8(sequence >> 8), UInt8(sequence & 255)] + Self.payload
                _ = try Kernel.write(socket.rawValue, request, from: 0, socket: true)
                let left = deadline.duration(since: .now())
                do {
                    try await withDeadline(min(left, Self.patience)) {
                        try await Self.awaitReply(on: socket, readiness, type: isV4 ? 0 : 129)
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

    private static func icmpSocket(_ address: [UInt8]) throws(ReachError) -> Descriptor {
        do throws(Errno) {
            return Descriptor(owning: try Kernel.icmpSocket(address))
        } catch {
            guard error == .permissionDenied else { throw .refused(error) }
            let range = (try? SmallFile.text("/proc/sys/net/ipv4/ping_group_range", limit: 64)) ?? "unknown"
            throw .notAllowed(groups: range.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
    }

    /// Waits for a datagram of a type: the kernel passes on those only that belong to this socket.
    private static func awaitReply(on socket: Descriptor, _ readiness: Readiness, type: UInt8) async throws {
        while true {
            let first = try firstByte(of: socket.rawValue)
            if first == type { return }
            if first == nil { try await readiness.readable() }
        }
    }

    /// Takes a datagram and tells its first byte; nil where none is there.
    private static func firstByte(of fd: Int32) throws(Errno) -> UInt8? {
        let result = unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) {
            buffer -> Result<UInt8?, Errno> in
            do throws(Errno) {
                guard let count = unsafe try Kernel.read(fd, into: buffer) else { return .success(nil) }
                return unsafe .success(count > 0 ? buffer[0] : .max)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Connects to a TCP port and closes the connection again. tcp(7)
    ///
    /// - Parameters:
    ///   - address: the 4 or 16 bytes of an address.
    ///   - zone: the link that an IPv6 address is local to.
    ///   - port: the port.
    ///   - limit: how long to wait.
    /// - Throws: ``ReachError`` where the connection was not accepted.
    package func reach(
        _ address: [UInt8], zone: String? = nil, port: UInt16, within limit: Duration
    ) async throws(ReachError) {
        do {
            let socket = Descriptor(owning: try Kernel.tcpSocket(address))
            if try Kernel.connect(socket.rawValue, to: address, zone: zone, port: port) { return }
            let readiness = try register(socket.descriptor)
            defer { readiness.close() }
            try await withDeadline(limit) { try await readiness.writable() }
            try Kernel.checkConnection(socket.rawValue)
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
