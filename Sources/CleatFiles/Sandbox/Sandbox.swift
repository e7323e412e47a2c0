import CleatIO
public import CleatSandbox
import SystemPackage

/// The files of a directory of the program's own.
///
/// ```swift
/// let sandbox = try await Sandbox.open(at: "/var/lib/camera", quota: Quota(bytes: 64 << 20))
/// try await sandbox.write(photo, to: "photos/1.jpg")
/// for try await entry in sandbox.list(recursive: true) { print(entry.path, entry.attributes.size) }
/// ```
/// No path leads out of the directory: links are not followed, mounts not entered, FIFOs, sockets, devices and files
/// with further names not opened, whatever other programs exchange meanwhile. A sandbox holds the directory itself, not
/// its path: it stays in the directory if another one takes its name.
///
/// The operations run one after another on a thread of the sandbox's own, which ends after ten idle seconds, so they
/// never block the threads of Swift's tasks. Copies, and files that are read or written by handles, let other operations
/// run between their parts. ``FilesNames/sync(_:)`` offers all of them without a task.
public struct Sandbox: Files, FilesWatching {
    /// The directory, as given.
    public let label: String
    private let directory: SandboxedDirectory
    private let worker: Worker

    /// Opens a directory on the calling thread, and counts its contents; see ``open(at:quota:)``.
    public init(at directory: String, quota: Quota = .unlimited) throws(FilesError) {
        try self.init(directory, quota, Worker(name: "files"))
    }

    private init(_ directory: String, _ quota: Quota, _ worker: Worker) throws(FilesError) {
        self.directory = try FilesError.mapping(in: directory) { () throws(SandboxError) in
            guard !directory.isEmpty, !directory.utf8.contains(0) else {
                throw SandboxError(.badPath, "open", area: nil, path: directory, detail: "is not that of a directory")
            }
            guard quota.bytes >= 0, quota.files >= 0 else {
                throw SandboxError(
                    SandboxError.Code.outOfRange, "open", area: nil, path: "",
                    detail: "its quota is negative; give limits from 0")
            }
            return SandboxedDirectory(try AreaRoot.openOwn(FilePath(directory), quota: quota))
        }
        label = directory
        self.worker = worker
    }

    /// Opens a directory, and counts its contents.
    ///
    /// A missing directory is made (0750). Temporary files of interrupted writes are removed, and interrupted appends
    /// are reverted.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory, which is not followed if it is a link.
    ///   - quota: The most bytes and files in the directory.
    /// - Returns: The files; the directory is closed when the last copy is released.
    /// - Throws: ``FilesError``: `notDirectory`; `symbolicLink`; `outOfRange` for a negative quota; `shared` if all users may write to the directory, or it
    ///   belongs to another user than root and the program's; `busy` if it is open already, in this program or in
    ///   another one; or the reason why it could not be opened.
    public static func open(at directory: String, quota: Quota = .unlimited) async throws(FilesError) -> Sandbox {
        let worker = Worker(name: "files")
        return try await worker.files(directory) { try Sandbox(directory, quota, worker) }
    }

    /// Runs an operation on the sandbox's thread.
    func run<Value: Sendable>(
        _ operation: @escaping @Sendable (SandboxedDirectory) throws -> Value
    ) async throws(FilesError) -> Value {
        try await worker.files(label) { [directory] in try operation(directory) }
    }
}

extension Worker {
    /// Runs an operation on files; `label` is their name.
    fileprivate func files<Value: Sendable>(
        _ label: String, _ operation: @escaping @Sendable () throws -> Value
    ) async throws(FilesError) -> Value {
        let cause: SandboxError
        do {
            return try await run(operation)
        } catch let error as FilesError {
            throw error
        } catch let error as SandboxError {
            cause = error
        } catch let error as WorkerError {
            cause = SandboxError(error.underlying, "start a thread for", area: nil, path: "")
        } catch {
            cause = SandboxError(.cancelled, "access", area: nil, path: "")
        }
        throw FilesError(cause, in: label)
    }
}

extension FilesNames {
    /// Runs operations on the files to their end, and blocks the calling thread meanwhile: for programs without tasks.
    ///
    /// ```swift
    /// let bytes = try sandbox.sync { files in try await files.read("notes/a.txt") }
    /// ```
    /// - Throws: The error of the operations; ``FilesError``: `resources` if no event loop can be made.
    public func sync<Value: Sendable>(_ operations: @escaping @Sendable (Self) async throws -> Value) throws -> Value {
        let loop: EventLoop
        do throws(Errno) {
            loop = try EventLoop(ignoringBrokenPipes: false)
        } catch {
            throw FilesError(SandboxError(error, "make an event loop for", area: nil, path: ""), in: label)
        }
        return try loop.block { try await operations(self) }
    }
}
