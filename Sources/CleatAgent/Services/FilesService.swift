import CleatAPI
import CleatHash
import CleatIO
import CleatOrder
import CleatSandbox
import CleatSettings
package import CleatVarlink
import SystemPackage

/// Implements `dev.cleat.Files`: the files of the areas, read, sent and changed in pieces.
///
/// The loop does no work on files: every step of at most 1 MiB is a slice of the worker, so that other clients are
/// served meanwhile, and at most one piece of a file is held in memory.
package struct FilesService: VarlinkService {
    package let interface = InterfaceDescription(constant: FilesInterface.idl)
    let areas: FileAreas

    /// Creates the service.
    ///
    /// - Parameter areas: The file areas.
    package init(areas: FileAreas) {
        self.areas = areas
    }

    package func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        do {
            switch call.method {
            case "Areas": return try await listAreas()
            case "List": return try await list(call)
            case "Stat": return try await status(call)
            case "Read": return try await read(call)
            case "Hash": return try await hash(call)
            case "Begin": return try await begin(call)
            case "Write": return try await write(call)
            case "Commit": return try await commit(call)
            case "Abort": return try await abort(call)
            case "Uploads": return try await uploads()
            case "Remove": return try await remove(call)
            case "Move": return try await move(call)
            case "Copy": return try await copy(call)
            case "MakeDirectory": return try await makeDirectory(call)
            case "Append": return try await append(call)
            case "SetMode": return try await setMode(call)
            default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
            }
        } catch let error as FilesError {
            throw APIError.files(error)
        } catch let error as WorkerError {
            throw APIError.files(FilesError(.failed, reason: "resources", message: error.description))
        }
    }

    /// The target that a caller has named: an open area, and a path in it.
    struct Place: Sendable {
        let name: String
        let path: SandboxPath
        let open: FileAreas.OpenArea

        var directory: SandboxedDirectory { open.directory }
    }

    /// Finds the target that a caller has named.
    func place(_ area: String, _ path: String) throws -> Place {
        let open = try areas.area(area)
        do throws(SandboxError) {
            return Place(name: area, path: try SandboxPath(path), open: open)
        } catch {
            throw FilesError(error, area: area, path: path)
        }
    }

    /// Runs a step of work on files on the worker, where it blocks no other client.
    func work<Value: Sendable>(
        _ place: Place, _ step: @escaping @Sendable (Place) throws(SandboxError) -> Value
    ) async throws -> Value {
        do {
            return try await areas.worker.run { try step(place) }
        } catch let error as SandboxError {
            throw FilesError(error, area: place.name, path: place.path.text)
        }
    }

    // MARK: Looking

    private func listAreas() async throws -> VarlinkReply {
        var replies = areas.problems.map { FileArea(name: $0.area.rawValue, problem: $0.message) }
        for (area, open) in areas.open {
            let reply = try await areas.worker.run {
                do throws(SandboxError) {
                    let root = open.directory.root
                    let usage = try root.account.usage()
                    let quota = root.account.quota
                    return FileArea(
                        name: area.rawValue, bytes: usage.bytes, files: usage.files, quotaBytes: quota.bytes,
                        quotaFiles: quota.files, freeBytes: try root.space().available,
                        uploads: open.uploads.uploads.count)
                } catch {
                    return FileArea(name: area.rawValue, problem: "\(error)")
                }
            }
            replies.append(reply)
        }
        replies = replies.ordered { $0.name < $1.name }
        return FilesInterface.Areas.Reply(areas: replies).reply
    }

    private func list(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.List.self)
        let place = try place(asked.area, asked.path ?? "")
        var after = try asked.after.map { text throws in try self.place(asked.area, text).path }
        let limit = min(asked.limit ?? APILimits.entries, APILimits.entries)
        while true {
            let last = after
            let listing = try await work(place) { place throws(SandboxError) in
                try place.directory.list(
                    place.path, recursive: asked.recursive ?? false, limit: limit, after: last)
            }
            after = listing.hasMore ? listing.entries.last?.path : nil
            let page = FilesInterface.List.Reply(
                entries: listing.entries.map { FileInfo($0.path, $0.attributes) },
                skipped: listing.unnameable > 0 ? listing.unnameable : nil, next: after?.text)
            guard call.more, after != nil else { return page.reply }
            try await call.send(reply: page)
        }
    }

    private func status(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Stat.self)
        let place = try place(asked.area, asked.path)
        return try await work(place) { place throws(SandboxError) in
            let attributes = try place.directory.attributes(of: place.path)
            return FilesInterface.Stat.Reply(
                entry: FileInfo(place.path, attributes), token: attributes.token,
                realPath: String(validating: place.open.location.appending(FilePath(place.path.text).components)),
                readable: try place.directory.isReadable(place.path),
                writable: try place.directory.isWritable(place.path))
        }.reply
    }

    /// Returns the description of the file at a path after a change.
    func result(_ place: Place) async throws -> VarlinkReply {
        let attributes = try await work(place) { place throws(SandboxError) in
            try place.directory.attributes(of: place.path)
        }
        return FilesInterface.Result(entry: FileInfo(place.path, attributes)).reply
    }

    // MARK: Reading

    private func read(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Read.self)
        let length = asked.length ?? APILimits.piece
        guard (0...APILimits.piece).contains(length) else { throw Self.tooLong() }
        return try await work(place(asked.area, asked.path)) { place throws(SandboxError) in
            let reader = try Self.reader(place, token: asked.token)
            let piece = try reader.read(at: asked.offset, upTo: length)
            return FilesInterface.Read.Reply(
                data: Base64.encode(piece), size: reader.attributes.size, token: reader.attributes.token)
        }.reply
    }

    private func hash(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Hash.self)
        let place = try place(asked.area, asked.path)
        let reader = try await work(place) { place throws(SandboxError) in
            try Self.reader(place, token: asked.token)
        }
        let sum = try await digest(of: reader, place, for: call)
        return try await work(place) { place throws(SandboxError) in
            guard try reader.currentAttributes().token == reader.attributes.token,
                Int64(sum.count) == reader.attributes.size
            else { throw Self.changed(place) }
            return FilesInterface.Hash.Reply(
                sha256: SHA256.hexadecimal(sum.finalize()), size: reader.attributes.size,
                token: reader.attributes.token)
        }.reply
    }

    /// Hashes a whole file, in slices, while the client is connected: a sparse file may hold more than can be read in a
    /// day.
    func digest(of reader: FileReader, _ place: Place, for call: VarlinkCall) async throws -> SHA256 {
        var digest = SHA256()
        while true {
            try call.requireClient()
            let before = digest
            let (after, isEnd) = try await work(place) { _ throws(SandboxError) in
                var digest = before
                let slice = try reader.read(at: Int64(digest.count), upTo: Worker.sliceSize)
                digest.update(slice)
                // A file that grows as fast as it is read would have no end.
                return (
                    digest, slice.count < Worker.sliceSize || Int64(digest.count) > reader.attributes.size
                )
            }
            digest = after
            if isEnd { return digest }
        }
    }

    /// Opens a file, and refuses one that does not match the token.
    private static func reader(_ place: Place, token: String?) throws(SandboxError) -> FileReader {
        let reader = try place.directory.reader(place.path)
        if let token, token != reader.attributes.token { throw changed(place) }
        return reader
    }

    private static func changed(_ place: Place) -> SandboxError {
        SandboxError(.changed, "read", area: place.directory.area, path: place.path.text)
    }

    /// Returns the error for more bytes than one call may carry.
    static func tooLong() -> FilesError {
        var error = FilesError(
            .tooLong, message: "one call carries at most \(APILimits.piece) bytes of a file; make several")
        error.limit = Int64(APILimits.piece)
        return error
    }
}
