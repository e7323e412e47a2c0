import CleatAPI
import CleatIO
import CleatSandbox
import SystemPackage

/// Replaces a local file by the fetched one, completely or not at all.
final class ReplacingSink: FileSink {
    private var writer: DurableWriter
    /// True if a later command can resume with the received part.
    private var isResumable = false
    private let directory: LocalDirectory
    private let permissions: FilePermissions
    private let child: String

    var isTerminal: Bool { false }

    init(_ child: String, in directory: LocalDirectory, permissions: FilePermissions) throws(CommandError) {
        self.directory = directory
        self.permissions = permissions
        self.child = child
        do throws(DurableFileError) {
            writer = try DurableWriter(to: child, in: directory.descriptor.descriptor)
        } catch {
            throw .local("\(directory.shown(child)) cannot be written: \(error)")
        }
        SignalCleanup.removeWhenEnded(writer.temporary, in: directory.descriptor.descriptor)
    }

    deinit {
        writer.discard()
        SignalCleanup.removeNothingWhenEnded()
    }

    private var name: String { directory.shown(child) }

    /// Prepares a temporary file, or for more than one piece a partial file, which survives if a signal ends the
    /// process.
    func begin(
        _ size: Int64, sha256: String, _ take: ([UInt8]) -> Void
    ) throws(CommandError) -> Int64 {
        guard size > Int64(APILimits.piece),
            let partial = try directory.partial(of: child, size: size, sha256: sha256)
        else {
            try directory.requireSpace(for: size, as: child)
            return 0
        }
        try directory.requireSpace(for: size - partial.size, as: child)
        do throws(DurableFileError) {
            try partial.read(upTo: APILimits.piece, take)
        } catch {
            throw .local("\(name) cannot be written: \(error)")
        }
        writer.discard()
        SignalCleanup.removeNothingWhenEnded()
        writer = partial.writer
        isResumable = true
        return partial.size
    }

    func write(_ piece: [UInt8]) throws(CommandError) {
        do throws(DurableFileError) {
            try writer.write(piece)
        } catch {
            throw .local("\(name) cannot be written: \(error)")
        }
    }

    func keep() {
        if isResumable { writer.keep() }
    }

    func finish() throws(CommandError) {
        do throws(DurableFileError) {
            try writer.commit(permissions: permissions)
        } catch {
            throw .local("\(name) cannot be written: \(error)")
        }
    }
}
