import CleatIO
import CleatSandbox
import Synchronization
import SystemPackage

/// Follows the files that are completely written into one directory of a sandbox: inotify(7).
///
/// Events are read when the reader needs them, so the system's queue is the only buffer, and the kernel reports its
/// overflow.
final class SandboxWatch: Sendable {
    private struct State: Sendable {
        /// The arrivals of the last read that are not delivered yet; a failure is the last one.
        var pending: ArraySlice<Result<FilesArrival, FilesError>> = []
        /// The last files that were moved in: a program that renames a file before it closes it causes two events.
        var moved: [FilesEntry] = []
        var isOver = false
    }

    private static let movedLimit = 16
    /// The time that a program has to rename a file that it has closed, so that only its last name is reported.
    private static let settling = Duration.milliseconds(50)

    private static let events: WatchEvents = [.closedAfterWriting, .movedTo, .selfDeleted, .selfMoved]
    private static let readLimit = 1 << 16

    private let calls = SystemWatchCalls()
    private let path: SandboxPath
    private let root: AreaRoot
    /// The watched directory; it is not held open, since the kernel reports its removal only when it is closed.
    private let identity: FileIdentity
    private let queue: Descriptor
    private let thread: LoopThread
    private let readiness: Readiness
    private let state = Mutex(State())

    init(_ root: AreaRoot, _ path: SandboxPath) throws(SandboxError) {
        self.path = path
        self.root = root
        let directory = try root.openDirectory(path, "watch")
        do throws(Errno) {
            identity = try root.calls.attributes(of: directory.descriptor).identity
            queue = Descriptor(owning: try calls.open())
            _ = try calls.watch(directory.descriptor, for: Self.events, in: queue.descriptor)
            thread = try LoopThread.shared()
            readiness = try thread.loop.register(queue.descriptor)
        } catch {
            guard error == .noSpace || error == .tooManyOpenFiles else { throw Self.failure(error, path) }
            throw SandboxError(
                .resources, "watch", area: nil, path: path.text,
                detail: "the user's watches are exhausted (\(error)); raise the limits in fs.inotify")
        }
    }

    deinit { readiness.close() }

    /// Waits for the next arrival; nil if there can be none any more.
    func next(on sandbox: Sandbox) async throws(FilesError) -> FilesArrival? {
        while true {
            let (first, isOver) = state.withLock { ($0.pending.popFirst(), $0.isOver) }
            if let first { return try first.get() }
            if isOver { return nil }
            do {
                try await thread.loop.sleep(for: Self.settling)
                if try await sandbox.run({ _ in try self.read(sandbox.label) }) { continue }
                try await readiness.readable()
            } catch let error as FilesError {
                throw error
            } catch is CancellationError {
                return nil
            } catch {
                throw FilesError(SandboxError(.busy, "watch", area: nil, path: path.text), in: sandbox.label)
            }
        }
    }

    private static func failure(_ errno: Errno, _ path: SandboxPath) -> SandboxError {
        SandboxError(errno, "watch", area: nil, path: path.text)
    }

    /// Reads the next events; returns false if there are none yet.
    private func read(_ label: String) throws(SandboxError) -> Bool {
        let events: [WatchEvent]?
        do throws(Errno) {
            events = try calls.read(queue.descriptor, limit: Self.readLimit)
        } catch {
            throw Self.failure(error, path)
        }
        guard let events else { return false }
        let arrivals: [Result<FilesArrival, FilesError>]
        do throws(SandboxError) {
            let directory = try root.openDirectory(path, "watch")
            guard try root.attributes(of: directory, path, "watch").identity == identity else {
                throw SandboxError(.changed, "watch", area: nil, path: path.text)
            }
            arrivals = events.compactMap { arrival($0, in: directory, label).map { .success($0) } }
        } catch {
            arrivals = [.failure(FilesError(error, in: label))]
            state.withLock { $0.isOver = true }
        }
        state.withLock { $0.pending += arrivals }
        return true
    }

    /// Returns true if a file is closed that was reported when it was moved, and has not changed since.
    private func isClosedAfterMove(_ entry: FilesEntry, _ event: WatchEvent) -> Bool {
        state.withLock { state in
            if event.events.contains(.movedTo) {
                if state.moved.count == Self.movedLimit { state.moved.removeFirst() }
                state.moved.append(entry)
                return false
            }
            guard let index = state.moved.firstIndex(of: entry) else { return false }
            state.moved.remove(at: index)
            return true
        }
    }

    private func arrival(_ event: WatchEvent, in directory: Descriptor, _ label: String) -> FilesArrival? {
        if event.events.contains(.overflow) { return .lost }
        let name = FileName(bytes: event.name)
        // A file that has gone since, or is not a regular one, has not arrived.
        guard !event.events.contains(.isDirectory), !event.name.isEmpty, !name.isReserved,
            let attributes = try? root.calls.attributes(of: name, in: directory.descriptor), attributes.type == .regular
        else { return nil }
        let prefix = path.isRoot ? [] : Array(path.text.utf8) + [UInt8(ascii: "/")]
        do throws(SandboxError) {
            let path = FilesPath(try SandboxPath(bytes: prefix + event.name))
            let entry = FilesEntry(path: path, attributes: attributes)
            return isClosedAfterMove(entry, event) ? nil : .file(entry)
        } catch {
            return .refused(FilesError(error, in: label))
        }
    }
}
