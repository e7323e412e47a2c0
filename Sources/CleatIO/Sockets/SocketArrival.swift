internal import SystemPackage

/// Waits for a socket to be created again, after its listener has ended.
///
/// It watches the socket's directory, or the nearest existing directory above it. Create it before the attempt to
/// connect, so that no event after the attempt is missed.
package struct SocketArrival: Sendable {
    private let loop: EventLoop
    private let watch: NameWatch?
    private let readiness: Readiness?

    /// Starts to watch; if no watch is possible, the wait only lets the time pass.
    ///
    /// - Parameters:
    ///   - path: The socket's path; a socket in the abstract namespace (`@name`) causes no event when it is created.
    ///   - loop: The loop to wait on.
    package init(path: String, loop: EventLoop) {
        self.loop = loop
        guard path.hasPrefix("/"), let watch = try? NameWatch() else {
            self.watch = nil
            readiness = nil
            return
        }
        var directory = FilePath(path).removingLastComponent()
        var isWatched = false
        while !isWatched {
            isWatched = (try? watch.watch(directory.string)) != nil
            if !isWatched, !directory.removeLastComponent() { break }
        }
        self.watch = isWatched ? watch : nil
        readiness = isWatched ? try? loop.register(watch.queue.descriptor) : nil
    }

    /// Waits until something was created in the directory, at most for `limit`; returns true if so.
    package func wait(atMost limit: Duration) async throws -> Bool {
        guard let watch, let readiness else {
            try await loop.sleep(for: limit)
            return false
        }
        if watch.drain() { return true }
        do {
            try await loop.withDeadline(limit) { try await readiness.readable() }
        } catch is DeadlineExceeded {
            return false
        }
        return watch.drain()
    }

    /// Ends the watch.
    package func close() {
        readiness?.close()
        watch?.queue.close()
    }
}
