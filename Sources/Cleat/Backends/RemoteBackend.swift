import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatVarlink
import Synchronization

/// The settings of a service, accessed through its socket.
final class RemoteBackend: CleatBackend {
    /// The maximum number of settings that are accepted from a service: far more than one keeps.
    private static let maximumCount = 400_000
    /// The maximum number of attempts to read all settings at one generation.
    private static let attempts = 16

    let revealsSecrets: Bool
    private let thread: LoopThread
    private let socket: String
    private let timeout: Duration
    private let line: ServiceLine
    private let hub: WatchHub
    let areas: AreaSource

    init(socket: String, timeout: Duration, revealsSecrets: Bool) throws(CleatError) {
        thread = try SharedLoop.take()
        self.socket = socket
        self.timeout = timeout
        self.revealsSecrets = revealsSecrets
        line = ServiceLine(thread: thread, socket: socket, timeout: timeout)
        // Calls about large files do not delay the settings.
        areas = .service(ServiceLine(thread: thread, socket: socket, timeout: timeout))
        hub = WatchHub(thread: thread, socket: socket, timeout: timeout)
    }

    /// Checks that the service answers.
    func greet(isPatient: Bool) async throws(CleatError) {
        try await line.converse(isPatient: isPatient) { connection in
            _ = try await connection.call("org.varlink.service.GetInfo")
        }
    }

    func call<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, isRepeatable: Bool = true
    ) async throws(CleatError) -> Method.Reply {
        let reply = try await line.converse(isRepeatable: isRepeatable) { connection in
            try await connection.call(Method.name, parameters.encoded)
        }
        do {
            return try Method.Reply(wire: reply)
        } catch {
            throw CleatError.garbled(Method.name, error)
        }
    }

    func get(_ path: SettingPath) async throws(CleatError) -> SettingsInterface.Get.Reply {
        try await call(SettingsInterface.Get.self, .init(path: path.text, reveal: revealsSecrets ? true : nil))
    }

    func describe(_ path: SettingPath?) async throws(CleatError) -> SettingsInterface.Describe.Reply {
        try await call(SettingsInterface.Describe.self, .init(prefix: path?.text))
    }

    func set(_ parameters: SettingsInterface.Set.Parameters) async throws(CleatError) -> SettingsInterface.Set.Reply {
        try await call(SettingsInterface.Set.self, parameters)
    }

    func reset(
        _ parameters: SettingsInterface.Reset.Parameters
    ) async throws(CleatError) -> SettingsInterface.Set.Reply {
        try await call(SettingsInterface.Reset.self, parameters)
    }

    // MARK: Trials

    func pending() async throws(CleatError) -> TransactionsInterface.Pending.Reply {
        try await call(TransactionsInterface.Pending.self, .init())
    }

    func confirm(_ id: String) async throws(CleatError) -> TransactionsInterface.End {
        try await call(TransactionsInterface.Confirm.self, .init(id: id))
    }

    func extend(_ id: String, to window: Int64) async throws(CleatError) {
        _ = try await call(TransactionsInterface.Extend.self, .init(id: id, window: window))
    }

    func abort(_ id: String) async throws(CleatError) -> TransactionsInterface.End {
        try await thread.shielded { () throws(CleatError) in
            try await self.call(TransactionsInterface.Abort.self, .init(id: id))
        }
    }

    func outcome(of id: String) async throws(CleatError) -> TransactionsInterface.End {
        try await thread.shielded { () throws(CleatError) in
            try await self.call(TransactionsInterface.Wait.self, .init(id: id))
        }
    }

    // MARK: All settings

    func view(under prefix: SettingPath?) async throws(CleatError) -> (SettingsView, GenerationRef) {
        for attempt in 1...Self.attempts {
            if let found = try await pages(under: prefix) { return found }
            try await pause(attempt: attempt)
        }
        throw CleatError(
            .conflict, "others changed the settings each of the \(Self.attempts) times that they were read",
            remedy: "see `cleat log` for the authors")
    }

    /// Reads all pages; nil if they are not all of one generation.
    private func pages(under prefix: SettingPath?) async throws(CleatError) -> (SettingsView, GenerationRef)? {
        let parameters = SettingsInterface.List.Parameters(
            prefix: prefix?.text, defaults: true, reveal: revealsSecrets ? true : nil)
        let reading = try await line.converse { connection in
            let reading = PagedReading(maximumCount: Self.maximumCount)
            try await connection.stream(SettingsInterface.List.name, parameters.encoded) { page in
                do {
                    try reading.take(try SettingsInterface.List.Reply(wire: page))
                } catch {
                    throw CleatError.garbled(SettingsInterface.List.name, error)
                }
                return true
            }
            return reading
        }
        return reading.result
    }

    func pause(attempt: Int) async throws(CleatError) { try await thread.pause(attempt: attempt) }

    // MARK: Following

    func add(_ id: UInt64, _ path: SettingPath, _ observer: ChangeObserver) {
        thread.loop.task { [hub] in await hub.add(id, path, observer) }
    }

    func remove(_ id: UInt64) {
        thread.loop.task { [hub] in await hub.remove(id) }
    }

    func notifyAgain() {
        thread.loop.task { [hub] in await hub.restart() }
    }
}

