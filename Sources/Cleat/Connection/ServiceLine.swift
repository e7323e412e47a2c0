import CleatIO
import CleatVarlink
import Synchronization
import SystemPackage

/// The connection over which one client's calls go, one after the other; made anew when the service has been restarted.
actor ServiceLine {
    private nonisolated let thread: LoopThread
    private nonisolated let socket: String
    private nonisolated let timeout: Duration
    private var connection: VarlinkConnection?
    private var queue = CallQueue()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.loop.asUnownedSerialExecutor() }

    init(thread: LoopThread, socket: String, timeout: Duration) {
        self.thread = thread
        self.socket = socket
        self.timeout = timeout
    }

    /// Has a conversation with the service.
    ///
    /// It begins anew where the connection ends in between, so it must be one that does no harm when the service hears
    /// it twice: reading, or a change with an id.
    ///
    /// - Parameters:
    ///   - isPatient: whether a service that is not there is waited for, up to the time limit.
    ///   - body: the conversation.
    /// - Returns: what the conversation gave.
    /// - Throws: `CleatError`; within the time limit.
    nonisolated func converse<T: Sendable>(
        isPatient: Bool = true, _ body: @escaping @Sendable (VarlinkConnection) async throws -> T
    ) async throws(CleatError) -> T {
        let last = LastFailure()
        do {
            return try await thread.loop.withDeadline(timeout) {
                try await self.attempt(isPatient, last, body)
            }
        } catch let error as CleatError {
            throw error
        } catch let error as VarlinkClientError {
            throw CleatError(error, socket: socket)
        } catch is DeadlineExceeded {
            if let failure = last.error { throw CleatError(failure, socket: socket) }
            throw CleatError(
                .timedOut, "no answer from \(socket) within \(timeout)",
                remedy: "see what keeps cleatd busy: `cleat status`")
        } catch is CancellationError {
            throw CleatError(.cancelled, "the task was cancelled before \(socket) answered")
        } catch {
            throw CleatError(.failed, "\(socket): \(error)")
        }
    }

    private func attempt<T: Sendable>(
        _ isPatient: Bool, _ last: LastFailure, _ body: @Sendable (VarlinkConnection) async throws -> T
    ) async throws -> T {
        try await takeTurn()
        defer { queue.end() }
        var backoff = Backoff(limit: .seconds(1))
        var arrival: SocketArrival?
        defer { arrival?.close() }
        while true {
            let wasOpen = connection != nil
            do {
                let result = try await body(try await open())
                return result
            } catch let error as VarlinkClientError where error.isPassing {
                close()
                last.error = error
                // A connection that was left over says nothing about the service of today.
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
        let made = try await VarlinkConnection.connect(path: socket, loop: thread.loop)
        connection = made
        return made
    }

    private func close() {
        connection?.close()
        connection = nil
    }

    // MARK: Turns

    private func takeTurn() async throws {
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

/// Why the attempt before did not bring an answer, for the error when the time is over.
private final class LastFailure: Sendable {
    private let state = Mutex<VarlinkClientError?>(nil)

    var error: VarlinkClientError? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension VarlinkClientError {
    /// Whether another attempt may go well, because the service is away, was away, or had too many callers.
    var isPassing: Bool {
        switch code {
        case .connect: errno != .permissionDenied && errno != .notPermitted && errno != nil
        case .closed, .transport: true
        case .remote: remote?.name == "dev.cleat.Service.TooManyConnections"
        default: false
        }
    }
}
