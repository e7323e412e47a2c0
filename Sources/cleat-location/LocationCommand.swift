import ArgumentParser
import Cleat
import CleatAPI
import CleatIO
import SystemPackage

/// `cleat-location`: publishes the location of the board.
@main
struct LocationProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cleat-location",
        abstract: "Publish the location of the board from gpsd or a serial receiver.",
        discussion: """
            The location is the kept event of the source app with the subject location; `cleat location` shows it. It is \
            published when the board has moved by more than the distance of --moved, and twice the error of its position. \
            Each geofence is an event when it is entered or left: entered and left, with the subject location/fence/NAME.

            A location is private, so latitude and longitude are rounded. The user needs the right to change settings \
            (the group cleat).

            Examples:
              cleat-location
              cleat-location --serial /dev/ttyAMA0 --speed 115200 --decimals 5
              cleat-location --fence depot=52.52,13.405,200
            """, version: CleatVersion.text)

    @Option(help: .init("The address and port of gpsd.", valueName: "address:port"))
    var gpsd = "127.0.0.1:2947"

    @Option(help: .init("A serial device with a receiver that sends NMEA 0183, in place of gpsd.", valueName: "path"))
    var serial: String?

    @Option(help: .init("The speed of the serial device.", valueName: "bit/s"))
    var speed: Int32 = 9_600

    @Option(help: .init("The decimals of latitude and longitude (0 to 7): 3 are about 100 m.", valueName: "number"))
    var decimals = 3

    @Option(help: .init("The smallest movement that is published.", valueName: "metres"))
    var moved = 50.0

    @Option(help: .init("The time without a position after which the last one is stale.", valueName: "seconds"))
    var stale = 30

    @Option(
        help: .init("A geofence; may be repeated.", valueName: "name=latitude,longitude,metres"),
        transform: { text in
            guard let fence = Fence(text) else {
                throw ValidationError("write NAME=LATITUDE,LONGITUDE,METRES, such as depot=52.52,13.405,200")
            }
            return fence
        })
    var fence: [Fence] = []

    @Option(help: .init("The socket of the service.", valueName: "path"))
    var socket: String?

    func validate() throws {
        guard (0...7).contains(decimals) else { throw ValidationError("--decimals must be 0 to 7") }
        guard moved >= 0, moved.isFinite else { throw ValidationError("--moved must be 0 or more") }
        guard (1...3_600).contains(stale) else { throw ValidationError("--stale must be 1 to 3600") }
        guard fence.count <= 64, Set(fence.map(\.name)).count == fence.count else {
            throw ValidationError("give at most 64 geofences, each with a name of its own")
        }
        _ = try receiver()
    }

    private func receiver() throws -> Receiver {
        if let serial {
            guard serial.hasPrefix("/") else {
                throw ValidationError("--serial must be the whole path of a device, such as /dev/ttyAMA0")
            }
            guard ByteStream.serialSpeeds.contains(speed) else {
                let speeds = ByteStream.serialSpeeds.map { "\($0)" }.joined(separator: ", ")
                throw ValidationError("--speed must be one of \(speeds)")
            }
            return .serial(serial, speed: speed)
        }
        guard case .tcp(let address, nil, let port)? = (try? Probe("tcp:" + gpsd))?.target else {
            throw ValidationError("--gpsd must be a numeric address and a port, such as 127.0.0.1:2947 or [::1]:2947")
        }
        return .gpsd(address, port: port)
    }

    func run() throws {
        let loop = try EventLoop()
        let receiver = try receiver()
        var limits = LocationTracker.Limits()
        (limits.movement, limits.stale) = (moved, .seconds(stale))
        let tracker = LocationTracker(limits: limits, fences: fence)
        try loop.block { [socket, decimals] in
            let cleat = try await Cleat.connect(to: socket, waitsForService: true, timeout: .seconds(30))
            let publisher = LocationPublisher(loop: loop, cleat: cleat, tracker: tracker, decimals: decimals) { line in
                // There is no other place to report that standard error is closed.
                _ = try? FileDescriptor.standardError.writeAll("cleat-location: \(line)\n".utf8)
            }
            try await publisher.resume()
            try await withThrowingTaskGroup { group in
                group.addTask { try await publisher.follow(receiver) }
                group.addTask { try await publisher.publish() }
                group.addTask { try await publisher.watch() }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}
