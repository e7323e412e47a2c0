internal import CleatIO
internal import Synchronization

/// The uploads of an area in memory: the steps of one upload exclude each other, and their number is limited.
final class UploadTable: Sendable {
    private struct State {
        var uploads: [UploadKey: Upload] = [:]
        var busy: Set<UploadKey> = []
        /// The latest committed uploads: a commit that is repeated because its response was lost succeeds.
        var committed: [UploadKey] = []
    }

    private let state: Mutex<State>

    /// Makes a table of the uploads from a former run of the service.
    init(_ uploads: [Upload] = []) {
        state = Mutex(
            State(uploads: Dictionary(uploads.map { ($0.request.key, $0) }, uniquingKeysWith: { _, last in last })))
    }

    /// The uploads that have started and are not committed.
    var uploads: [Upload] { state.withLock { Array($0.uploads.values) } }

    /// The upload that a step works on; `isOver` is true if the upload has ended.
    struct Held {
        var upload: Upload
        var isOver = false
    }

    /// Makes a step of an upload, with exclusive access to it.
    func using<Value>(
        _ key: UploadKey, _ body: (inout Held) throws(UploadError) -> Value
    ) throws(UploadError) -> Value {
        let found = state.withLock { state -> Result<Upload, UploadError> in
            guard !state.busy.contains(key) else { return .failure(UploadError(.busy, key)) }
            guard let upload = state.uploads[key] else { return .failure(UploadError(.unknown, key)) }
            state.busy.insert(key)
            return .success(upload)
        }
        var held = Held(upload: try found.get())
        defer { finish(key, held.isOver ? nil : held.upload) }
        return try body(&held)
    }

    /// Reserves a key without an upload for its first step; returns the upload if there is one already.
    func reserve(_ key: UploadKey) throws(UploadError) -> Upload? {
        let found = state.withLock { state -> Result<Upload?, UploadError> in
            guard !state.busy.contains(key) else { return .failure(UploadError(.busy, key)) }
            if let upload = state.uploads[key] { return .success(upload) }
            let starting = state.busy.filter { state.uploads[$0] == nil }.count
            let isPrivileged = key.owner == 0 || key.owner == ProcessSelf.uid
            let limit = UploadStore.uploadsLimit - (isPrivileged ? 0 : UploadStore.reservedUploads)
            guard state.uploads.count + starting < limit else {
                return .failure(UploadError(.tooMany, key))
            }
            state.busy.insert(key)
            state.committed.removeAll { $0 == key }
            return .success(nil)
        }
        return try found.get()
    }

    /// Ends a step: stores the upload, or removes it if `upload` is nil.
    func finish(_ key: UploadKey, _ upload: Upload?) {
        state.withLock { state in
            state.busy.remove(key)
            state.uploads[key] = upload
        }
    }

    /// Records that an upload was committed.
    func recordCommit(_ key: UploadKey) {
        state.withLock { state in
            state.committed.append(key)
            if state.committed.count > UploadStore.uploadsLimit { state.committed.removeFirst() }
        }
    }

    /// Returns true if an upload was committed, and not started again.
    func wasCommitted(_ key: UploadKey) -> Bool { state.withLock { $0.committed.contains(key) } }
}
