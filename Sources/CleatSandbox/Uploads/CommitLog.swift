internal import CleatIO
internal import Synchronization
package import SystemPackage

/// Remembers for 24 hours which uploads were committed, so that a client can repeat a commit whose response was lost,
/// also after a restart of the service.
///
/// It is a file of fixed-size records next to the areas. A new record is appended, with one flush; when the file has
/// twice as many records as are kept, it is written again. A damaged record is skipped: the client then has to send its
/// file again.
package final class CommitLog: Sendable {
    /// The most commits that are remembered.
    package static let entriesLimit = 64
    /// The file's name.
    package static let name = ".cleat-committed"

    private let directory: Descriptor
    private let calls: any SandboxCalls
    private let clock: @Sendable () -> UploadStamp
    /// The latest commits, the newest at the end.
    private let entries: Mutex<[CommittedUpload]>
    /// The number of records in the file; the lock is held while the file is written.
    private let records: Mutex<Int>

    /// Opens the log or creates one; the directory is made if it is missing.
    ///
    /// - Parameters:
    ///   - path: The directory that contains the file.
    ///   - calls: The system calls, which a test can make fail.
    ///   - clock: Reads the clocks.
    /// - Throws: The reason why the log could not be read.
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
            // A file that does not end with a complete record, after a power cut, is written again.
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
            throw Self.error(error.cause, "remove the temporary files of")
        }
    }

    /// Returns the upload that was committed under a key less than 24 hours ago; nil if there is none.
    package func find(_ key: UploadKey) -> CommittedUpload? {
        let now = clock()
        return entries.withLock { $0.last { $0.key == key } }.flatMap {
            $0.at.age(at: now) < UploadStore.lifetime ? $0 : nil
        }
    }

    /// Removes the commit of a key, since another upload starts under it.
    package func forget(_ key: UploadKey) { entries.withLock { $0.removeAll { $0.key == key } } }

    /// Records an upload that is about to be put in place; when the call has returned, the record survives a power cut.
    ///
    /// - Throws: The reason why it could not be recorded.
    func append(_ upload: CommittedUpload) throws(SandboxError) {
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
                // The content of the file is unknown now.
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
            .filter { $0.at.age(at: now) < UploadStore.lifetime }
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
            // Another program has removed the file.
            return try rewrite(with: upload)
        }
        try calls.writeAll(upload.encoded, to: file.descriptor)
        try repeated { () throws(Errno) in try calls.flush(file.descriptor) }
        return records + 1
    }

    /// Opens the file if it exists; anything but a regular file is refused.
    private static func open(
        in directory: FileDescriptor, for purpose: OpenPurpose, _ calls: any SandboxCalls
    ) throws(Errno) -> Descriptor? {
        do throws(Errno) {
            let seen = Descriptor(
                owning: try repeated { () throws(Errno) in
                    try calls.open(FileName(name), in: directory, for: .inspect)
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

    /// Reads the whole file, but no more than its largest size.
    private static func content(
        in directory: FileDescriptor, _ calls: any SandboxCalls
    ) throws(Errno) -> [UInt8] {
        guard let file = try open(in: directory, for: .read, calls) else { return [] }
        return try calls.readAll(of: file.descriptor, upTo: bytesLimit)
    }
}
