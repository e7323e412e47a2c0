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
    private let entries = Mutex<[Resource: Entry]>([:])

    /// Creates an empty memory with a clock, which is that of the files.
    init(now: @escaping @Sendable () -> WallTime = WallTime.now) { self.now = now }

    /// Captures resources; called on the worker.
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
        let (former, now) = (entries.withLock { $0 }, now())
        var found: [Resource: Entry] = [:]
        found.reserveCapacity(former.count)
        var states: [SnapshotRequest.Resource] = []
        states.reserveCapacity(resources.count)
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
            states.append(
                SnapshotRequest.Resource(
                    resource: resource.text, adapter: adapter, isSecret: isHidden || secret.contains(adapter),
                    state: state))
        }
        entries.withLock { $0 = found }
        return states
    }

    /// Forgets all states: the next snapshot reads all files.
    func forget() { entries.withLock { $0 = [:] } }
}
