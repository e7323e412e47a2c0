internal import CleatIO
internal import Synchronization

/// Flushes the files of one change together: their contents before the first one is renamed, their directories once,
/// after the last one is renamed.
///
/// A file that is written durably by itself costs its file system two commits. In a batch, the next files are written
/// to temporary files when the first of them is written, a window of them at a time, and all of them are on the device
/// before the first is renamed. Each file is still put in place by its own call, in the order of these calls; its
/// target is checked again then, and if anything has changed, the file is written again. So at every moment, also after
/// a power cut, each file is complete: the old one or the new one. It is undetermined which of them are new until
/// ``ManagedFiles/makeDurable()`` has returned.
///
/// A batch is used by one thread at a time.
package final class ManagedFileBatch: Sendable {
    /// The result of writing a file ahead.
    enum Ahead: Sendable {
        /// The temporary file is flushed and next to its target.
        case written(DurableWriter, ManagedTarget)
        /// Writing failed; the error is thrown when the file's own call is made.
        case failed(DurableFileError)
    }

    /// A directory whose flush is postponed.
    struct Pending: Sendable {
        let identity: FileIdentity
        let directory: Descriptor
        /// The last file whose name changed there.
        var path: SandboxPath
        var operation: String
        /// True if a name has changed there; otherwise it is flushed because an earlier attempt may have changed one.
        var isChanged: Bool
    }

    private struct State {
        var upcoming: ArraySlice<ManagedFileWrite>
        var ahead: [String: Ahead] = [:]
        var pending: [Pending] = []
    }

    /// The most files that are written ahead: each keeps two descriptors open.
    static let filesLimit = 32
    /// The total size above which no further file is written ahead, in bytes.
    static let bytesLimit = 1 << 20
    /// The most directories whose flush is postponed: each keeps a descriptor open.
    static let directoriesLimit = 32

    private let state: Mutex<State>

    /// Makes a batch of the files that are going to be written, in order; some of them may be skipped later.
    package init(_ writes: [ManagedFileWrite]) { state = Mutex(State(upcoming: writes[...])) }

    deinit { discard() }

    /// Returns the files to write ahead when one of them is written: that file and the next ones; empty if there is
    /// only one.
    func window(from path: String) -> ArraySlice<ManagedFileWrite> {
        state.withLock { state in
            guard state.ahead[path] == nil, let first = state.upcoming.firstIndex(where: { $0.path == path }) else {
                return []
            }
            var bytes = 0
            let window = state.upcoming[first...].prefix(Self.filesLimit).prefix { write in
                bytes += write.bytes.count
                return write.path == path || bytes <= Self.bytesLimit
            }
            state.upcoming = state.upcoming[window.endIndex...]
            return window.count > 1 ? window : []
        }
    }

    /// Stores the results of writing files ahead; after a failure no more files are written ahead.
    func keep(_ ahead: [String: Ahead]) {
        state.withLock { state in
            for (path, one) in ahead {
                if case .failed = one { state.upcoming = [] }
                state.ahead[path] = one
            }
        }
    }

    /// Stops writing files ahead: there is not enough space for several at a time.
    func stop() { state.withLock { $0.upcoming = [] } }

    /// Removes and returns the temporary file of a path; nil if it was not written ahead.
    func take(_ path: String) throws(DurableFileError) -> (DurableWriter, ManagedTarget)? {
        switch state.withLock({ $0.ahead.removeValue(forKey: path) }) {
        case nil: return nil
        case .written(let writer, let target): return (writer, target)
        case .failed(let error): throw error
        }
    }

    /// Adds a directory to flush; returns false if the limit is reached.
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

    /// Removes and returns the directories to flush, in the order in which they were added.
    func pending() -> [Pending] {
        state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
    }

    /// Removes the temporary files that are not used any more.
    ///
    /// - Returns: True if there were any.
    @discardableResult
    func discard() -> Bool {
        let left = state.withLock { state in
            defer {
                state.ahead = [:]
                state.upcoming = []
            }
            return state.ahead
        }
        for case .written(let writer, let target) in left.values {
            writer.discard()
            // The directory had to stay open until here.
            target.place.directory.close()
        }
        return !left.isEmpty
    }
}
