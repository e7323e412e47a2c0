import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A local file that is sent: it can be read twice, once for its digest and once for its pieces.
struct LocalSource {
    /// The name; `-` for standard input.
    let name: String
    /// The number of bytes to send.
    let size: Int64
    /// The permissions in octal digits; nil for standard input and for what is not a regular file.
    let mode: String?
    private let file: Descriptor
    private let start: Int64
    private let state: State

    /// The attributes that change with the content.
    private struct State: Hashable {
        let size: Int64
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            size = Int64(status.st_size)
            seconds = Int(status.st_mtim.tv_sec)
            nanoseconds = Int(status.st_mtim.tv_nsec)
        }
    }

    /// Opens a file, or standard input if the path is `-`.
    ///
    /// Anything but a regular file is first copied into a temporary file, because its size and digest have to be known.
    ///
    /// - Parameters:
    ///   - path: the path of the file, or `-`.
    ///   - limit: the maximum useful size in bytes; for anything but a regular file, reading stops soon after it, and
    ///     ``size`` is then larger than the limit.
    /// - Throws: the reason why it cannot be opened or read.
    init(path: String, upTo limit: Int64 = .max) throws(CommandError) {
        if path == "-" {
            try self.init(
                reading: Descriptor(owning: Self.standardInput()), name: "-", keepsMode: false, upTo: limit)
            return
        }
        do {
            // This blocks while a FIFO has no writer, as is usual.
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            try self.init(reading: Descriptor(owning: file), name: path, keepsMode: true, upTo: limit)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .local("\(path) cannot be opened: \(error)")
        }
    }

    /// Creates a source from an open file, which it owns from then on.
    init(opened file: Descriptor, name: String) throws(CommandError) {
        try self.init(reading: file, name: name, keepsMode: true, upTo: .max)
    }

    private init(
        reading file: Descriptor, name: String, keepsMode: Bool, upTo limit: Int64
    ) throws(CommandError) {
        let status = try Self.status(of: file, name: name)
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else {
            throw .local("\(name) is a directory", remedy: "name a file")
        }
        self.name = name
        guard kind == S_IFREG else {
            let (spool, size) = try LocalSpool.fill(from: file.descriptor, name: name, upTo: limit)
            self.file = spool
            (self.size, start, mode) = (size, 0, nil)
            state = State(try Self.status(of: spool, name: name))
            return
        }
        self.file = file
        // Standard input is read from its present offset, after the bytes that another program has read.
        start = keepsMode ? 0 : max(0, Int64(lseek(file.rawValue, 0, SEEK_CUR)))
        size = max(0, Int64(status.st_size) - start)
        let digits = String(status.st_mode & 0o777, radix: 8)
        mode = keepsMode ? String(repeating: "0", count: 4 - digits.utf8.count) + digits : nil
        state = State(status)
    }

    /// Reads a piece; throws an error if the file has become shorter.
    func read(at offset: Int64, upTo limit: Int) throws(CommandError) -> [UInt8] {
        let wanted = Int(min(Int64(limit), size - offset))
        var failure: Errno?
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let count = unsafe pread(
                    file.rawValue, rest.baseAddress, rest.count, off_t(start + offset) + off_t(filled))
                if count < 0 {
                    if errno == EINTR { continue }
                    failure = Errno(rawValue: errno)
                    return
                }
                if count == 0 { return }
                filled += count
            }
        }
        if let failure { throw .local("\(name) cannot be read: \(failure)") }
        guard piece.count == wanted else { throw changed }
        return piece
    }

    /// Throws an error if the file has changed since it was opened, since its digest may be wrong.
    func checkUnchanged() throws(CommandError) {
        guard State(try Self.status(of: file, name: name)) == state else { throw changed }
    }

    private var changed: CommandError {
        .local("\(name) changed while it was sent", remedy: "the file on the board is unchanged; put it again")
    }

    private static func status(of file: Descriptor, name: String) throws(CommandError) -> stat {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else {
            throw .local("\(name) cannot be read: \(Errno(rawValue: errno))")
        }
        return status
    }

    private static func standardInput() throws(CommandError) -> FileDescriptor {
        do {
            return try FileDescriptor.standardInput.duplicate()
        } catch {
            throw .local("standard input cannot be read: \(error)")
        }
    }
}
