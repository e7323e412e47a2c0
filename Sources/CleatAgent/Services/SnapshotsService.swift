import CleatAPI
import CleatHooks
import CleatIO
import CleatSandbox
import CleatStore
package import CleatVarlink

/// Implements `dev.cleat.Snapshots`: earlier states of the board, kept by name.
package struct SnapshotsService: VarlinkService {
    package let interface = InterfaceDescription(constant: SnapshotsInterface.idl)
    private let engine: SettingsEngine
    private let hooks: HookRunner
    private let areas: FileAreas

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - engine: The engine that holds the settings.
    ///   - hooks: The runner that knows which hook a caller belongs to.
    ///   - areas: The areas that contain imported files.
    init(engine: SettingsEngine, hooks: HookRunner, areas: FileAreas) {
        self.engine = engine
        self.hooks = hooks
        self.areas = areas
    }

    package func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        switch call.method {
        case "Create":
            let parameters = try call.parameters(of: SnapshotsInterface.Create.self)
            return try await engine.createSnapshot(parameters, author: call.author).reply
        case "List":
            _ = try call.parameters(of: SnapshotsInterface.List.self)
            return try await engine.listSnapshots().reply
        case "Show":
            let parameters = try call.parameters(of: SnapshotsInterface.Show.self)
            let offset = parameters.offset ?? 0
            return try await engine.showSnapshot(parameters.name, offset: offset, for: call.author).reply
        case "Diff":
            let parameters = try call.parameters(of: SnapshotsInterface.Diff.self)
            return try await engine.diffSnapshots(
                parameters.name, parameters.other, for: call.author
            ).reply
        case "Restore":
            let parameters = try call.parameters(of: SnapshotsInterface.Restore.self)
            let cause = await hooks.cause(ofProcess: call.peer.pid)
            return try await engine.restoreSnapshot(parameters, author: call.author.acting(for: cause), cause: cause)
                .reply
        case "Delete":
            let parameters = try call.parameters(of: SnapshotsInterface.Delete.self)
            return try await engine.deleteSnapshot(parameters.name, author: call.author).reply
        case "Export":
            try call.requireMore()
            let parameters = try call.parameters(of: SnapshotsInterface.Export.self)
            let last = try await engine.exportSnapshot(parameters.name) { text in
                try await call.send(reply: SnapshotsInterface.Export.Reply(text: text))
            }
            return last.reply
        case "Import": return try await takeIn(call)
        default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }

    private func takeIn(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SnapshotsInterface.Import.self)
        do {
            let area = try areas.area(parameters.area)
            let request = try await areas.worker.run {
                try SnapshotFileReader.read(try Self.bytes(parameters.path, in: area))
            }
            return try await engine.importSnapshot(request, as: parameters.name, author: call.author).reply
        } catch let error as SandboxError {
            throw APIError.files(FilesError(error, area: parameters.area, path: parameters.path))
        } catch let error as FilesError {
            throw APIError.files(error)
        } catch let error as SnapshotsError {
            throw APIError.snapshots(error)
        }
    }

    private static func bytes(_ path: String, in area: FileAreas.OpenArea) throws -> [UInt8] {
        let reader = try area.directory.reader(try SandboxPath(path))
        let size = reader.attributes.size
        guard size <= SnapshotFile.largest else {
            throw SnapshotsError(
                .invalidExport, "",
                message: "the file has \(size) bytes, and an export of a snapshot at most "
                    + "\(SnapshotFile.largest); nothing was imported")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(size) + APILimits.piece)
        // A file that is longer by now fails as a truncated one.
        while true {
            let piece = try reader.read(at: Int64(bytes.count), upTo: APILimits.piece)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }
}
