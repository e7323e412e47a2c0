import CLinux
import CleatIO
import SystemPackage

/// The store's directory, open and locked, with its files by name.
final class StoreDirectory {
    let path: String
    let descriptor: FileDescriptor

    /// Opens the directory, creates it (0700) if it is missing, and locks it against a second instance.
    init(_ directory: FilePath) throws(StoreError) {
        path = directory.string
        var opened = unsafe clinux_store_open_directory(path)
        if opened == -Errno.noSuchFileOrDirectory.rawValue {
            try Self.make(directory)
            opened = unsafe clinux_store_open_directory(path)
        }
        guard opened >= 0 else { throw StoreError(Errno(rawValue: 0 &- opened), path, while: "open the directory") }
        descriptor = FileDescriptor(rawValue: opened)
        // On a file system without locks, only SQLite's own locks protect the store.
        if clinux_store_lock(opened) == -Errno.wouldBlock.rawValue {
            throw StoreError(
                .inUse, path,
                "The store “\(path)” is open in another program; stop that program, or give this one another directory."
            )
        }
    }

    deinit {
        // A child that is about to be executed may hold the descriptor too; it must not hold the lock.
        unlock()
        _ = clinux_store_close(descriptor.rawValue)
    }

    /// Unlocks the directory, so that another instance can open it.
    func unlock() { clinux_store_unlock(descriptor.rawValue) }

    /// Returns the path of a file, for SQLite.
    func path(of name: String) -> String { FilePath(path).appending(name).string }

    /// Returns the size of a file in bytes; nil if there is none.
    func size(of name: String) throws(StoreError) -> Int64? {
        let size = unsafe name.withCString { unsafe clinux_store_size(descriptor.rawValue, $0) }
        if size >= 0 { return size }
        let error = Errno(rawValue: Int32(truncatingIfNeeded: 0 &- size))
        if error == .noSuchFileOrDirectory { return nil }
        throw StoreError(error, path(of: name), while: "inspect")
    }

    /// Checks files before anything opens them: each must be a regular file with one name, owned by the directory's
    /// owner or by this process's user (`fstatat(2)`).
    ///
    /// Opening a FIFO would block for ever, a write to a file with a second name would change that one too, and another
    /// user could still have a file of their own open.
    ///
    /// - Throws: an error that names the first other file, with the remedy.
    func check(_ names: [String]) throws(StoreError) {
        var directoryOwner: UInt32 = 0
        _ = unsafe clinux_store_place(descriptor.rawValue, path, &directoryOwner)
        for name in names {
            var (mode, links, owner): (UInt32, UInt64, UInt32) = (0, 0, 0)
            let result = unsafe name.withCString {
                unsafe clinux_store_look(descriptor.rawValue, $0, &mode, &links, &owner)
            }
            if result == -Errno.noSuchFileOrDirectory.rawValue { continue }
            let file = path(of: name)
            guard result == 0 else { throw StoreError(Errno(rawValue: 0 &- result), file, while: "inspect") }
            func refuse(as code: StoreError.Code = .invalidDirectory, _ what: String, _ remedy: String) -> StoreError {
                StoreError(code, file, "“\(file)” \(what), where a file of the store belongs; \(remedy).")
            }
            guard clinux_store_is_regular(mode) == 1 else {
                throw refuse(
                    "is a \(Self.kind(mode))",
                    "move it away with 'mv \(file) \(file).bad', then start the program again")
            }
            guard links == 1 else {
                throw refuse(
                    "has \(links) names (hard links), all of which would be written",
                    "make it a file of its own with 'cp -a \(file) \(file).own && mv \(file).own \(file)', then start the "
                        + "service again")
            }
            guard owner == directoryOwner || owner == ProcessSelf.uid else {
                throw refuse(
                    as: .accessDenied, "belongs to the user \(owner)",
                    "give it to the user of the program with 'chown \(directoryOwner) \(file)', then start the program again"
                )
            }
        }
    }

    private static func kind(_ mode: UInt32) -> String {
        switch mode & 0o170000 {
        case 0o040000: "directory"
        case 0o120000: "symbolic link"
        case 0o010000: "FIFO"
        case 0o140000: "socket"
        default: "device"
        }
    }

    /// True if the path still leads to the open directory.
    var isInPlace: Bool {
        var owner: UInt32 = 0
        return unsafe clinux_store_place(descriptor.rawValue, path, &owner) == 1
    }

    /// The bytes free on the file system; nil if the system does not report them.
    var freeBytes: Int64? {
        let free = clinux_store_free_bytes(descriptor.rawValue)
        return free >= 0 ? free : nil
    }

    /// Reads bytes of a regular file from an offset on, and its size; any other kind of file is an error.
    ///
    /// - Returns: nil if there is no such file.
    func head(
        of name: String, count: Int, writing: Bool, from offset: Int64 = 0
    ) throws(StoreError) -> (bytes: [UInt8], size: Int64)? {
        let file = unsafe name.withCString { unsafe clinux_store_open(descriptor.rawValue, $0, writing ? 1 : 0) }
        if file == -Errno.noSuchFileOrDirectory.rawValue { return nil }
        guard file >= 0 else { throw StoreError(Errno(rawValue: 0 &- file), path(of: name), while: "open") }
        defer { _ = clinux_store_close(file) }
        var size: Int64 = 0
        var mode: UInt32 = 0
        let status = unsafe clinux_store_status(file, &size, &mode)
        guard status == 0 else { throw StoreError(Errno(rawValue: 0 &- status), path(of: name), while: "inspect") }
        guard clinux_store_is_regular(mode) == 1 else {
            throw StoreError(
                .invalidDirectory, path(of: name),
                "“\(path(of: name))” is not a regular file, where a file of the store belongs; move it away.")
        }
        // Other users must not read the settings; a file system without owners refuses the change of mode, which is
        // ignored.
        if writing, mode & 0o077 != 0 { _ = clinux_store_fchmod(file, 0o600) }
        let left = max(0, size - offset)
        return (try read(file, count: Int(clamping: min(Int64(count), left)), from: offset, name: name), size)
    }

