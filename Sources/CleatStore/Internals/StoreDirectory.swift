import CLinux
import CleatIO
import SystemPackage

/// Holds the store's directory open and locked, and knows the files in it by name.
final class StoreDirectory {
    let path: String
    let descriptor: FileDescriptor

    /// Opens the directory, makes it (0700) where it is missing, and locks it against a second instance.
    init(_ directory: FilePath) throws(StoreError) {
        path = directory.string
        var opened = unsafe clinux_store_open_directory(path)
        if opened == -Errno.noSuchFileOrDirectory.rawValue {
            try Self.make(directory)
            opened = unsafe clinux_store_open_directory(path)
        }
        guard opened >= 0 else { throw StoreError(Errno(rawValue: 0 &- opened), path, while: "open the directory") }
        descriptor = FileDescriptor(rawValue: opened)
        // A file system that has no locks is left to SQLite's own.
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

    /// Lets another instance have the directory.
    func unlock() { clinux_store_unlock(descriptor.rawValue) }

    /// The path of a file, for SQLite.
    func path(of name: String) -> String { FilePath(path).appending(name).string }

    /// The size of a file, or nil where there is none.
    func size(of name: String) throws(StoreError) -> Int64? {
        let size = unsafe name.withCString { unsafe clinux_store_size(descriptor.rawValue, $0) }
        if size >= 0 { return size }
        let error = Errno(rawValue: Int32(truncatingIfNeeded: 0 &- size))
        if error == .noSuchFileOrDirectory { return nil }
        throw StoreError(error, path(of: name), while: "look at")
    }

    /// Looks at files before anything opens them: each must be a regular file with one name, of the directory's owner or of
    /// this process's user (`fstatat(2)`).
    ///
    /// A FIFO would hold up who opens it for ever, what has a second name would be written there, too, and another user
    /// could still have a file open that is theirs.
    ///
    /// - Throws: the first one that is anything else, with what to do.
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
            guard result == 0 else { throw StoreError(Errno(rawValue: 0 &- result), file, while: "look at") }
            func refuse(as code: StoreError.Code = .invalidDirectory, _ what: String, _ remedy: String) -> StoreError {
                StoreError(code, file, "“\(file)” \(what), where a file of the store belongs; \(remedy).")
            }
            guard clinux_store_is_regular(mode) == 1 else {
                throw refuse(
                    "is a \(Self.kind(mode))",
                    "move it away with 'mv \(file) \(file).bad', then start the service again")
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
                    "have the service own it with 'chown \(directoryOwner) \(file)', then start the service again")
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

    /// Whether the path still leads to the directory that is open.
    var isInPlace: Bool {
        var owner: UInt32 = 0
        return unsafe clinux_store_place(descriptor.rawValue, path, &owner) == 1
    }

    /// The bytes free on the file system.
    var freeBytes: Int64? {
        let free = clinux_store_free_bytes(descriptor.rawValue)
        return free >= 0 ? free : nil
    }

    /// Reads the first bytes of a file that must be a regular one, or those from an offset on, and finds its size.
    ///
    /// - Returns: nil where there is no such file.
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
        guard status == 0 else { throw StoreError(Errno(rawValue: 0 &- status), path(of: name), while: "look at") }
        guard clinux_store_is_regular(mode) == 1 else {
            throw StoreError(
                .invalidDirectory, path(of: name),
                "“\(path(of: name))” is not a regular file, and stands where the store's file should; move it away.")
        }
        // Others have no business in the settings; a file system without owners refuses, which is its own affair.
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

    /// Writes over a regular file that has just as many bytes.
    ///
    /// - Parameters:
    ///   - name: the file.
    ///   - bytes: what it holds then.
    ///   - flushed: whether it is durable when this returns.
    /// - Returns: false where there is no such file.
    /// - Throws: what the storage said.
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

    /// Makes an empty file that is there for its owner alone.
    func create(_ name: String) throws(StoreError) {
        let file = unsafe name.withCString { unsafe clinux_store_create(descriptor.rawValue, $0) }
        guard file >= 0 else { throw StoreError(Errno(rawValue: 0 &- file), path(of: name), while: "make") }
        _ = clinux_store_close(file)
    }

    /// Takes a file away, where there is one.
    @discardableResult
    func remove(_ name: String) -> Bool {
        unsafe name.withCString { unsafe clinux_store_unlink(descriptor.rawValue, $0) } == 0
    }

    /// Gives a file a name that no other has.
    ///
    /// - Returns: false where the name is taken.
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

    /// Flushes the directory, so that new names outlast a power cut.
    func flush() throws(StoreError) {
        let result = clinux_store_fsync(descriptor.rawValue)
        guard result == 0 else { throw StoreError(Errno(rawValue: 0 &- result), path, while: "flush the directory") }
    }

    /// Makes the directory's own name durable, and the names of those above it: whoever made them need not have.
    func flushAbove() { clinux_store_fsync_above(descriptor.rawValue) }

    /// The present UTC time as part of a file's name.
    static var stamp: String {
        var text = [CChar](repeating: 0, count: 40)
        let count = unsafe clinux_store_stamp(&text, text.count)
        guard count > 0 else { return "unknown-time" }
        return String(decoding: text.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes 128 random bits, as 32 hexadecimal digits.
    static func randomID() throws(StoreError) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let result = unsafe bytes.withUnsafeMutableBytes { unsafe clinux_store_random($0.baseAddress, $0.count) }
        guard result == 0 else {
            throw StoreError(Errno(rawValue: 0 &- result), "random numbers", while: "get")
        }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
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
