package import CleatIO
import CleatSandbox
package import SystemPackage

/// Keeps the volatile state in a file of the runtime directory, so that it outlives a restart of the service but no
/// boot.
package struct VolatileFile: Sendable {
    /// The maximum size of the file in bytes: its values and its transactions are limited to much less.
    static let sizeLimit = 16 << 20
    /// The file's name.
    static let name = "volatile.json"
    /// The name of a quarantined file, which could not be read.
    static let damagedName = "volatile.json.damaged"

    private let directory: FilePath
    private let bootID: String
    private let worker: Worker

    /// Creates the object without reading the file.
    ///
    /// - Parameters:
    ///   - directory: The runtime directory.
    ///   - bootID: The id of this boot.
    ///   - worker: The worker that writes.
    package init(directory: FilePath, bootID: String, worker: Worker) {
        self.directory = directory
        self.bootID = bootID
        self.worker = worker
    }

    /// The path of the file.
    package var path: FilePath { directory.appending(Self.name) }

    /// Reads the state that this boot has written, and removes files that are of no use.
    ///
    /// This runs at startup, before clients are served, so it runs on the calling thread and wakes no other one.
    ///
    /// - Returns: The state, and the problem: a file that cannot be read is quarantined.
    package func load() -> (state: VolatileState, problem: String?) {
        Self.sweep(directory)
        do {
            guard let bytes = try BoundedFile.read(path, limit: Self.sizeLimit) else { return (VolatileState(), nil) }
            if let state = try VolatileState.decoded(bytes, bootID: bootID) { return (state, nil) }
            FileMoves.remove(path)
            return (VolatileState(), nil)
        } catch {
            return (VolatileState(), Self.quarantine(path, in: directory, error))
        }
    }

    /// Replaces the file atomically.
    func save(_ state: VolatileState) async throws {
        let bytes = try state.encoded(bootID: bootID)
        let (path, directory) = (path, directory)
        try await worker.run {
            do {
                let parent = try FileDescriptor.open(directory, .readOnly, options: [.directory, .closeOnExec])
                try parent.closeAfter { try DurableFile.write(bytes, to: Self.name, in: parent) }
            } catch {
                throw FileError(path, verb: "write", error)
            }
        }
    }

    /// Removes the temporary file of an interrupted write.
    private static func sweep(_ directory: FilePath) {
        guard let parent = try? FileDescriptor.open(directory, .readOnly, options: [.directory, .closeOnExec]) else {
            return
        }
        // A file that remains costs memory until the next boot, and nothing else.
        _ = try? parent.closeAfter { try DurableFile.sweep(in: parent) }
    }

    private static func quarantine(_ path: FilePath, in directory: FilePath, _ error: any Error) -> String {
        let place = directory.appending(damagedName)
        do {
            try FileMoves.rename(path, to: place)
            return "the volatile settings of \(path) are lost: \(error); it was quarantined as \(place); set them again"
        } catch let second {
            return "the volatile settings of \(path) are lost: \(error); it could not be quarantined either: \(second)"
        }
    }
}
