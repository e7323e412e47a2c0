internal import SystemPackage

/// Waits for a socket to be made again, after the one who listened on it has gone.
///
/// It watches the socket's directory, or the nearest one above it that is there. Make it before the attempt to connect:
/// then nothing that happens after the attempt is missed.
package struct SocketArrival: Sendable {
    private let loop: EventLoop
    private let watch: NameWatch?
    private let readiness: Readiness?

    /// Begins to watch; where the kernel has no watch to give, only time passes.
    ///
    /// - Parameters:
    ///   - path: the socket; one of the abstract space (`@name`) tells nobody when it comes.
    ///   - loop: where to wait.
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

    /// Waits until something came into the directory, at most for a time; true where something did.
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
