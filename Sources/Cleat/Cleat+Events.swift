import CleatAPI
import CleatIO

extension Cleat {
    /// Follows the board's events: the present state first (action `present`), and then each event as it happens.
    ///
    /// ```swift
    /// for try await event in try await cleat.events(from: .link, action: "up") { print(event.subject) }
    /// ```
    /// From the return of this call on, no event is missed: at most ``BoardEvents/buffer`` events wait for the program; if it reads more slowly, the oldest are dropped, and
    /// ``BoardEvent/missed`` of the next one has their number. After a restart of the service the present state comes
    /// again. Each sequence has a connection of its own, until it and its iterators are released.
    ///
    /// - Parameters:
    ///   - sources: the sources; none for all.
    ///   - action: a glob on the action, such as `up`; nil for all. See glob(7).
    ///   - subject: a glob on the subject, such as `eth*`; nil for all.
    /// - Returns: the sequence; each event reaches one of its iterators.
    /// - Throws: ``CleatError``: `refused` for a glob that is not valid, `unreachable`, `timedOut`, `denied`.
    public func events(
        from sources: BoardEvent.Source..., action: String? = nil, subject: String? = nil
    ) async throws(CleatError) -> BoardEvents {
        let filter = EventFilter(
            sources: sources.isEmpty ? nil : Set(sources.compactMap { EventSource(rawValue: $0.description) }),
            action: try Self.glob(action), subject: try Self.glob(subject))
        let mailbox = Mailbox<BoardEvent>(capacity: BoardEvents.buffer)
        let live = ChangeObserver()
        let sink = EventSink { event in
            if let event { mailbox.put(event) } else { live.note() }
        } fail: { error in
            live.fail(error)
            mailbox.fail(error)
        }
        let subscription = backend.follow(EventQuery(filter: filter), sink)
        guard try await live.next() != nil else {
            throw CleatError(.cancelled, "the task was cancelled before the events were followed")
        }
        return BoardEvents(mailbox: mailbox, subscription: subscription)
    }

    /// Returns a duration in whole milliseconds; one that is not zero never becomes zero.
    private static func milliseconds(_ time: Duration) -> Int64 {
        time.milliseconds != 0 || time == .zero ? time.milliseconds : time < .zero ? -1 : 1
    }

    private static func glob(_ text: String?) throws(CleatError) -> Glob? {
        guard let text else { return nil }
        guard let glob = Glob(text) else {
            throw CleatError(
                .refused, "“\(text)” is not a pattern of glob(7)",
                remedy: "close each [ with a ], and write \\[ for a bracket")
        }
        return glob
    }

    /// Follows the network links with their addresses, in order of their names: the present ones, and then each change.
    public var links: BoardStates<[NetworkLink]> {
        let backend = backend
        return BoardStates(
            backend: backend, query: EventQuery(filter: .init(sources: [.link]), hasPresent: false),
            read: StateReader { () async throws(CleatError) in try await backend.links().map(NetworkLink.init) })
    }

    /// Follows the board's connection to its network: the present state, and then each new one.
    ///
    /// ```swift
    /// for try await connection in cleat.connection { light.isOn = connection.isConnected }
    /// ```
    /// It shows what the kernel knows: addresses and routes, not whether a host somewhere answers.
    public var connection: BoardStates<NetworkConnection> {
        let backend = backend
        let former = ConnectionMemory()
        return BoardStates(
            backend: backend, query: EventQuery(filter: .init(sources: [.link]), hasPresent: false),
            read: StateReader { () async throws(CleatError) in
                former.next(try await backend.links().map(NetworkLink.init))
            })
    }

    /// Follows the power supplies, in order of their names: the present ones, and then each change of a typed value.
    ///
    /// ```swift
    /// for try await supplies in cleat.power { gauge.show(supplies.compactMap(\.capacity).min()) }
    /// ```
    /// While the sequence is in use and a battery discharges, the service reads the supplies every 30 s, since some
    /// drivers report nothing while the charge falls. Voltage, current, power and temperature are those of the last
    /// reading; a change of them alone is no new state.
    public var power: BoardStates<[PowerSupply]> {
        let backend = backend
        return BoardStates(
            backend: backend, query: EventQuery(filter: .init(sources: [.power]), hasPresent: false),
            read: StateReader { () async throws(CleatError) in try await backend.power().map(PowerSupply.init) })
    }

    /// Follows the board's location: the present one, and then each new one.
    ///
    /// ```swift
    /// for try await location in cleat.location where location.fix != .none { map.show(location) }
    /// ```
    /// A program on the board publishes it: `cleat-location`, or another one that emits its events.
    public var location: BoardStates<BoardLocation> {
        let backend = backend
        return BoardStates(
            backend: backend,
            query: EventQuery(
                filter: .init(sources: [.app], subject: Glob(LocationReport.subject)), hasPresent: false),
            read: StateReader { () async throws(CleatError) in BoardLocation(try await backend.kept()) })
    }

    /// Follows the devices of one subsystem, in order of their paths: the present ones, and then each change.
    ///
    /// After a change all devices of the subsystem are read, so ``events(from:action:subject:)`` suits a subsystem with
    /// thousands of them better.
    public func devices(in subsystem: String) -> BoardStates<[BoardDevice]> {
        let backend = backend
        return BoardStates(
            backend: backend, query: EventQuery(filter: .init(sources: [.device]), hasPresent: false),
            read: StateReader { () async throws(CleatError) in
                try await backend.devices(in: subsystem).map(BoardDevice.init)
            })
    }

    /// Publishes an event of this program, with the source `app`, for hooks and other programs.
    ///
    /// ```swift
    /// try await cleat.emit("opened", subject: "door/front", ["BY": "guest"])
    /// ```
    /// The service adds the program's user as the properties `EMITTER_UID` and `EMITTER`. If the connection is lost
    /// meanwhile, the call fails, and the event may or may not have been published: it is not sent twice.
    ///
    /// - Parameters:
    ///   - action: a word of a-z, 0-9 and `-`, at most 64 bytes.
    ///   - subject: 1 to 255 bytes without control characters that do not begin with `/`.
    ///   - properties: at most 32 with 4,096 bytes in all; the names are words of A-Z, 0-9 and `_`.
    ///   - time: the time for which the event is the present state of its subject, up to a day, for programs that start
    ///     to follow events later; zero to remove the state, nil for an event that is no state. Emitted again without a
    ///     difference, it is kept for the new time and no event is published; at the end of the time, the event `expired`
    ///     is. The states of one user are at most 16, and do not outlive the service.
    /// - Throws: ``CleatError``: `refused` for an event that is not valid, `rateLimited` beyond 200 events at once or 50
    ///   a second for the program's user, `denied` without the right to change settings.
    public func emit(
        _ action: String, subject: String, _ properties: [String: String] = [:], keepingFor time: Duration? = nil
    ) async throws(CleatError) {
        try await backend.emit(
            AppEvent(action: action, subject: subject, properties: properties), keep: time.map(Self.milliseconds))
    }
}
