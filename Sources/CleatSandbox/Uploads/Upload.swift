internal import CleatIO

/// What is known of one upload that has begun.
struct Upload: Sendable {
    let request: UploadRequest
    /// Tells its partial file from any other that takes the name.
    let partial: FileIdentity
    /// Keeps room for the bytes that have not arrived yet.
    let promise: RoomPromise
    /// When it was last touched, and when its record says so.
    private(set) var touched: UploadStamp
    private(set) var recorded: UploadStamp
    /// How many bytes have arrived: all of the partial file.
    private(set) var written: Int64
    /// How many of them the device has been waited for.
    private(set) var settled: Int64
    private var digest = SHA256()

    /// Takes an upload whose partial file holds `written` bytes, of which none is hashed yet.
    init(
        _ request: UploadRequest, partial: FileIdentity, promise: RoomPromise, touched: UploadStamp, written: Int64 = 0
    ) {
        self.request = request
        self.partial = partial
        self.promise = promise
        self.touched = touched
        recorded = touched
        self.written = written
        settled = written
    }

    /// How many bytes are hashed.
    var hashed: Int64 { Int64(digest.count) }

    /// The path of the partial file.
    var partialPath: SandboxPath { request.path.parent.appendingReserved(request.files.partial) }

    /// Whether the record is so old that a restart would take the upload for older than it is by an hour.
    var needsRecord: Bool { recorded.age(at: touched) >= UploadShelf.recordInterval }

    /// Notes that bytes were written at the end; they are hashed where all before them are.
    mutating func append(_ bytes: UnsafeRawBufferPointer, at stamp: UploadStamp) {
        if hashed == written { unsafe digest.update(bytes) }
        written += Int64(bytes.count)
        touched = stamp
    }

    /// Hashes bytes that were read again from the partial file.
    mutating func hash(_ bytes: UnsafeRawBufferPointer) { unsafe digest.update(bytes) }

    /// The SHA-256 of all that is hashed.
    var sha256: [UInt8] {
        let hashed = digest
        return hashed.finalize()
    }

    mutating func touch(at stamp: UploadStamp) { touched = stamp }
    mutating func noteRecord() { recorded = touched }
    mutating func settle(to offset: Int64) { settled = offset }
}

/// Says how an upload stands.
package struct UploadStatus: Sendable, Hashable {
    /// Whose it is, and under which id.
    package let key: UploadKey
    /// Where the file will be.
    package let path: SandboxPath
    /// How many bytes it will have.
    package let size: Int64
    /// How many of them have arrived.
    package let received: Int64
    /// How many milliseconds ago it was last touched, as far as is certain.
    package let idle: Int64
}

/// Says how far a commit has come.
package enum UploadProgress: Sendable, Hashable {
    /// So many bytes are hashed; the commit wants to be called again.
    case hashing(done: Int64, of: Int64)
    /// The file is in its place.
    case complete
}
