internal import CleatIO
internal import Synchronization

/// Has the files of one change flushed together: their contents before the first one takes its place, their directories
/// once, after the last one has.
///
/// A file that is written durably by itself costs its file system two commits. Here the files that come next are written
/// beside their targets when the first of them is asked for, a window of them at a time, and all of them are on the device
/// before that one is renamed. Each is still put in its place by the call that asks for it, in the order of these calls;
/// what stands in its way is looked at again then, and where anything is not as it was, the file is written anew. So at
/// every moment, also after a power cut, each file is whole: the old one or the new one. Which of them are new is open
/// until ``ManagedFiles/settle()`` has returned.
///
/// It is used by one thread at a time.
package final class ManagedFileBatch: Sendable {
    /// What came of writing a file ahead.
    enum Ahead: Sendable {
        /// It is flushed, and waits beside its target.
        case written(DurableWriter, ManagedTarget)
        /// It failed; told when its turn comes.
        case failed(DurableFileError)
    }

    /// A directory in which names have changed.
    struct Pending: Sendable {
        let identity: FileIdentity
        let directory: Descriptor
        /// The last file whose name changed there.
        var path: SandboxPath
        var operation: String
        /// Whether a name has changed there; else it is flushed for what an earlier attempt may have done.
        var isChanged: Bool
    }

    private struct State {
        var coming: ArraySlice<ManagedFileWrite>
        var ahead: [String: Ahead] = [:]
        var pending: [Pending] = []
    }

    /// The most files that are written ahead: each keeps two descriptors until then.
    static let filesLimit = 32
    /// The bytes beyond which no further file is written ahead.
    static let bytesLimit = 1 << 20
    /// The most directories that are flushed later: each keeps a descriptor.
    static let directoriesLimit = 32

    private let state: Mutex<State>

    /// Takes the files that are going to be written, in their order; of them those may be left out that then are not.
    package init(_ writes: [ManagedFileWrite]) { state = Mutex(State(coming: writes[...])) }

    deinit { discard() }

    /// Gives the files that are to be written ahead now that one of them is asked for: that one and those after it, and
    /// none where there is only one.
    func window(from path: String) -> ArraySlice<ManagedFileWrite> {
        state.withLock { state in
            guard state.ahead[path] == nil, let first = state.coming.firstIndex(where: { $0.path == path }) else {
                return []
            }
            var bytes = 0
            let window = state.coming[first...].prefix(Self.filesLimit).prefix { write in
                bytes += write.bytes.count
                return write.path == path || bytes <= Self.bytesLimit
            }
            state.coming = state.coming[window.endIndex...]
            return window.count > 1 ? window : []
        }
    }

    /// Keeps what came of writing files ahead; after a failure no more are.
    func keep(_ ahead: [String: Ahead]) {
        state.withLock { state in
            for (path, one) in ahead {
                if case .failed = one { state.coming = [] }
                state.ahead[path] = one
            }
        }
    }

    /// Writes no more files ahead: there is no room for several at a time.
    func stop() { state.withLock { $0.coming = [] } }

    /// Gives up what was written ahead for a path; nil where nothing was.
    func take(_ path: String) throws(DurableFileError) -> (DurableWriter, ManagedTarget)? {
        switch state.withLock({ $0.ahead.removeValue(forKey: path) }) {
        case nil: return nil
        case .written(let writer, let target): return (writer, target)
        case .failed(let error): throw error
        }
    }

    /// Remembers a directory that is to be flushed; says whether there was room for it.
    func postpone(_ pending: Pending) -> Bool {
        state.withLock { state in
            if let index = state.pending.firstIndex(where: { $0.identity == pending.identity }) {
                if pending.isChanged || !state.pending[index].isChanged { state.pending[index] = pending }
                return true
            }
            guard state.pending.count < Self.directoriesLimit else { return false }
            state.pending.append(pending)
            return true
        }
    }

    /// Gives up the directories that are to be flushed, in the order in which they came.
    func pending() -> [Pending] {
        state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
    }

    /// Takes away what was written ahead and is not wanted any more.
    ///
    /// - Returns: whether there was anything.
    @discardableResult
    func discard() -> Bool {
        let left = state.withLock { state in
            defer {
                state.ahead = [:]
                state.coming = []
            }
            return state.ahead
        }
        for case .written(let writer, let target) in left.values {
            writer.discard()
            // Until here its directory has been open.
            target.place.directory.close()
        }
        return !left.isEmpty
    }
}
