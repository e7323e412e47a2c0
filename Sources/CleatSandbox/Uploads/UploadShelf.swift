internal import CleatIO
internal import Synchronization
internal import SystemPackage

/// Takes files in by parts: an upload is begun, written, and committed, and only then is there a file.
///
/// The partial file lies in the directory of the file to be, under a reserved name, beside a record of what it will be:
/// so it counts towards the quota, the last step is a rename, and the upload outlasts the service. Its whole declared
/// size is promised at the beginning. Bytes are durable from the commit on, not before: after a power cut an upload may
/// have to be sent again from an earlier offset, or from the beginning.
///
/// No step works on more than 1 MiB, so that others get their turns in between; the steps of one upload exclude each
/// other. Two uploads of one path do not know of each other: the last one that is committed stays.
package final class UploadShelf: Sendable {
    /// The most uploads that an area has at a time.
    package static let uploadsLimit = 64
    /// How many of them are kept for root and the user of the service.
    package static let reservedUploads = 8
    /// The most bytes of one write.
    package static let pieceLimit = 512 << 10
    /// After so many milliseconds without a touch an upload is removed.
    package static let lifetime: Int64 = 24 * 3_600_000
    /// The most milliseconds that a record may be older than the last touch.
    static let recordInterval: Int64 = 3_600_000
    /// The most bytes that one step of a commit hashes.
    static let sliceLimit = 1 << 20

    let root: AreaRoot
    let clock: @Sendable () -> UploadStamp
    /// Where it is noted what was committed.
    let log: CommitLog?
    private let state = Mutex(State())

    private struct State {
        var uploads: [UploadKey: Upload] = [:]
        var busy: Set<UploadKey> = []
        /// The uploads that were committed last: a commit that is repeated because its answer was lost has succeeded.
        var committed: [UploadKey] = []
    }

    /// How many uploads were removed when the shelf was opened: expired, damaged, or without one of their two files.
    package let cleaned: Int

    /// Finds the uploads that an earlier run of the service has left in an area.
    ///
    /// - Parameters:
    ///   - root: the area.
    ///   - log: where it is noted what was committed; nil where nobody asks after a restart.
    ///   - clock: reads the clocks.
    /// - Throws: why the area could not be searched.
    package init(
        _ root: AreaRoot, log: CommitLog? = nil, clock: @escaping @Sendable () -> UploadStamp = UploadStamp.now
    ) throws(SandboxError) {
        self.root = root
        self.clock = clock
        self.log = log
        let found = try UploadSearch(root: root, now: clock()).run()
        cleaned = found.cleaned
        state.withLock { state in
            for upload in found.uploads { state.uploads[upload.request.key] = upload }
        }
    }

    /// The uploads that have begun and are not complete, sorted by their ids and users.
    package var uploads: [UploadStatus] {
        let now = clock()
        return state.withLock { Array($0.uploads.values) }
            .sorted { $0.request.key < $1.request.key }
            .map {
                UploadStatus(
                    key: $0.request.key, path: $0.request.path, size: $0.request.size, received: $0.written,
                    idle: $0.touched.age(at: now))
            }
    }

    /// How many milliseconds it takes until the next upload expires; nil where there is none.
    package var untilExpiry: Int64? { uploads.map { max(0, Self.lifetime - $0.idle) }.min() }

    /// Removes the uploads that nobody has touched for 24 hours.
    ///
    /// - Returns: how many there were.
    /// - Throws: why one could not be removed; the others were.
    @discardableResult
    package func expire() throws(UploadError) -> Int {
        var failure: UploadError?
        var count = 0
        for upload in uploads where upload.idle >= Self.lifetime {
            do throws(UploadError) {
                try abort(upload.key)
                count += 1
            } catch {
                // One that is being written this moment, or gone by now, is none of ours to remove.
                if error.code != .busy, error.code != .unknown { failure = error }
            }
        }
        if let failure { throw failure }
        return count
    }

    /// Removes an upload with all that has arrived.
    ///
    /// - Throws: `unknown`, `busy`; why its files could not be removed.
    package func abort(_ key: UploadKey) throws(UploadError) {
        try using(key) { held throws(UploadError) in
            do throws(SandboxError) {
                try remove(held.upload)
                held.isOver = true
            } catch {
                // Whoever has removed the directory has removed the upload, too.
                if error.code == .notFound || error.code == .notDirectory { held.isOver = true }
                if !held.isOver { throw UploadError(error, key) }
            }
        }
    }

    /// What a step works on: the upload, and whether it has come to its end.
    struct Held {
        var upload: Upload
        var isOver = false
    }

    /// Makes a step of an upload while no other step of it can be made.
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

    /// Takes an id that has no upload, so that its first step can be made; gives the upload where there is one already.
    func reserve(_ key: UploadKey) throws(UploadError) -> Upload? {
        let found = state.withLock { state -> Result<Upload?, UploadError> in
            guard !state.busy.contains(key) else { return .failure(UploadError(.busy, key)) }
            if let upload = state.uploads[key] { return .success(upload) }
            let begun = state.busy.filter { state.uploads[$0] == nil }.count
            let isPrivileged = key.owner == 0 || key.owner == ProcessSelf.uid
            let limit = Self.uploadsLimit - (isPrivileged ? 0 : Self.reservedUploads)
            guard state.uploads.count + begun < limit else {
                return .failure(UploadError(.tooMany, key))
            }
            state.busy.insert(key)
            state.committed.removeAll { $0 == key }
            return .success(nil)
        }
        return try found.get()
    }

    /// Ends a step: the upload is as it was left, or no more.
    func finish(_ key: UploadKey, _ upload: Upload?) {
        state.withLock { state in
            state.busy.remove(key)
            state.uploads[key] = upload
        }
    }

    /// Remembers that an upload was committed.
    func noteCommitted(_ key: UploadKey) {
        state.withLock { state in
            state.committed.append(key)
            if state.committed.count > Self.uploadsLimit { state.committed.removeFirst() }
        }
    }

    /// Whether an upload was committed, and not begun again.
    func wasCommitted(_ key: UploadKey) -> Bool { state.withLock { $0.committed.contains(key) } }
}
