import CleatAPI
import CleatIO
import CleatSettings
import SystemPackage

/// The source of positions.
enum Receiver: Equatable, Sendable, CustomStringConvertible {
    /// A gpsd that listens on a TCP port.
    case gpsd(InternetAddress, port: UInt16)
    /// A receiver on a serial device that sends NMEA 0183, with its speed in bits per second.
    case serial(String, speed: Int32)

    /// A receiver that reports nothing for so long is opened again.
    static let silence = Duration.seconds(60)
    /// The time limit of a connection.
    private static let connecting = Duration.seconds(10)

    var description: String {
        switch self {
        case .gpsd(let address, let port): "gpsd at \(address), port \(port)"
        case .serial(let path, let speed): "the receiver at \(path) (\(speed) bit/s)"
        }
    }

    /// Opens the receiver and passes its positions on, until it ends, fails or is silent for too long.
    ///
    /// - Parameters:
    ///   - loop: The event loop.
    ///   - heard: Called when the receiver has sent something that can be understood, for the first time.
    ///   - take: Called with each position.
    /// - Throws: The error that ended it; `DeadlineExceeded` for silence; `CancellationError`.
    func run(on loop: EventLoop, heard: () -> Void, take: (Fix) async -> Void) async throws {
        let stream = try await open(on: loop)
        defer { stream.close() }
        if case .gpsd = self { try await stream.write(Array(GPSDReport.watch.utf8)) }
        var lines = LineReader(limit: GPSDReport.limit)
        var decoder = NMEADecoder()
        var last = BootTime.now()
        var isHeard = false
        while true {
            let left = last.advanced(by: Self.silence).duration(since: .now())
            let bytes = try await loop.withDeadline(max(.zero, left)) { try await stream.read() }
            guard !bytes.isEmpty else { return }
            for line in lines.take(bytes) {
                guard let fix = decode(line, &decoder) else { continue }
                last = .now()
                if !isHeard { heard() }
                isHeard = true
                if let fix { await take(fix) }
            }
        }
    }

    /// Returns the position of a line; the inner nil for one without a position, the outer nil for one that cannot be
    /// understood.
    private func decode(_ line: [UInt8], _ decoder: inout NMEADecoder) -> Fix?? {
        switch self {
        case .gpsd: GPSDReport.object(line).map { GPSDReport.fix($0) }
        case .serial: NMEASentence(line).map { decoder.take($0) }
        }
    }

    /// Returns the remedy for an error, as the middle of a sentence.
    func remedy(_ error: any Error) -> String {
        guard case .serial = self else { return "check that gpsd runs, and that it listens there" }
        switch error as? Errno {
        case .inappropriateIOCTLForDevice: return "name a serial device, such as /dev/ttyAMA0"
        case .permissionDenied: return "add this program's user to the group of the device, such as dialout"
        case .noSuchFileOrDirectory, .noSuchAddressOrDevice, .operationNotSupportedByDevice:
            return "check the path, and that the receiver is plugged in"
        default: return "check the device"
        }
    }

    private func open(on loop: EventLoop) async throws -> ByteStream {
        switch self {
        case .gpsd(let address, let port):
            try await ByteStream.connect(to: address.bytes, port: port, within: Self.connecting, loop: loop)
        case .serial(let path, let speed): try ByteStream.openSerial(path, speed: speed, loop: loop)
        }
    }
}
