import CleatAPI
import CleatIO
import CleatJSON
import CleatVarlink
import Synchronization
import SystemPackage

/// The connection for one client's calls, which run one at a time; it is reopened after a restart of the service.
package actor ServiceLine {
    private nonisolated let thread: LoopThread
    private nonisolated let socket: String
    private nonisolated let timeout: Duration
    private var connection: VarlinkConnection?
    private var queue = CallQueue()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.loop.asUnownedSerialExecutor() }

    init(thread: LoopThread, socket: String, timeout: Duration) {
        self.thread = thread
        self.socket = socket
        self.timeout = timeout
    }

    /// Runs a sequence of calls on the connection.
    ///
    /// The sequence runs again if the connection is lost, so it must be idempotent: reads, or a change with an id.
    ///
    /// - Parameters:
    ///   - isPatient: true to wait for a service that is not running, up to the time limit.
    ///   - isRepeatable: false for a sequence that must not run twice; it fails if the connection is lost meanwhile.
    ///   - extra: the time that the sequence has in addition to the time limit.
    ///   - body: the sequence of calls.
    /// - Returns: the result of `body`.
    /// - Throws: `CleatError`, within the time limit.
    nonisolated func converse<T: Sendable>(
        isPatient: Bool = true, isRepeatable: Bool = true, extra: Duration = .zero,
        _ body: @escaping @Sendable (VarlinkConnection) async throws -> T
    ) async throws(CleatError) -> T {
        let last = LastValue<VarlinkClientError>()
        do {
            return try await thread.loop.withDeadline(timeout + extra) {
                try await self.attempt(isPatient, isRepeatable, last, body)
            }
        } catch let error as CleatError {
            throw error
        } catch let error as VarlinkClientError {
            throw CleatError(error, socket: socket)
        } catch is DeadlineExceeded {
            if let failure = last.value { throw CleatError(failure, socket: socket) }
            throw CleatError.silence(socket, timeout + extra)
        } catch is CancellationError {
            throw CleatError(.cancelled, "the task was cancelled before \(socket) answered")
        } catch {
            throw CleatError(.failed, "\(socket): \(error)")
        }
    }

    /// Runs a sequence of calls later, if the service can be reached then; errors are ignored.
    nonisolated func attempt(_ body: @escaping @Sendable (VarlinkConnection) async throws -> Void) {
        thread.loop.task(name: "attempt") { try? await self.converse(isPatient: false, body) }
    }

    private func attempt<T: Sendable>(
        _ isPatient: Bool, _ isRepeatable: Bool, _ last: LastValue<VarlinkClientError>,
        _ body: @Sendable (VarlinkConnection) async throws -> T
    ) async throws -> T {
        try await waitForTurn()
        defer { queue.end() }
        var backoff = Backoff(limit: .seconds(1))
        var arrival: SocketArrival?
        defer { arrival?.close() }
        // A connection whose service has ended meanwhile would take the call, and its effect would not be known.
        if !isRepeatable { close() }
        while true {
            let wasOpen = connection != nil
            var isSent = false
            do {
                let connection = try await open()
                isSent = true
                return try await body(connection)
            } catch let error as VarlinkClientError where error.isPassing {
                close()
                last.value = error
                // A full service refuses the connection before it reads a call.
                guard isRepeatable || !isSent || error.remote != nil else { throw error }
                // A failure of an old connection says nothing about the service that runs now.
                if wasOpen { continue }
                guard isPatient else { throw error }
            } catch let error as VarlinkClientError where error.remote != nil {
                throw error
            } catch {
                close()
                throw error
            }
            if let arrival, try await arrival.wait(atMost: backoff.next()) { backoff.reset() }
            if arrival == nil { arrival = SocketArrival(path: socket, loop: thread.loop) }
        }
    }

    private func open() async throws -> VarlinkConnection {
        if let connection { return connection }
        let made = try await VarlinkConnection.open(socket, loop: thread.loop, within: timeout)
        connection = made
        return made
    }

    private func close() {
        connection?.close()
        connection = nil
    }

    // MARK: Turns

    private func waitForTurn() async throws {
        if queue.take() { return }
        let id = queue.makeID()
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.wait(id, continuation)
                if Task.isCancelled { queue.leave(id) }
            }
        } onCancel: {
            thread.loop.task { await self.leave(id) }
        }
        guard isMine else { throw CancellationError() }
    }

    private func leave(_ id: UInt64) { queue.leave(id) }
}

