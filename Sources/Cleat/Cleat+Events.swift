import CleatAPI

extension Cleat {
    /// Follows the board's events: the present state first (action `present`), and then each event as it happens.
    ///
    /// ```swift
    /// for try await event in cleat.events(from: .link, action: "up") { print(event.subject) }
    /// ```
    /// At most ``BoardEvents/buffer`` events wait for the program; if it reads more slowly, the oldest are dropped, and
    /// ``BoardEvent/missed`` of the next one has their number. After a restart of the service the present state comes
    /// again. Each iterator has a connection of its own.
    ///
    /// - Parameters:
    ///   - sources: the sources; none for all.
    ///   - action: a glob on the action, such as `up`; nil for all. See glob(7).
    ///   - subject: a glob on the subject, such as `eth*`; nil for all.
    /// - Returns: the sequence, which throws ``CleatError``: `refused` for a glob that is not valid.
    public func events(
        from sources: BoardEvent.Source..., action: String? = nil, subject: String? = nil
    ) -> BoardEvents {
        BoardEvents(backend: backend, sources: sources, action: action, subject: subject)
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
    /// - Throws: ``CleatError``: `refused` for an event that is not valid, `rateLimited` beyond 200 events at once or 50
    ///   a second for the program's user, `denied` without the right to change settings.
    public func emit(
        _ action: String, subject: String, _ properties: [String: String] = [:]
    ) async throws(CleatError) {
        try await backend.emit(AppEvent(action: action, subject: subject, properties: properties))
    }
}
