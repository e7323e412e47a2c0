internal import CLinux
package import SystemPackage

extension ByteStream {
    /// Connects to a TCP port. tcp(7)
    ///
    /// - Parameters:
    ///   - address: The 4 or 16 bytes of an address.
    ///   - zone: The link of a link-local IPv6 address.
    ///   - port: The port.
    ///   - limit: The time limit.
    ///   - loop: The event loop.
    /// - Returns: The connection.
    /// - Throws: `Errno` if the connection was not accepted, ``DeadlineExceeded``, `CancellationError`.
    package static func connect(
        to address: [UInt8], zone: String? = nil, port: UInt16, within limit: Duration, loop: EventLoop
    ) async throws -> ByteStream {
        let socket = Descriptor(owning: try SocketCalls.tcpSocket(address))
        if try !SocketCalls.connect(socket.rawValue, to: address, zone: zone, port: port) {
            let readiness = try loop.register(socket.descriptor)
            defer { readiness.close() }
            try await loop.withDeadline(limit) { try await readiness.writable() }
            try SocketCalls.checkConnection(socket.rawValue)
        }
        return try ByteStream(loop: loop, socket: socket)
    }

    /// The speeds of serial devices in bits per second.
    package static let serialSpeeds: [Int32] = Array(
        (0..<64).lazy.map { clinux_serial_speed($0) }.prefix { $0 != 0 })

    /// Opens a serial device for reading. termios(3)
    ///
    /// - Throws: `Errno`: `inappropriateIOCTLForDevice` for what is no serial device, `invalidArgument` for a speed that
    ///   is not possible.
    package static func openSerial(_ path: String, speed: Int32, loop: EventLoop) throws(Errno) -> ByteStream {
        let descriptor = Descriptor(
            owning: try Kernel.check(unsafe path.withCString { unsafe clinux_serial_open($0, speed) }))
        return try ByteStream(loop: loop, reading: descriptor, writing: descriptor)
    }
}
