package import CleatAPI
package import CleatIO

/// The events of programs: what a client emits, checked, limited in its rate, and marked with its user.
///
/// An event of a program has the source `app`, so it can never be taken for one of a device, and names its emitter in
/// ``uidProperty`` and ``userProperty``, which no client can set.
package actor AppObserver: EventObserver {
    /// The property with the emitter's user id.
    package static let uidProperty = "EMITTER_UID"
    /// The property with the emitter's name, if the system knows one.
    package static let userProperty = "EMITTER"
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
    private var meters: [UInt32: RateLimiter] = [:]
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
    }

    /// Returns at once: events come by ``emit(_:by:)``, and nothing has to be read before them.
    package func run() async throws {}
    package nonisolated var isReady: Bool { true }
    package nonisolated func waitUntilReady() async {}

    package var counters: [Counter] {
        [Counter](named: ["programs.emitted": emitted, "programs.refused": refused, "programs.limited": limited])
    }

    /// Publishes an event of a program.
    ///
    /// - Parameters:
    ///   - event: The action, the subject and the properties.
    ///   - emitter: The client.
    /// - Returns: The number of the event.
    /// - Throws: `APIError.invalidEvent` for an event that is not valid, `.rateLimited` beyond the user's rate.
    package func emit(_ event: AppEvent, by emitter: Emitter) throws(APIError) -> Int64 {
        if let problem = event.problem {
            refused += 1
            throw .invalidEvent(message: problem)
        }
        try admit(emitter.uid)
        var properties = event.properties
        properties[Self.uidProperty] = String(emitter.uid)
        properties[Self.userProperty] = emitter.name
        emitted += 1
        return bus.publish(
            EventDraft(
                source: .app, action: event.action, subject: event.subject, properties: PropertyBlock(properties),
                cause: emitter.cause))
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

/// The content of an event that a program emits.
package struct AppEvent: Sendable, Hashable {
    /// The largest size of an action and of a property's name, in bytes.
    package static let wordBytes = 64
    /// The largest size of a subject, in bytes.
    package static let subjectBytes = 255
    /// The largest number of properties.
    package static let propertyCount = 32
    /// The largest size of all properties, in bytes.
    package static let propertyBytes = 4_096

    /// The action, such as `button-pressed`.
    package var action: String
    /// The subject, such as `door/front`.
    package var subject: String
    /// Further properties.
    package var properties: [String: String]

    /// Creates an event.
    package init(action: String, subject: String, properties: [String: String] = [:]) {
        self.action = action
        self.subject = subject
        self.properties = properties
    }

    /// The problem that makes the event invalid, with the remedy; nil if it is valid.
    package var problem: String? {
        if !Self.isWord(action, letters: UInt8(ascii: "a")...UInt8(ascii: "z"), and: UInt8(ascii: "-")) {
            return "the action must be a word of a-z, 0-9 and -, that begins with a letter and has at most "
                + "\(Self.wordBytes) bytes, such as button-pressed"
        }
        if !(1...Self.subjectBytes).contains(subject.utf8.count) || Self.holdsControl(subject) {
            return
                "the subject must have 1 to \(Self.subjectBytes) bytes without control characters, such as door/front"
        }
        if subject.utf8.first == UInt8(ascii: "/") {
            return "the subject must not begin with /, as the path of a device does; omit the slash"
        }
        guard properties.count <= Self.propertyCount else {
            return "the event has \(properties.count) properties, at most \(Self.propertyCount) are possible; omit some"
        }
        let bytes = properties.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= Self.propertyBytes else {
            return "the properties have \(bytes) bytes, at most \(Self.propertyBytes) are possible; shorten them"
        }
        for (name, value) in properties.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            if !Self.isWord(name, letters: UInt8(ascii: "A")...UInt8(ascii: "Z"), and: UInt8(ascii: "_")) {
                return
                    "the name of each property must be a word of A-Z, 0-9 and _, that begins with a letter and has at "
                    + "most \(Self.wordBytes) bytes, such as STATE"
            }
            if name == AppObserver.uidProperty || name == AppObserver.userProperty {
                return "the property \(name) names the emitter and is set by the service; omit it"
            }
            if Self.holdsControl(value) { return "the property \(name) holds a control character; remove it" }
        }
        return nil
    }

    private static func isWord(_ text: String, letters: ClosedRange<UInt8>, and mark: UInt8) -> Bool {
        guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= wordBytes else { return false }
        return text.utf8.allSatisfy {
            letters.contains($0) || $0 == mark || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }

    private static func holdsControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 32 || (127...159).contains($0.value) }
    }
}
