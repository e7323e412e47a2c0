import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatVarlink

/// Follows the settings for all sequences of one client over one connection, and reconnects after the service restarts.
actor WatchHub {
    private struct Entry {
        let path: SettingPath
        let observer: ChangeObserver
    }

    private nonisolated let thread: LoopThread
    private nonisolated let socket: String
    private nonisolated let timeout: Duration
    private var entries: [UInt64: Entry] = [:]
    private var connection: VarlinkConnection?
    private var isFollowing = false
    /// True if the connection was closed on purpose, to be opened again with the present set of paths.
    private var isRestarting = false
    private var isAnswered = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.loop.asUnownedSerialExecutor() }

    init(thread: LoopThread, socket: String, timeout: Duration) {
        self.thread = thread
        self.socket = socket
        self.timeout = timeout
    }

    /// Adds an observer of a path; it is notified once the service has confirmed the subscription.
    func add(_ id: UInt64, _ path: SettingPath, _ observer: ChangeObserver) {
        entries[id] = Entry(path: path, observer: observer)
        guard isFollowing else {
            isFollowing = true
            thread.loop.task(name: "watch") { await self.follow() }
            return
        }
        restart()
    }

    /// Removes an observer, and closes the connection if none remains.
    func remove(_ id: UInt64) {
        entries[id] = nil
        if entries.isEmpty { connection?.close() }
    }

    /// Closes the connection so that it is opened again: for a new path, or after a read on another connection failed.
    func restart() {
        isRestarting = true
        connection?.close()
    }

    private func follow() async {
        let arrival = SocketArrival(path: socket, loop: thread.loop)
        defer { arrival.close() }
        var backoff = Backoff(limit: .seconds(5))
        while !entries.isEmpty {
            isRestarting = false
            isAnswered = false
            do {
                try await watch()
            } catch let error as VarlinkClientError where error.isPassing {
                if isAnswered { backoff.reset() }
            } catch let error as VarlinkClientError {
                if isRestarting { continue }
                refuse(CleatError(error, socket: socket), error)
                continue
            } catch let error as CleatError {
                fail(error)
                continue
            } catch {
                if isRestarting || entries.isEmpty { continue }
                fail(CleatError.garbled(SettingsInterface.Watch.name, error))
                continue
            }
            if isRestarting || entries.isEmpty { continue }
            do {
                if try await arrival.wait(atMost: backoff.next()) { backoff.reset() }
            } catch {
                fail(CleatError(.failed, "\(socket) can no longer be waited for: \(error)"))
            }
        }
        isFollowing = false
    }

    private func watch() async throws {
        let made = try await VarlinkConnection.open(socket, loop: thread.loop, within: timeout)
        connection = made
        defer {
            made.close()
            connection = nil
        }
        let watched = entries
        let paths = Set(watched.values.map(\.path)).sorted().map(\.text)
        // If there are more paths than one call takes, the whole tree is followed.
        let prefixes = paths.count > APILimits.prefixes ? [] : paths
        try await made.stream(
            SettingsInterface.Watch.name, SettingsInterface.Watch.Parameters(prefixes: prefixes).encoded,
            firstWithin: timeout, on: thread.loop, socket: socket
        ) { reply in
            await self.take(try SettingsInterface.Watch.Reply(wire: reply), watched)
            return true
        }
    }

    private func take(_ reply: SettingsInterface.Watch.Reply, _ watched: [UInt64: Entry]) {
        let isFirst = !isAnswered
        isAnswered = true
        for (id, entry) in watched where entries[id] != nil {
            if isFirst || reply.touches(entry.path) { entry.observer.note() }
        }
    }

    /// Fails the observers whose path the service does not know; all of them for any other error.
    private func refuse(_ error: CleatError, _ cause: VarlinkClientError) {
        guard let remote = cause.remote, case .unknownSetting(let path, _)? = APIError(remote) else {
            return fail(error)
        }
        let unknown = entries.filter { $0.value.path.text == path }
        if unknown.isEmpty { return fail(error) }
        for (id, entry) in unknown {
            entries[id] = nil
            entry.observer.fail(error)
        }
    }

    private func fail(_ error: CleatError) {
        for entry in entries.values { entry.observer.fail(error) }
        entries = [:]
    }
}

extension SettingsInterface.Watch.Reply {
    /// Returns true if the reply reports a change at a path, below it or above it, or lost commits.
    fileprivate func touches(_ path: SettingPath) -> Bool {
        func overlaps(_ text: String) -> Bool {
            guard let other = try? SettingPath(text) else { return false }
            return path.isPrefix(of: other) || other.isPrefix(of: path)
        }
        return lost != nil || settings.contains { overlaps($0.path) } || removed.contains(where: overlaps)
    }
}
