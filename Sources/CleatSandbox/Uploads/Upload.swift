internal import CleatHash
internal import CleatIO

/// The state of one upload that has started.
struct Upload: Sendable {
    let request: UploadRequest
    /// The identity of the partial file, to detect another file of the same name.
    let partial: FileIdentity
    /// The space reserved for the bytes that have not arrived yet.
    let reservation: QuotaReservation
    /// The time of the last access, and the time in the record.
    private(set) var touched: UploadStamp
    private(set) var recorded: UploadStamp
    /// The number of bytes that have arrived, which is the size of the partial file.
    private(set) var written: Int64
    /// The number of those bytes that are written to the device.
    private(set) var flushed: Int64
    private var digest = SHA256()

    /// Makes an upload whose partial file contains `written` bytes, none of which is hashed yet.
    init(
        _ request: UploadRequest, partial: FileIdentity, reservation: QuotaReservation, touched: UploadStamp,
        written: Int64 = 0
    ) {
        self.request = request
        self.partial = partial
        self.reservation = reservation
        self.touched = touched
        recorded = touched
        self.written = written
        flushed = written
    }

    /// The number of hashed bytes.
    var hashed: Int64 { Int64(digest.count) }

    /// The path of the partial file.
    var partialPath: SandboxPath { request.path.parent.appendingReserved(request.files.partial) }

    /// True if the time in the record is at least an hour behind the last access.
    var needsRecord: Bool { recorded.age(at: touched) >= UploadStore.recordInterval }

    /// Records that bytes were appended; they are hashed if all bytes before them are.
    mutating func append(_ bytes: UnsafeRawBufferPointer, at stamp: UploadStamp) {
        if hashed == written { unsafe digest.update(bytes) }
        written += Int64(bytes.count)
        touched = stamp
    }

    /// Hashes bytes that were read from the partial file again.
    mutating func hash(_ bytes: UnsafeRawBufferPointer) { unsafe digest.update(bytes) }

    /// The SHA-256 of all hashed bytes.
    var sha256: [UInt8] {
        let hashed = digest
        return hashed.finalize()
    }

    mutating func touch(at stamp: UploadStamp) { touched = stamp }
    mutating func recordWasWritten() { recorded = touched }
    mutating func recordFlush(upTo offset: Int64) { flushed = offset }
}

/// The status of an upload.
package struct UploadStatus: Sendable, Equatable {
    /// The owner and id of the upload.
    package let key: UploadKey
    /// The path of the future file.
    package let path: SandboxPath
    /// The size of the future file in bytes; that of the arrived part if none was declared.
    package let size: Int64
    /// The number of bytes that have arrived.
    package let received: Int64
    /// The certain time since the last access, in milliseconds.
    package let idle: Int64
}

/// The progress of a commit.
package enum UploadProgress: Sendable, Equatable {
    /// `done` of `of` bytes are hashed; the commit has to be called again.
    case hashing(done: Int64, of: Int64)
    /// The file is in place.
    case complete
}
