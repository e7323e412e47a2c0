import CleatAPI
import CleatIO
import Synchronization

/// The events of the program's memory: its own ones, and those of its changes of settings.
final class MemoryEvents: Sendable {
    /// An event without its number and time.
    struct Draft: Sendable {
        let source: EventSource
        let action: String
        let subject: String
        let properties: [String: String]
    }

    private struct State {
        var sequence: Int64 = 0
        var lastID: UInt64 = 0
        var sinks: [UInt64: (filter: EventFilter, sink: EventSink)] = [:]
    }

    private let state = Mutex(State())

    /// Passes an event to all sinks whose filters match.
    func publish(_ draft: Draft) {
        state.withLock { state in
            state.sequence += 1
            let event = BoardEvent(
                Event(
                    sequence: state.sequence, source: draft.source, action: draft.action, subject: draft.subject,
                    properties: draft.properties, time: WallTime.now().description, bootID: "", bootTime: 0,
                    synchronised: WallTime.clockSynchronised), missed: 0)
            // A sink only queues the event, so the order is that of the numbers for each of them.
            for (filter, sink) in state.sinks.values
            where filter.matches(source: draft.source, action: draft.action, subject: draft.subject) {
                sink.take(event)
            }
        }
    }

    /// Passes events to a sink until the result is released.
    func follow(_ query: EventQuery, _ sink: EventSink) -> EventFollowing {
        let id = state.withLock { state in
            state.lastID += 1
            state.sinks[state.lastID] = (query.filter, sink)
            return state.lastID
        }
        sink.take(nil)
        return EventFollowing { [weak self] in _ = self?.state.withLock { $0.sinks.removeValue(forKey: id) } }
    }
}
