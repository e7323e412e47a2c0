import CleatIO
import CleatSandbox
import SystemPackage

/// The received part of an interrupted transfer; it is next to the final file until the rest has arrived.
///
/// Its name contains the file's name and the start of the content's digest, so that two contents are never mixed. A
/// process that appends to it holds a lock (`flock(2)`).
struct PartialFile {
    /// The prefix of the names of such files.
    static let prefix = ".cleat-get-"

    /// The writer that appends to the file, and moves it into place.
    let writer: DurableWriter
    /// The size in bytes.
    let size: Int64
    private let calls: SystemFileCalls

    /// Opens or creates the partial file of a content; those of former contents of the same file are removed.
    ///
    /// The result is nil if another process uses the file, or something else has its name.
    ///
    /// - Parameters:
    ///   - child: the name of the final file.
    ///   - size: the size of the complete file, in bytes.
    ///   - sha256: the digest of the content, as 64 hexadecimal digits.
    ///   - directory: the directory of the final file; it must stay open as long as the writer exists.
    ///   - calls: the system calls.
    /// - Throws: the reason why it could not be opened.
    init?(
        of child: String, size: Int64, sha256: String, in directory: FileDescriptor,
        calls: SystemFileCalls = SystemFileCalls()
    ) throws(Errno) {
        // A name has at most 255 bytes; very long ones are truncated, and differ by the digest of the content.
        let about = Self.prefix + String(decoding: child.utf8.prefix(200), as: UTF8.self).prefix(200) + "-"
        let name = about + sha256.prefix(Self.digits)
        guard name.utf8.count <= 255 else { return nil }
        var former: [FileName] = []
        try calls.names(in: directory) { found in
            if let text = found.text, text != name, text.hasPrefix(about),
                text.utf8.count == about.utf8.count + Self.digits
            {
                former.append(found)
            }
            return true
        }
        for other in former {
            guard let text = other.text, let (file, _) = try Self.open(other, in: directory, calls) else { continue }
            try calls.remove(text, in: directory)
            try calls.close(file)
        }
        let file: FileDescriptor
        let found: Int64
        if let made = try Self.make(name, in: directory, calls) {
            (file, found) = (made, 0)
        } else if let there = try Self.open(FileName(name), in: directory, calls) {
            (file, found) = there
        } else {
            return nil
        }
        writer = DurableWriter(to: child, temporary: name, file: file, in: directory)
        self.calls = calls
        // A partial file that is longer than the complete one is not part of it.
        self.size = found > size ? 0 : found
        if found > size { try calls.truncate(file, to: 0) }
    }

    /// Reads the received part in pieces.
    ///
    /// - Throws: the reason why it could not be read.
    func read(upTo limit: Int, _ take: ([UInt8]) -> Void) throws(DurableFileError) {
        var offset: Int64 = 0
        while offset < size {
            let piece = try writer.withFile { file throws(Errno) in
                var failure: Errno?
                let wanted = Int(min(Int64(limit), size - offset))
                let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                    do throws(Errno) {
                        count = try unsafe calls.read(
                            into: UnsafeMutableRawBufferPointer(buffer), from: file, at: offset)
                    } catch {
                        failure = error
                    }
                }
                if bytes.isEmpty, failure == nil { failure = .ioError }
                if let failure { throw failure }
                return bytes
            }
            take(piece)
            offset += Int64(piece.count)
        }
    }

    private static let digits = 16

    /// Creates and locks a partial file; nil if the name exists, or the file cannot be locked or belongs to another
    /// user.
    private static func make(
        _ name: String, in directory: FileDescriptor, _ calls: SystemFileCalls
    ) throws(Errno) -> FileDescriptor? {
        let file: FileDescriptor
        do throws(Errno) {
            file = try calls.create(name, in: directory)
        } catch {
            if error == .fileExists { return nil }
            throw error
        }
        // Without a lock or the same owner, a later command could not detect this one or resume the transfer.
        if let found = try? calls.attributes(of: file), found.owner.user == ProcessSelf.uid,
            (try? calls.lock(file)) != nil
        {
            return file
        }
        try calls.remove(name, in: directory)
        try calls.close(file)
        return nil
    }

    /// Opens and locks a partial file; nil if it is locked, or is not a regular file of this user with a single link.
    private static func open(
        _ name: FileName, in directory: FileDescriptor, _ calls: SystemFileCalls
    ) throws(Errno) -> (FileDescriptor, Int64)? {
        do throws(Errno) {
            let file = try calls.open(name, in: directory, for: .append)
            if let found = try? calls.attributes(of: file), found.type == .regular, found.links == 1,
                found.owner.user == ProcessSelf.uid, (try? calls.lock(file)) != nil
            {
                return (file, found.size)
            }
            try calls.close(file)
            return nil
        } catch {
            switch error {
            case .noSuchFileOrDirectory, .isDirectory, .tooManySymbolicLinkLevels, .noSuchAddressOrDevice,
                .permissionDenied:
                return nil
            default: throw error
            }
        }
    }
}
