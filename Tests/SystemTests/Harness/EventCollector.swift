import CleatAPI
import CleatIO
import CleatJSON
import CleatVarlink
import Synchronization
import Testing

/// Subscribes to events of a service and keeps them.
final class EventCollector: Sendable {
    private struct State {
        var instance: String?
        var events: [Event] = []
        var lost: Int64 = 0
        var error: (any Error)?
    }

    private let connection: VarlinkConnection
    private let state = Mutex(State())

    /// Subscribes, and returns once the service says that it has.
    init(_ agent: RunningAgent, _ parameters: EventsInterface.Subscribe.Parameters = .init()) async throws {
        connection = try await agent.connect()
        agent.board.loop.task { await self.follow(parameters.wire) }
        try await agent.board.eventually("the subscription was there") {
            if let error = self.state.withLock({ $0.error }) { throw error }
            return self.instance != nil
        }
    }

    private func follow(_ parameters: JSONObject) async {
        do {
            try await connection.stream(EventsInterface.Subscribe.name, parameters.encoded) { reply in
                let reply = try EventsInterface.Subscribe.Reply(wire: reply)
                self.state.withLock { state in
                    state.instance = reply.instance
                    if let event = reply.event { state.events.append(event) }
                    state.lost += reply.lost ?? 0
                }
                return true
            }
        } catch {
            state.withLock { $0.error = error }
        }
    }

    /// The instance of the service that sends the events.
    var instance: String? { state.withLock { $0.instance } }

    /// The events so far.
    var events: [Event] { state.withLock { $0.events } }

    /// The number of lost events.
    var lost: Int64 { state.withLock { $0.lost } }

    /// Action and subject of the events of one source.
    func words(_ source: EventSource) -> [String] {
        events.filter { $0.source == source }.map { "\($0.action) \($0.subject)" }
    }

    /// Returns true if these events were received, in this order, with any others between them.
    func told(_ words: [String], _ source: EventSource) -> Bool {
        var rest = self.words(source)[...]
        return words.allSatisfy { word in
            guard let place = rest.firstIndex(of: word) else { return false }
            rest = rest[(place + 1)...]
            return true
        }
    }

    /// Ends the subscription.
    func close() { connection.close() }
}
