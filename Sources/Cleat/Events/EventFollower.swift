import CleatAPI
import CleatIO
import CleatVarlink
import Synchronization

/// Follows the events of a service over a connection of its own, and connects again after the service restarts.
struct EventFollower: Sendable {
    /// The last event of the service that was received.
    private struct Position {
        var instance: String
        var sequence: Int64 = 0
        var isAnswered = false
        /// The number of dropped events that no event has reported yet.
        var lost = 0
        /// True if the service has replied once.
        var isKnown = false
    }

    let loop: EventLoop
    let socket: String
    let timeout: Duration
    let query: EventQuery
    let sink: EventSink

    /// Follows the events until the task is cancelled, or an error makes waiting pointless.
    func run() async {
        let arrival = SocketArrival(path: socket, loop: loop)
        defer { arrival.close() }
        var backoff = Backoff(limit: .seconds(5))
        // No instance has this name, so that the present state comes first.
        let position = PositionBox(Position(instance: "none"))
        let start = BootTime.now()
        while !Task.isCancelled {
            position.change { $0.isAnswered = false }
            do {
                try await subscribe(position)
            } catch let error as VarlinkClientError where error.isPassing {
                // The caller waits for the first reply; later, a service that is away is waited for.
                if !position.change({ $0.isKnown }), BootTime.now().duration(since: start) > timeout {
                    return sink.fail(CleatError(error, socket: socket))
                }
            } catch let error as VarlinkClientError {
                guard let remote = error.remote, case .tooSlow(let lost, _)? = APIError(remote) else {
                    return sink.fail(CleatError(error, socket: socket))
                }
                // The service keeps some events, and continues after the last one that was received.
                position.change { $0.lost += Int(clamping: lost) }
                continue
            } catch let error as CleatError {
                return sink.fail(error)
            } catch is CancellationError {
                return
            } catch {
                return sink.fail(CleatError.garbled(EventsInterface.Subscribe.name, error))
            }
            if position.change({ $0.isAnswered }) { backoff.reset() }
            do {
                if try await arrival.wait(atMost: backoff.next()) { backoff.reset() }
            } catch {
                if Task.isCancelled { return }
                return sink.fail(CleatError(.failed, "\(socket) can no longer be waited for: \(error)"))
            }
        }
    }

    private func subscribe(_ position: PositionBox) async throws {
        let connection = try await VarlinkConnection.open(socket, loop: loop, within: timeout)
        defer { connection.close() }
        let (instance, after) = position.change { ($0.instance, $0.sequence) }
        let parameters = EventsInterface.Subscribe.Parameters(
            sources: query.filter.sources?.map(\.rawValue).sorted(), action: query.filter.action?.description,
            subject: query.filter.subject?.description,
            instance: query.hasPresent ? instance : nil, after: query.hasPresent ? after : nil)
        try await connection.stream(
            EventsInterface.Subscribe.name, parameters.encoded, firstWithin: timeout, on: loop, socket: socket
        ) { reply in
            guard !EventsInterface.Subscribe.Reply.isOfLaterSource(reply) else { return true }
            let reply = try EventsInterface.Subscribe.Reply(wire: reply)
            take(reply, position)
            return true
        }
    }

    private func take(_ reply: EventsInterface.Subscribe.Reply, _ position: PositionBox) {
        let (isFirst, missed) = position.change { position in
            defer { (position.isAnswered, position.isKnown) = (true, true) }
            if position.instance != reply.instance { position.sequence = 0 }
            position.instance = reply.instance
            position.lost += Int(clamping: reply.lost ?? 0)
            guard let event = reply.event else { return (!position.isAnswered, 0) }
            position.sequence = max(position.sequence, event.sequence)
            defer { position.lost = 0 }
            return (!position.isAnswered, position.lost)
        }
        if isFirst { sink.take(nil) }
        if let event = reply.event { sink.take(BoardEvent(event, missed: missed)) }
    }

    /// A position that the calls of a connection share.
    private final class PositionBox: Sendable {
        private let state: Mutex<Position>

        init(_ position: Position) { state = Mutex(position) }

        @discardableResult
        func change<Value: Sendable>(_ body: (inout Position) -> Value) -> Value {
            state.withLock { body(&$0) }
        }
    }
}
