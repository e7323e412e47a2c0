package import CleatAPI
package import CleatFiles

/// The source of events, links and devices: a service, or a store of the program's own.
package protocol EventsBackend: Sendable {
    /// Publishes an event of the program, and keeps it for a time in milliseconds: 0 to remove a kept one, nil not to.
    func emit(_ event: AppEvent, keep: Int64?) async throws(CleatError)
    /// Returns the kept events of programs in order of their subjects.
    func kept() async throws(CleatError) -> [Event]
    /// Returns the network links in order of their names.
    func links() async throws(CleatError) -> [Link]
    /// Returns the devices of a subsystem in order of their paths.
    func devices(in subsystem: String) async throws(CleatError) -> [Device]
    /// Reads the power supplies, and returns them in order of their names.
    func power() async throws(CleatError) -> [Supply]
    /// Passes events to a sink until the result is released.
    func follow(_ query: EventQuery, _ sink: EventSink) -> EventFollowing
}

/// The source of the areas of files.
package enum AreaSource: Sendable {
    /// A service, with a connection for calls about files.
    case service(ServiceLine)
    /// The program's own files, by the names of the areas.
    case given([String: any Files & FilesWatching])
}

/// The source of files: a service, or files that the program has given.
package protocol FilesBackend: Sendable {
    /// The source of the areas.
    var areas: AreaSource { get }
}

/// Everything that a client needs from the board.
package typealias CleatBackend = SettingsBackend & EventsBackend & HistoryBackend & FilesBackend
