import CleatIO
import CleatSandbox
import SystemPackage

/// Puts what is fetched in the place of a local file, whole or not at all.
final class ReplacingSink: FileSink {
    private let writer: DurableWriter
    private let directory: LocalDirectory
    private let permissions: FilePermissions
    private let name: String

    var isTerminal: Bool { false }

    init(_ child: String, in directory: LocalDirectory, permissions: FilePermissions) throws(CommandError) {
        self.directory = directory
        self.permissions = permissions
        name = directory.shown(child)
        do throws(DurableFileError) {
            writer = try DurableWriter(to: child, in: directory.descriptor.descriptor)
        } catch {
            throw .local("\(directory.shown(child)) cannot be written: \(error)")
        }
        Process.removeWhenEnded(writer.temporary, in: directory.descriptor.descriptor)
    }

    deinit {
        writer.discard()
        Process.removeNothingWhenEnded()
    }

    func write(_ piece: [UInt8]) throws(CommandError) {
        do throws(DurableFileError) {
            try writer.write(piece)
        } catch {
            throw .local("\(name) cannot be written: \(error)")
        }
    }

    func finish() throws(CommandError) {
        do throws(DurableFileError) {
            try writer.commit(permissions: permissions)
        } catch {
            throw .local("\(name) cannot be written: \(error)")
        }
    }
}
