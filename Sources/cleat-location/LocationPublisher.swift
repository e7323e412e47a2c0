import Cleat
import CleatAPI
import CleatIO

/// Follows a receiver and publishes the board's location as a kept event.
actor LocationPublisher {
    /// The time for which an event is kept; a program that was killed is noticed after that.
    private static let keep = Duration.seconds(90)
    /// The time after which the event is emitted again, to keep it longer.
    private static let renewal = Duration.seconds(30)
    /// The longest pause between two attempts to open a receiver.
    private static let longest = Duration.seconds(60)
    /// The time within which a line is logged once.
    private static let quiet = Duration.seconds(3_600)
    /// The number of lines that are remembered.
    private static let lines = 32
    /// The number of crossings of geofences that wait for a service that is away; the oldest are dropped.
    private static let crossings = 64

    private let loop: EventLoop
    private let cleat: Cleat
    private let decimals: Int
    private let alarm: Alarm
    private let log: @Sendable (String) -> Void
    private var tracker: LocationTracker
    private var waiting: [LocationTracker.Crossing] = []
    /// The instant until which a location of a former run is left as it is, while the receiver has none.
    private var rest: BootTime?
    /// The lines of the log, with their instants.
    private var said: [String: BootTime] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(
        loop: EventLoop, cleat: Cleat, tracker: LocationTracker, decimals: Int,
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.loop, self.cleat, self.tracker, self.decimals, self.log) = (loop, cleat, tracker, decimals, log)
        alarm = Alarm(loop: loop)
    }

    /// Follows the receiver, and opens it again when it ends, until the task is cancelled.
    func follow(_ receiver: Receiver) async throws {
        var pause = Duration.seconds(1)
        while true {
            let start = BootTime.now()
            do {
                try await receiver.run(on: loop) {
                    say("\(receiver) reports")
                } take: { fix in
                    take(fix)
                }
                say("\(receiver) has ended; it is opened again")
            } catch let error as CancellationError {
                throw error
            } catch is DeadlineExceeded {
                say("\(receiver) sends nothing that can be understood; it is opened again")
            } catch {
                say(
                    "\(receiver) cannot be read: \(error); \(receiver.remedy(error)). It is tried again, at most every minute"
                )
            }
            // One that ends at once each time is not opened all the time.
            if BootTime.now() > start.advanced(by: Self.longest) { pause = .seconds(1) }
            try await loop.sleep(for: pause)
            pause = min(pause * 2, Self.longest)
        }
    }

    private func take(_ fix: Fix) {
        let former = tracker.report
        waiting += tracker.take(fix, at: .now())
        if waiting.count > Self.crossings { waiting.removeFirst(waiting.count - Self.crossings) }
        if former != tracker.report || !waiting.isEmpty { alarm.ring() }
    }

    /// Takes over the location that a former run has published, if it has not expired: its geofences at once, and its
    /// position until it would expire, so that a restart is not published as a loss.
    func resume() async throws(CleatError) {
        var locations = cleat.location.makeAsyncIterator()
        guard let location = try await locations.next(), location.fix != .none else { return }
        tracker.resume(inside: location.fences)
        rest = .now().advanced(by: Self.keep)
    }

    /// Publishes the location: each new one, and the present one again and again, until the task is cancelled.
    func publish() async throws {
        while true {
            tracker.pass(.now())
            let isEmitted = await emit()
            let renewal = BootTime.now().advanced(by: isEmitted ? Self.renewal : .seconds(5))
            try await alarm.wait(until: min(renewal, tracker.next.map { max($0, .now()) } ?? renewal))
        }
    }

    /// Publishes the location again when the service has lost it, as it does in a restart.
    func watch() async throws {
        for try await location in cleat.location where location.fix == .none && tracker.report.fix != .none {
            alarm.ring()
        }
        // The sequence ends when the task is cancelled.
        throw CancellationError()
    }

    /// Emits what is to be published; returns false if it has to be tried again.
    private func emit() async -> Bool {
        let report = tracker.report
        if report.fix == .none, let rest, BootTime.now() < rest { return true }
        do throws(CleatError) {
            try await cleat.emit(
                report.action, subject: LocationReport.subject, report.properties(decimals: decimals),
                keepingFor: Self.keep)
            while !waiting.isEmpty {
                // Others may come meanwhile.
                let crossing = waiting.removeFirst()
                do throws(CleatError) {
                    try await cleat.emit(
                        crossing.isEntered ? "entered" : "left", subject: LocationReport.fencePrefix + crossing.fence)
                } catch {
                    waiting.insert(crossing, at: 0)
                    throw error
                }
            }
            if report.fix != .none { say("the location is published") }
            return true
        } catch {
            say("the location cannot be published: \(error); it is tried again")
            return false
        }
    }

    /// Writes a line to the log, unless it was written within the last hour.
    private func say(_ text: String) {
        let now = BootTime.now()
        if let instant = said[text], now < instant.advanced(by: Self.quiet) { return }
        if said.count >= Self.lines { said = [:] }
        said[text] = now
        log(text)
    }
}
