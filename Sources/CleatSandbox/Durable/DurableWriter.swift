internal import Synchronization
package import SystemPackage

/// Writes one file as a stream, so that it replaces the old one only when it is complete and durable.
///
/// The sequence is: an exclusive temporary file in the same directory, write, `fdatasync`, `fchown` and `fchmod`,
/// `renameat`, `fsync` of the directory. No step is skipped or retried in a weaker form: a step that fails is an error,
/// and the temporary file is removed. It is also removed if the writer is released before the commit.
package final class DurableWriter: Sendable {
    private enum Phase: Sendable, Equatable {
        case open(FileDescriptor)
        case flushed
        case over
    }

    /// The file's name in its directory.
    package let name: String
    /// The name of the temporary file.
    package let temporary: String
    private let directory: FileDescriptor
    private let calls: any DurableFileCalls
    private let phase: Mutex<Phase>

    /// Makes the temporary file.
    ///
    /// - Parameters:
    ///   - name: The file's name in `directory`; no slash, and not a reserved name.
    ///   - directory: An open directory, which must stay open as long as the writer exists.
    ///   - calls: The system calls, which a test can make fail.
    /// - Throws: An error if the name is not valid, or the reason why the temporary file could not be made.
    package init(
        to name: String, in directory: FileDescriptor, calls: any DurableFileCalls = SystemFileCalls()
    ) throws(DurableFileError) {
        guard DurableFile.isPlain(name) else {
            throw DurableFileError(stage: .name, name: name, cause: .invalidArgument)
        }
        let (temporary, file) = try Self.create(for: name, in: directory, calls: calls)
        self.name = name
        self.temporary = temporary
        self.directory = directory
        self.calls = calls
        phase = Mutex(.open(file))
    }

    /// Continues a temporary file that an earlier writer has kept.
    ///
    /// - Parameters:
    ///   - name: The file's name in `directory`.
    ///   - temporary: The name of the temporary file.
    ///   - file: The open temporary file, which the writer closes; bytes are appended to it.
    ///   - directory: An open directory, which must stay open as long as the writer exists.
    ///   - calls: The system calls, which a test can make fail.
    package init(
        to name: String, temporary: String, file: FileDescriptor, in directory: FileDescriptor,
        calls: any DurableFileCalls = SystemFileCalls()
    ) {
        self.name = name
        self.temporary = temporary
        self.directory = directory
        self.calls = calls
        phase = Mutex(.open(file))
    }

    deinit { discard() }

    /// Closes the temporary file without removing it, so that another writer can continue it.
    package func keep() {
        let before = phase.withLock { phase in
            defer { phase = .over }
            return phase
        }
        if case .open(let file) = before { try? calls.close(file) }
    }

    /// Writes all of the bytes after those written before.
    ///
    /// - Throws: The reason why not all bytes could be written; the temporary file is removed then.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(DurableFileError) {
        try whileOpen { file throws(DurableFileError) in
            var done = 0
            while done < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                let written = try step(.write) { () throws(Errno) in try unsafe calls.write(rest, to: file) }
                // A device that writes nothing and reports no error would otherwise cause an endless loop.
                guard written > 0 else { throw DurableFileError(stage: .write, name: name, cause: .ioError) }
                done += written
            }
        }
    }

    /// Writes all of the bytes after those written before.
    package func write(_ bytes: [UInt8]) throws(DurableFileError) {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(DurableFileError) in try unsafe write(bytes) }
        }
        try result.get()
    }

    /// Passes the temporary file to `body`, which writes to it, by `copy_file_range` for instance.
    package func withFile<Value>(
        _ body: (FileDescriptor) throws(Errno) -> Value
    ) throws(DurableFileError) -> Value {
        try whileOpen { file throws(DurableFileError) in
            do throws(Errno) {
                return try body(file)
            } catch {
                throw DurableFileError(stage: .write, name: name, cause: error)
            }
        }
    }

    /// Puts the file in place: ``flush(permissions:owner:attributes:)``, ``publish()``, ``flushDirectory()``.
    package func commit(
        permissions: FilePermissions = .ownerReadWrite, owner: FileOwner? = nil,
        attributes: (FileDescriptor) throws(Errno) -> Void = { _ in }
    ) throws(DurableFileError) {
        try flush(permissions: permissions, owner: owner, attributes: attributes)
        try publish()
        try flushDirectory()
    }

    /// Flushes the content, sets owner, permissions and further attributes, and closes the temporary file.
    package func flush(
        permissions: FilePermissions, owner: FileOwner?, attributes: (FileDescriptor) throws(Errno) -> Void = { _ in }
    ) throws(DurableFileError) {
        try whileOpen { file throws(DurableFileError) in
            try step(.flush) { () throws(Errno) in try calls.flush(file) }
            if let owner { try step(.owner) { () throws(Errno) in try calls.setOwner(owner, of: file) } }
            try step(.permissions) { () throws(Errno) in try calls.setPermissions(permissions, of: file) }
            // After the owner: the kernel clears a file's capabilities at every change of owner.
            try step(.attributes) { () throws(Errno) in try attributes(file) }
        }
        let file = phase.withLock { phase -> FileDescriptor? in
            guard case .open(let file) = phase else { return nil }
            phase = .flushed
            return file
        }
        guard let file else { return }
        // Linux closes the descriptor even if the call is interrupted: it must not be repeated.
        do throws(Errno) {
            try calls.close(file)
        } catch {
            if error == .interrupted { return }
            discard()
            throw DurableFileError(stage: .flush, name: name, cause: error)
        }
    }

    /// Renames the flushed temporary file over the old file.
    package func publish() throws(DurableFileError) {
        guard phase.withLock({ $0 == .flushed }) else {
            throw DurableFileError(stage: .rename, name: name, cause: .badFileDescriptor)
        }
        do throws(DurableFileError) {
            try step(.rename) { () throws(Errno) in try calls.rename(temporary, to: name, in: directory) }
        } catch {
            discard()
            throw error
        }
        phase.withLock { $0 = .over }
    }

    /// Flushes the directory, so that the new name survives a power cut.
    package func flushDirectory() throws(DurableFileError) {
        try step(.flushDirectory) { () throws(Errno) in try calls.flushDirectory(directory) }
    }

    /// Removes the temporary file; does nothing once the file is in place.
    ///
    /// - Returns: True if the temporary file is gone; otherwise it is swept later.
    @discardableResult
    package func discard() -> Bool {
        let before = phase.withLock { phase in
            defer { phase = .over }
            return phase
        }
        if case .open(let file) = before { try? calls.close(file) }
        if before == .over { return true }
        return (try? repeated { () throws(Errno) in try calls.remove(temporary, in: directory) }) != nil
    }

    private func whileOpen<Value>(
        _ body: (FileDescriptor) throws(DurableFileError) -> Value
    ) throws(DurableFileError) -> Value {
        guard case .open(let file) = phase.withLock({ $0 }) else {
            throw DurableFileError(stage: .write, name: name, cause: .badFileDescriptor)
        }
        do throws(DurableFileError) {
            return try body(file)
        } catch {
            discard()
            throw error
        }
    }

    private func step<Value>(
        _ stage: DurableFileError.Stage, _ call: () throws(Errno) -> Value
    ) throws(DurableFileError) -> Value {
        while true {
            do throws(Errno) {
                return try call()
            } catch {
                if error != .interrupted { throw DurableFileError(stage: stage, name: name, cause: error) }
            }
        }
    }

    private static func create(
        for name: String, in directory: FileDescriptor, calls: any DurableFileCalls
    ) throws(DurableFileError) -> (String, FileDescriptor) {
        var last = Errno.fileExists
        for _ in 0..<16 {
            let temporary = DurableFile.temporaryPrefix + String(SystemFileCalls.random(), radix: 16)
            do throws(Errno) {
                return (temporary, try calls.create(temporary, in: directory))
            } catch {
                last = error
                if error != .fileExists && error != .interrupted { break }
            }
        }
        throw DurableFileError(stage: .create, name: name, cause: last)
    }
}