extension RemoteBackend {
    func emit(_ event: AppEvent, keep: Int64?) async throws(CleatError) {
        _ = try await call(
            EventsInterface.Emit.self,
            .init(
                action: event.action, subject: event.subject,
                properties: event.properties.isEmpty ? nil : event.properties, keep: keep), isRepeatable: false)
    }

    func kept() async throws(CleatError) -> [Event] {
        try await call(EventsInterface.Kept.self, .init()).events
    }

    func links() async throws(CleatError) -> [Link] {
        try await call(EventsInterface.Links.self, .init()).links
    }

    func power() async throws(CleatError) -> [Supply] {
        try await call(EventsInterface.Power.self, .init()).supplies
    }

    func devices(in subsystem: String) async throws(CleatError) -> [Device] {
        var devices: [Device] = []
        var after: String?
        repeat {
            let page = try await call(EventsInterface.Devices.self, .init(subsystem: subsystem, after: after))
            devices += page.devices
            guard devices.count <= Self.maximumCount else {
                throw CleatError(.notUnderstood, "\(socket) lists more than \(Self.maximumCount) devices")
            }
            // The paths come in order, so a page that does not advance would come for ever.
            guard page.next.map({ $0 > after ?? "" }) ?? true else {
                throw CleatError(.notUnderstood, "\(socket) lists the same devices again and again")
            }
            after = page.next
        } while after != nil
        return devices
    }

    func follow(_ query: EventQuery, _ sink: EventSink) -> EventFollowing {
        let follower = EventFollower(loop: thread.loop, socket: socket, timeout: timeout, query: query, sink: sink)
        // The thread ends with the last reference to it.
        let task = thread.loop.task(name: "events") { [thread] in
            await follower.run()
            withExtendedLifetime(thread) {}
        }
        return EventFollowing { task.cancel() }
    }
}

/// Joins the pages of one listing.
private final class PagedReading: Sendable {
    private struct State {
        var rows: [SettingsView.Row] = []
        var reference: GenerationRef?
        var isTorn = false
    }

    private struct TooMany: Error, CustomStringConvertible {
        let limit: Int
        var description: String { "there are more than \(limit) settings" }
    }

    private let maximumCount: Int
    private let state = Mutex(State())

    init(maximumCount: Int) { self.maximumCount = maximumCount }

    func take(_ page: SettingsInterface.List.Reply) throws {
        var rows: [SettingsView.Row] = []
        for setting in page.settings {
            rows.append(
                SettingsView.Row(
                    path: try SettingPath(setting.path), value: setting.complete, origin: setting.origin,
                    isSecret: setting.secret ?? false))
        }
        let reference = GenerationRef(store: page.store, generation: page.generation)
        try state.withLock { state in
            guard state.rows.count + rows.count <= maximumCount else { throw TooMany(limit: maximumCount) }
            state.rows += rows
            if let before = state.reference, before != reference { state.isTorn = true }
            state.reference = reference
        }
    }

    var result: (SettingsView, GenerationRef)? {
        state.withLock { state in
            guard let reference = state.reference, !state.isTorn else { return nil }
            return (SettingsView(state.rows), reference)
        }
    }
}
