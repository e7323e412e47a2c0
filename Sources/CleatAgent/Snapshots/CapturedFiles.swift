import CleatAdapters
import CleatIO
import CleatStore
import Synchronization

/// The states of files in the last snapshot, so that the next one opens only those that have changed since.
///
/// A file is recognised by its stamp, which the kernel changes with the content and the attributes.
final class CapturedFiles: Sendable {
    private struct Entry {
        let stamp: FileStamp
        let adapter: String
        let state: SnapshotRequest.State
        let isHidden: Bool
    }

    private let now: @Sendable () -> WallTime
    /// The states that the store has, and those of the last capture, which it may not have yet.
    private let states = Mutex<(stored: [Resource: Entry], captured: [Resource: Entry])>(([:], [:]))

    /// Creates an empty memory with a clock, which is that of the files.
    init(now: @escaping @Sendable () -> WallTime = WallTime.now) { self.now = now }

    /// Captures resources; called on the worker.
    ///
    /// Once the store has the states, ``keep()`` must be called; until then they count for nothing.
    ///
    /// - Parameters:
    ///   - resources: The resources, with the names of their adapters.
    ///   - secret: The adapters whose resources may hold secrets.
    ///   - system: The system.
    /// - Returns: The states; of a file that has not changed since the last snapshot, the reference to its state.
    /// - Throws: The first resource that cannot be read completely.
    func capture(
        _ resources: [(resource: Resource, adapter: String)], holdingSecrets secret: Set<String>,
        on system: SystemResources
    ) throws(ResourceError) -> [SnapshotRequest.Resource] {
        let (former, now) = (states.withLock { $0.stored }, now())
        var found: [Resource: Entry] = [:]
        found.reserveCapacity(former.count)
        var request: [SnapshotRequest.Resource] = []
        request.reserveCapacity(resources.count)
        // The stamps are those of before the files are read: one that changes meanwhile is read again the next time.
        for ((resource, adapter), stamp) in zip(resources, system.stamps(of: resources.map(\.resource))) {
            let state: SnapshotRequest.State
            let isHidden: Bool
            if let known = former[resource], known.stamp == stamp, known.adapter == adapter {
                (state, isHidden) = (known.state, known.isHidden)
                found[resource] = known
            } else {
                let memento = try system.capture(resource, for: adapter)
                (state, isHidden) = (SnapshotRequest.State(memento.encoded), memento.isHiddenFromOthers)
                if let stamp, stamp.isSettled(at: now.milliseconds) {
                    found[resource] = Entry(
                        stamp: stamp, adapter: adapter,
                        state: SnapshotRequest.State(storedAs: state.hash, size: state.size), isHidden: isHidden)
                }
            }
            request.append(
                SnapshotRequest.Resource(
                    resource: resource.text, adapter: adapter, isSecret: isHidden || secret.contains(adapter),
                    state: state))
        }
        states.withLock { $0.captured = found }
        return request
    }

    /// Keeps the states of the last capture, which the store has now.
    func keep() { states.withLock { $0 = ($0.captured, [:]) } }

    /// Forgets states that the store lacks: the next snapshot reads their files.
    func forget(_ missing: [ObjectHash]) {
        states.withLock { states in
            for (resource, entry) in states.stored where missing.contains(entry.state.hash) {
                states.stored[resource] = nil
            }
        }
    }
}
