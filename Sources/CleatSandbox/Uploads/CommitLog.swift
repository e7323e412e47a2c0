internal import CleatIO
internal import Synchronization
package import SystemPackage

/// Remembers for a day which uploads were committed, so that a commit whose answer was lost can be asked for again, also
/// after a restart of the service.
///
/// It is a file of records of one length beside the areas. A new one is added at the end, with one flush; when there are
/// twice as many as are kept, the file is written anew. A record that is damaged is left out: it costs a client no more
/// than sending the file again.
package final class CommitLog: Sendable {
    /// The most commits that are remembered.
    package static let entriesLimit = 64
    /// The file's name.
    package static let name = ".cleat-committed"

    private let directory: Descriptor
    private let calls: any SandboxCalls
    private let clock: @Sendable () -> UploadStamp
    /// Those that were committed last, the newest at the end.
    private let entries: Mutex<[CommittedUpload]>
    /// Whoever holds it may write to the file; it says how many records that has.
    private let records: Mutex<Int>

    /// Opens the log, or begins one; the directory is made where it is missing.
    ///
    /// - Parameters:
    ///   - path: the directory that holds the file.
    ///   - calls: the system calls, which a test can make fail.
    ///   - clock: reads the clocks.
    /// - Throws: why what was noted could not be read.
    package init(
        in path: FilePath, calls: any SandboxCalls = SystemFileCalls(),
        clock: @escaping @Sendable () -> UploadStamp = UploadStamp.now
    ) throws(SandboxError) {
        do throws(Errno) {
            directory = Descriptor(owning: try AreaDirectory.open(path))
            let bytes = try Self.content(in: directory.descriptor, calls)
            var found: [CommittedUpload] = []
            for start in stride(from: 0, to: bytes.count, by: CommittedUpload.bytesCount) {
                let record = bytes[start..<min(bytes.count, start + CommittedUpload.bytesCount)]
                if let entry = CommittedUpload(encoded: record) { found = Self.adding(entry, to: found) }
            }
            entries = Mutex(found)
            // What does not end with a whole record, since a power cut came in between, is written anew.
            let isWhole = bytes.count.isMultiple(of: CommittedUpload.bytesCount) && bytes.count < Self.bytesLimit
            records = Mutex(isWhole ? bytes.count / CommittedUpload.bytesCount : .max)
        } catch {
            throw Self.error(error, "read")
        }
        self.calls = calls
        self.clock = clock
        do throws(DurableFileError) {
            try DurableFile.sweep(in: directory.descriptor)
        } catch {
            throw Self.error(error.cause, "sweep what was left of")
        }
    }

    /// Finds what was committed under an id not more than 24 hours ago.
    package func find(_ key: UploadKey) -> CommittedUpload? {
        let now = clock()
        return entries.withLock { $0.last { $0.key == key } }.flatMap {
            $0.at.age(at: now) < UploadShelf.lifetime ? $0 : nil
        }
    }

    /// Forgets what was committed under an id, since another upload begins under it.
    package func forget(_ key: UploadKey) { entries.withLock { $0.removeAll { $0.key == key } } }

    /// Notes an upload that is about to be put in its place; when it has returned, the note outlasts a power cut.
    ///
    /// - Throws: why it could not be noted.
    func note(_ upload: CommittedUpload) throws(SandboxError) {
        let noted = records.withLock { records -> Result<Void, SandboxError> in
            do throws(Errno) {
                if records == 0 || records >= 2 * Self.entriesLimit {
                    records = try rewrite(with: upload)
                } else {
                    records = try add(upload, after: records)
                }
                entries.withLock { $0 = Self.adding(upload, to: $0) }
                return .success(())
            } catch {
                // What the file holds now is not known.
                records = .max
                return .failure(Self.error(error, "note a commit in"))
            }
        }
        try noted.get()
    }

    private static let bytesLimit = 2 * entriesLimit * CommittedUpload.bytesCount

    private static func adding(_ entry: CommittedUpload, to entries: [CommittedUpload]) -> [CommittedUpload] {
        Array((entries.filter { $0.key != entry.key } + [entry]).suffix(entriesLimit))
    }

    private static func error(_ errno: Errno, _ operation: String) -> SandboxError {
        SandboxError(errno, operation, area: nil, path: name)
    }

    private func rewrite(with upload: CommittedUpload) throws(Errno) -> Int {
        let now = clock()
        let kept = Self.adding(upload, to: entries.withLock { $0 })
            .filter { $0.at.age(at: now) < UploadShelf.lifetime }
        do throws(DurableFileError) {
            try DurableFile.write(
                kept.flatMap(\.encoded), to: Self.name, in: directory.descriptor, calls: calls)
        } catch {
            throw error.cause
        }
        return kept.count
    }

    private func add(_ upload: CommittedUpload, after records: Int) throws(Errno) -> Int {
        guard let file = try Self.open(in: directory.descriptor, for: .append, calls) else {
            // Somebody has removed it.
            return try rewrite(with: upload)
        }
        try calls.writeAll(upload.encoded, to: file.descriptor)
        try repeated { () throws(Errno) in try calls.flush(file.descriptor) }
        return records + 1
    }

    /// Opens the file where it is there; what is no regular file is refused.
    private static func open(
        in directory: FileDescriptor, for purpose: OpenPurpose, _ calls: any SandboxCalls
    ) throws(Errno) -> Descriptor? {
        do throws(Errno) {
            let seen = Descriptor(
                owning: try repeated { () throws(Errno) in
                    try calls.open(FileName(name), in: directory, for: .look)
                })
            switch try calls.attributes(of: seen.descriptor).type {
            case .regular: break
            case .directory: throw Errno.isDirectory
            case .symbolicLink: throw Errno.tooManySymbolicLinkLevels
            default: throw Errno.noSuchAddressOrDevice
            }
            return Descriptor(
                owning: try repeated { () throws(Errno) in try calls.reopen(seen.descriptor, for: purpose) })
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// Reads the whole file, but no more than it ever has.
    private static func content(
        in directory: FileDescriptor, _ calls: any SandboxCalls
    ) throws(Errno) -> [UInt8] {
        guard let file = try open(in: directory, for: .read, calls) else { return [] }
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: bytesLimit) { buffer, filled in
            do throws(Errno) {
                while filled < buffer.count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(
                        UnsafeMutableBufferPointer(rebasing: buffer[filled...]))
                    let start = Int64(filled)
                    let count = try repeated { () throws(Errno) in
                        try unsafe calls.read(into: rest, from: file.descriptor, at: start)
                    }
                    if count == 0 { break }
                    filled += count
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
