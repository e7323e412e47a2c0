import CleatIO
import CleatSandbox
import SystemPackage

/// What has come of a file whose transfer was cut off: it lies beside the file's place until the rest has come.
///
/// Its name says which file it is and what content, so that nothing is ever put together of two contents; while a process
/// adds to it, it is locked (`flock(2)`).
struct PartialFile {
    /// Begins the names of such files.
    static let prefix = ".cleat-get-"

    /// Adds to it, and puts it in its place.
    let writer: DurableWriter
    /// How many bytes it has.
    let size: Int64
    private let calls: SystemFileCalls

    /// Opens what has come of a content, or begins with it; what has come of former contents of the file is removed.
    ///
    /// It is nil where another process is at it, or something else has the name.
    ///
    /// - Parameters:
    ///   - child: the name of the file to be.
    ///   - size: how many bytes it will have.
    ///   - sha256: its content, as 64 hexadecimal digits.
    ///   - directory: where the file will be; it must stay open for as long as the writer lives.
    ///   - calls: the system calls.
    /// - Throws: why it could not be opened.
    init?(
        of child: String, size: Int64, sha256: String, in directory: FileDescriptor,
        calls: SystemFileCalls = SystemFileCalls()
    ) throws(Errno) {
        // A name has at most 255 bytes, and those of the longest are told apart by their contents.
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
        // What is longer than the file has not come of it.
        self.size = found > size ? 0 : found
        if found > size { try calls.truncate(file, to: 0) }
    }

    /// Reads what has come, in pieces.
    ///
    /// - Throws: why it could not be read.
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

    /// Makes and locks such a file; nil where something has its name, or it cannot be locked here.
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
        // Where another command could not see that this one is at it, or not take it over, nothing is kept.
        if let found = try? calls.attributes(of: file), found.owner.user == ProcessSelf.uid,
            (try? calls.lock(file)) != nil
        {
            return file
        }
        try calls.remove(name, in: directory)
        try calls.close(file)
        return nil
    }

    /// Opens and locks such a file; nil where it is locked, or nothing that a transfer of this user has left.
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