    private func read(_ file: Int32, count: Int, from offset: Int64, name: String) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let start = done
            let got = unsafe bytes.withUnsafeMutableBytes { all in
                unsafe clinux_store_read_at(
                    file, all.baseAddress?.advanced(by: start), all.count - start, offset + Int64(start))
            }
            if got == -Int(Errno.interrupted.rawValue) { continue }
            guard got >= 0 else {
                let error = Errno(rawValue: Int32(truncatingIfNeeded: 0 &- got))
                throw StoreError(error, path(of: name), while: "read")
            }
            if got == 0 { break }
            done += got
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Overwrites a regular file that has the same number of bytes.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - bytes: the new content.
    ///   - flushed: true if the content must be durable when this returns.
    /// - Returns: false if there is no regular file of that size.
    /// - Throws: a storage error.
    func overwrite(_ name: String, with bytes: [UInt8], flushed: Bool) throws(StoreError) -> Bool {
        guard try size(of: name) == Int64(bytes.count) else { return false }
        let file = unsafe name.withCString { unsafe clinux_store_open(descriptor.rawValue, $0, 1) }
        guard file >= 0 else { throw StoreError(Errno(rawValue: 0 &- file), path(of: name), while: "open") }
        defer { _ = clinux_store_close(file) }
        var size: Int64 = 0
        var mode: UInt32 = 0
        guard unsafe clinux_store_status(file, &size, &mode) == 0, clinux_store_is_regular(mode) == 1 else {
            return false
        }
        let written = unsafe bytes.withUnsafeBytes {
            unsafe clinux_store_write_at(file, $0.baseAddress, $0.count, 0)
        }
        guard written == bytes.count else {
            let error = written < 0 ? Errno(rawValue: Int32(truncatingIfNeeded: 0 &- written)) : .ioError
            throw StoreError(error, path(of: name), while: "write")
        }
        let flush = flushed ? clinux_store_fdatasync(file) : 0
        guard flush == 0 else { throw StoreError(Errno(rawValue: 0 &- flush), path(of: name), while: "flush") }
        return true
    }

    /// Creates an empty file that only its owner can access.
    func create(_ name: String) throws(StoreError) {
        let file = unsafe name.withCString { unsafe clinux_store_create(descriptor.rawValue, $0) }
        guard file >= 0 else { throw StoreError(Errno(rawValue: 0 &- file), path(of: name), while: "make") }
        _ = clinux_store_close(file)
    }

    /// Deletes a file; returns true if it did.
    @discardableResult
    func remove(_ name: String) -> Bool {
        unsafe name.withCString { unsafe clinux_store_unlink(descriptor.rawValue, $0) } == 0
    }

    /// Renames a file without replacing another one.
    ///
    /// - Returns: false if the name is taken.
    func rename(_ name: String, to other: String) throws(StoreError) -> Bool {
        let result = unsafe name.withCString { from in
            unsafe other.withCString { to in unsafe clinux_store_rename_exclusive(descriptor.rawValue, from, to) }
        }
        if result == -Errno.fileExists.rawValue { return false }
        guard result == 0 else {
            throw StoreError(Errno(rawValue: 0 &- result), path(of: name), while: "give another name to")
        }
        return true
    }

    /// Flushes the directory, so that new names survive a power cut.
    func flush() throws(StoreError) {
        let result = clinux_store_fsync(descriptor.rawValue)
        guard result == 0 else { throw StoreError(Errno(rawValue: 0 &- result), path, while: "flush the directory") }
    }

    /// Flushes the directories above, so that the directory's own name and those above it are durable: their creator
    /// may not have done so.
    func flushAbove() { clinux_store_fsync_above(descriptor.rawValue) }

    /// The present UTC time as part of a file's name.
    static var stamp: String {
        var text = [CChar](repeating: 0, count: 40)
        let count = unsafe clinux_store_stamp(&text, text.count)
        guard count > 0 else { return "unknown-time" }
        return String(decoding: text.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func make(_ directory: FilePath) throws(StoreError) {
        let parent = directory.removingLastComponent()
        var result = unsafe clinux_store_make_directory(directory.string, 0o700)
        if result == -Errno.noSuchFileOrDirectory.rawValue, !parent.isEmpty, parent != directory {
            try makeParents(parent)
            result = unsafe clinux_store_make_directory(directory.string, 0o700)
        }
        guard result == 0 || result == -Errno.fileExists.rawValue else {
            throw StoreError(Errno(rawValue: 0 &- result), directory.string, while: "make the directory")
        }
        let opened = unsafe clinux_store_open_directory(parent.isEmpty ? "." : parent.string)
        guard opened >= 0 else { return }
        _ = clinux_store_fsync(opened)
        _ = clinux_store_close(opened)
    }

    private static func makeParents(_ directory: FilePath) throws(StoreError) {
        let parent = directory.removingLastComponent()
        var result = unsafe clinux_store_make_directory(directory.string, 0o755)
        if result == -Errno.noSuchFileOrDirectory.rawValue, !parent.isEmpty, parent != directory {
            try makeParents(parent)
            result = unsafe clinux_store_make_directory(directory.string, 0o755)
        }
        guard result == 0 || result == -Errno.fileExists.rawValue else {
            throw StoreError(Errno(rawValue: 0 &- result), directory.string, while: "make the directory")
        }
    }
}
