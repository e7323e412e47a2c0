package import CleatAPI
package import CleatIO

/// The events of programs: what a client emits, checked, limited in its rate, and marked with its user.
///
/// An event of a program has the source `app`, so it can never be taken for one of a device, and names its emitter in
/// ``AppEvent/uidProperty`` and ``AppEvent/userProperty``, which no client can set.
package actor AppObserver: EventObserver {
    /// The events that a user may emit in a row.
    package static let burst = 200
    /// The time that each of them adds: 50 events a second in the long run.
    package static let interval = Duration.milliseconds(20)
    /// The number of users whose rates are kept; rates that no longer count are dropped beyond it.
    private static let users = 64

    /// A client that emits an event.
    package struct Emitter: Sendable, Hashable {
        /// The user id of the client's process.
        package var uid: UInt32
        /// The name of the user; nil if the system does not know it.
        package var name: String?
        /// The hooks whose runs the process belongs to; nil if there are none.
        package var cause: String?

        /// Creates an emitter.
        package init(uid: UInt32, name: String?, cause: String? = nil) {
            self.uid = uid
            self.name = name
            self.cause = cause
        }
    }

    private let bus: EventBus
    private let loop: EventLoop
    private let now: @Sendable () -> BootTime
    private let alarm: Alarm
    private var meters: [UInt32: RateLimiter] = [:]
    private var kept = KeptEvents()
    private var (emitted, refused, limited) = (0, 0, 0)

    package nonisolated var source: EventSource { .app }
    package nonisolated var name: String { "programs" }
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates the observer.
    ///
    /// - Parameters:
    ///   - loop: The event loop that it runs on.
    ///   - bus: The bus that events are published on.
    ///   - now: A closure that reads the clock.
    package init(loop: EventLoop, bus: EventBus, now: @escaping @Sendable () -> BootTime = BootTime.now) {
        self.loop = loop
        self.bus = bus
        self.now = now
        alarm = Alarm(loop: loop)
    }

    /// Removes kept events at the end of their time, until the task is cancelled; events come by ``emit(_:keep:by:)``.
    package func run() async throws {
        while true {
            for entry in kept.takeExpired(now()) {
                var draft = entry.record.draft
                (draft.action, draft.cause) = (KeptEvents.expired, nil)
                bus.publish(draft)
            }
            try await alarm.wait(until: kept.next)
        }
    }

    package nonisolated var isReady: Bool { true }
    package nonisolated func waitUntilReady() async {}

    package var counters: [Counter] {
        [Counter](named: [
            "programs.emitted": emitted, "programs.refused": refused, "programs.limited": limited,
            "programs.kept": kept.count,
        ])
    }

    /// Publishes an event of a program, and keeps it if that is asked for.
    ///
    /// - Parameters:
    ///   - event: The action, the subject and the properties.
    ///   - keep: The time for which it is the present state of its subject, in milliseconds; 0 to remove the one that
    ///     is, nil to leave that.
    ///   - emitter: The client.
    /// - Returns: The number of the event; that of the kept one, if nothing differs from it.
    /// - Throws: `APIError.invalidEvent` for an event that is not valid, or too many kept ones, `.rateLimited` beyond
    ///   the user's rate.
    package func emit(_ event: AppEvent, keep: Int64? = nil, by emitter: Emitter) throws(APIError) -> Int64 {
        let subject = KeptEvents.Subject(uid: emitter.uid, name: event.subject)
        if let problem = event.problem ?? kept.problem(of: subject, keep: keep) {
            refused += 1
            throw .invalidEvent(message: problem)
        }
        try admit(emitter.uid)
        var properties = event.properties
        properties[AppEvent.uidProperty] = String(emitter.uid)
        properties[AppEvent.userProperty] = emitter.name
        emitted += 1
        let draft = EventDraft(
            source: .app, action: event.action, subject: event.subject, properties: PropertyBlock(properties),
            cause: emitter.cause)
        guard let keep else { return bus.publish(draft) }
        let end = keep > 0 ? now().advanced(by: .milliseconds(keep)) : nil
        // The new end may be before that which is waited for.
        defer { alarm.ring() }
        if let end, let number = kept.extend(subject, like: draft, until: end) { return number }
        let record = bus.publishRecord(draft)
        kept[subject] = end.flatMap { end in record.map { KeptEvents.Entry(record: $0, end: end) } }
        return record?.sequence ?? 0
    }

    /// The kept events, in order of their subjects.
    package var keptEvents: [EventRecord] { kept.all }

    package func inventory(after: String?, limit: Int) async -> InventoryPage {
        InventoryPage(
            items: kept.all.map { record in
                var properties = record.properties
                properties.append(KeptEvents.actionProperty, record.action)
                return (record.subject, properties)
            })
    }

    private func admit(_ uid: UInt32) throws(APIError) {
        let now = now()
        if meters.count >= Self.users { meters = meters.filter { !$0.value.isClear(now) } }
        guard let wait = meters[uid, default: RateLimiter(burst: Self.burst, interval: Self.interval)].admit(now) else {
            return
        }
        limited += 1
        let milliseconds = max(1, wait.milliseconds)
        throw .rateLimited(
            wait: milliseconds,
            message:
                "uid \(uid) emits more than \(Self.burst) events at once, or \(Duration.seconds(1) / Self.interval) a "
                + "second; emit the next one in \(milliseconds) ms")
    }
}
