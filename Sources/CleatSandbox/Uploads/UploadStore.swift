internal import CleatIO
import CleatOrder
internal import SystemPackage

/// Receives files in parts: an upload is started, written, and committed, and only then the file exists.
///
/// The partial file is in the directory of the future file, under a reserved name, next to a record of its parameters.
/// So it counts towards the quota, the last step is a rename, and the upload survives a restart of the service. Its
/// whole declared size is reserved when it is started; without one, each part when it arrives. Bytes are durable only after the commit: after a power cut an upload
/// may have to be sent again from an earlier offset, or from the beginning.
///
/// No step handles more than 1 MiB, so that other work can run in between; the steps of one upload exclude each other (``UploadTable``).
/// Two uploads of the same path are independent: the one that is committed last remains.
package final class UploadStore: Sendable {
    /// The most uploads of an area at a time.
    package static let uploadsLimit = 64
    /// The number of uploads that are reserved for root and the user of the service.
    package static let reservedUploads = 8
    /// The most bytes of one write.
    package static let pieceLimit = 512 << 10
    /// The time since the last access after which an upload is removed, in milliseconds.
    package static let lifetime: Int64 = 24 * 3_600_000
    /// The longest time that a record may be behind the last access, in milliseconds.
    static let recordInterval: Int64 = 3_600_000
    /// The most bytes that one step of a commit hashes.
    static let sliceLimit = 1 << 20

    let root: AreaRoot
    let clock: @Sendable () -> UploadStamp
    /// The log of committed uploads; nil if commits cannot be repeated after a restart.
    let log: CommitLog?
    /// The uploads in memory.
    let table: UploadTable

    /// The number of uploads that were removed when the area was searched: expired, damaged, or with one of their two
    /// files missing.
    package let cleaned: Int

    /// Finds the uploads of an area from a former run of the service.
    ///
    /// - Parameters:
    ///   - root: The area.
    ///   - log: The log of committed uploads; nil if commits need not be repeatable after a restart.
    ///   - clock: Reads the clocks.
    /// - Throws: The reason why the area could not be searched.
    package init(
        _ root: AreaRoot, log: CommitLog? = nil, clock: @escaping @Sendable () -> UploadStamp = UploadStamp.now
    ) throws(SandboxError) {
        self.root = root
        self.clock = clock
        self.log = log
        let found = try UploadSearch(root: root, now: clock()).run()
        cleaned = found.cleaned
        table = UploadTable(found.uploads)
    }

    /// The uploads that have started and are not committed, sorted by their ids and users.
    package var uploads: [UploadStatus] {
        let now = clock()
        return table.uploads
            .ordered { $0.request.key < $1.request.key }
            .map {
                UploadStatus(
                    key: $0.request.key, path: $0.request.path, size: $0.request.size ?? $0.written,
                    received: $0.written, idle: $0.touched.age(at: now))
            }
    }

    /// Removes the uploads that were not accessed for 24 hours.
    ///
    /// - Returns: The number of removed uploads.
    /// - Throws: The reason why one could not be removed; the others were.
    @discardableResult
    package func expire() throws(UploadError) -> Int {
        var failure: UploadError?
        var count = 0
        for upload in uploads where upload.idle >= Self.lifetime {
            do throws(UploadError) {
                try abort(upload.key)
                count += 1
            } catch {
                // An upload that is being written at this moment, or is already gone, is not removed.
                if error.code != .busy, error.code != .unknown { failure = error }
            }
        }
        if let failure { throw failure }
        return count
    }

    /// Removes an upload with all bytes that have arrived.
    ///
    /// - Throws: `unknown`, `busy`; the reason why its files could not be removed.
    package func abort(_ key: UploadKey) throws(UploadError) {
        try table.using(key) { held throws(UploadError) in
            do throws(SandboxError) {
                try remove(held.upload)
                held.isOver = true
            } catch {
                // If its directory was removed, so was the upload.
                if error.code == .notFound || error.code == .notDirectory { held.isOver = true }
                if !held.isOver { throw UploadError(error, key) }
            }
        }
    }
}
