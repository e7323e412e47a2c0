import CleatAPI

/// The source of events, links and devices: a service, or the program's own memory.
protocol EventsBackend: Sendable {
    /// Publishes an event of the program.
    func emit(_ event: AppEvent) async throws(CleatError)
    /// Returns the network links in order of their names.
    func links() async throws(CleatError) -> [Link]
    /// Returns the devices of a subsystem in order of their paths.
    func devices(in subsystem: String) async throws(CleatError) -> [Device]
    /// Passes events to a sink until the result is released.
    func follow(_ query: EventQuery, _ sink: EventSink) -> EventSubscription
}

/// Everything that a client needs from the board.
typealias CleatBackend = SettingsBackend & EventsBackend & HistoryBackend