/// A value that the attempts of one call share, such as the failure of the previous one.
final class LastValue<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    var value: Value? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension VarlinkConnection {
    /// Connects to the service, and proves the token of the process, if it has one, within a time limit.
    static func open(_ socket: String, loop: EventLoop, within limit: Duration) async throws -> VarlinkConnection {
        let connection = try await connect(path: socket, loop: loop)
        do {
            guard let parameters = try ServiceSocket.authentication(Environment.value) else { return connection }
            _ = try await loop.withDeadline(limit) {
                try await connection.call(ServiceInterface.Authenticate.name, parameters.encoded)
            }
            return connection
        } catch is DeadlineExceeded {
            connection.close()
            throw CleatError.silence(socket, limit)
        } catch {
            connection.close()
            guard let refusal = APIError.tokenRefusal(error) else { throw error }
            throw CleatError(.denied, refusal, remedy: APIError.tokenRemedy)
        }
    }

    /// Calls a method that replies more than once, and closes the connection if the first reply does not come in time.
    ///
    /// - Throws: `CleatError` with the code `timedOut` then; otherwise like `stream(_:_:each:)`.
    func stream(
        _ method: String, _ parameters: JSONObjectText, firstWithin limit: Duration, on loop: EventLoop, socket: String,
        each: @Sendable (JSONObject) async throws -> Bool
    ) async throws {
        let first = FirstReply()
        let timer = loop.task {
            try? await loop.sleep(for: limit)
            if !Task.isCancelled, first.isMissing() { self.close() }
        }
        defer { timer.cancel() }
        do {
            try await stream(method, parameters) { reply in
                first.arrived()
                return try await each(reply)
            }
        } catch  where first.isTooLate {
            throw CleatError.silence(socket, limit)
        }
    }
}

/// The arrival of a stream's first reply, or the end of the time limit, whichever comes first.
private final class FirstReply: Sendable {
    private enum State { case awaited, arrived, tooLate }

    private let state = Mutex(State.awaited)

    var isTooLate: Bool { state.withLock { $0 == .tooLate } }

    func arrived() { state.withLock { if $0 == .awaited { $0 = .arrived } } }

    /// Notes that the time limit is over; returns true if the reply has not arrived.
    func isMissing() -> Bool {
        state.withLock { state in
            if state == .awaited { state = .tooLate }
            return state == .tooLate
        }
    }
}

extension VarlinkClientError {
    /// True if another attempt may succeed: the service is or was unavailable, or had too many connections.
    var isPassing: Bool {
        switch code {
        case .connect: errno != .permissionDenied && errno != .notPermitted && errno != nil
        case .closed, .transport: true
        case .remote: remote?.name == "dev.cleat.Service.TooManyConnections"
        default: false
        }
    }
}

/// The delay before the next attempt to reach a service: 20 ms at first, doubled each time, up to a limit.
struct Backoff {
    private static let first = Duration.milliseconds(20)
    private let limit: Duration
    private var delay = first

    init(limit: Duration) { self.limit = limit }

    /// Returns the present delay, and doubles it for the next call.
    mutating func next() -> Duration {
        defer { delay = min(delay * 2, limit) }
        return min(delay, limit)
    }

    /// Starts again with the first delay, because the service's socket has changed or the service has replied.
    mutating func reset() { delay = Self.first }
}
