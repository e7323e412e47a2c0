import Cleat
import CleatAPI
import CleatIO

/// Follows a receiver and publishes the board's location as a kept event.
actor LocationPublisher {
    /// The time for which an event is kept; a program that was killed is noticed after that.
    private static let keep = Duration.seconds(90)
    /// The time after which the event is emitted again, to keep it longer.
    private static let renewal = Duration.seconds(30)
    /// The number of crossings of geofences that wait for a service that is away; the oldest are dropped.
    private static let crossings = 64

    private let loop: EventLoop
    private let cleat: Cleat
    private let decimals: Int
    private let alarm: Alarm
    private let log: @Sendable (String) -> Void
    private var tracker: LocationTracker
    private var waiting: [LocationTracker.Crossing] = []
    private var said: [String: String] = [:]

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
            do {
                try await receiver.run(on: loop) {
                    pause = .seconds(1)
                    say("receiver", "\(receiver) reports")
                } take: { fix in
                    take(fix)
                }
                say("receiver", "\(receiver) has ended; it is opened again")
            } catch let error as CancellationError {
                throw error
            } catch let error as DeadlineExceeded {
                say("receiver", "\(receiver) is silent (\(error)); it is opened again")
            } catch {
                say("receiver", "\(receiver) cannot be read: \(error); it is tried again, at most every minute")
            }
            try await loop.sleep(for: pause)
            pause = min(pause * 2, .seconds(60))
        }
    }

    private func take(_ fix: Fix) {
        let former = tracker.report
        waiting += tracker.take(fix, at: .now())
        if waiting.count > Self.crossings { waiting.removeFirst(waiting.count - Self.crossings) }
        if former != tracker.report || !waiting.isEmpty { alarm.ring() }
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
        do throws(CleatError) {
            try await cleat.emit(
                report.action, subject: LocationReport.subject, report.properties(decimals: decimals),
                keepingFor: Self.keep)
            while let crossing = waiting.first {
                try await cleat.emit(
                    crossing.isEntered ? "entered" : "left", subject: LocationReport.fencePrefix + crossing.fence)
                waiting.removeFirst()
            }
            say("service", "the location is published")
            return true
        } catch {
            say("service", "the location cannot be published: \(error); it is tried again")
            return false
        }
    }

    /// Writes a line to the log, unless it is the last one on its subject.
    private func say(_ subject: String, _ text: String) {
        guard said[subject] != text else { return }
        said[subject] = text
        log(text)
    }
}
