import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatOrder
import CleatSandbox
import CleatSettings
import CleatVarlink
import SystemPackage

extension FilesService {
    /// Runs a step of an upload on the worker, where it blocks no other client.
    private func upload<Value: Sendable>(
        _ place: Place, _ step: @escaping @Sendable (UploadStore) throws(UploadError) -> Value
    ) async throws -> Value {
        let uploads = place.open.uploads
        do {
            return try await areas.worker.run { try step(uploads) }
        } catch let error as UploadError {
            throw error.wireError(area: place.name, path: place.path.text)
        }
    }

    /// Finds the target path of an upload.
    private func place(of key: UploadKey) throws -> Place {
        guard let (area, open, status) = areas.uploading(key) else { throw Self.unknown(key.id) }
        return Place(name: area.rawValue, path: status.path, open: open)
    }

    private static func unknown(_ id: String) -> FilesError {
        let shown = String(id.prefix(APILimits.idBytes))
        return FilesError(
            .unknownUpload, id: shown,
            message:
                "no upload has the id \(shown): it was never started, was aborted, or has waited for "
                + "more than a day; start it again")
    }

    func begin(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Begin.self)
        guard APILimits.isValidID(asked.id) else { throw VarlinkError.invalidParameter("id") }
        let place = try place(asked.area, asked.path)
        let key = call.upload(asked.id)
        // An id names one upload in all areas: the calls that follow name nothing else.
        if let (area, _, status) = areas.uploading(key), area.rawValue != asked.area {
            var error = FilesError(
                .uploadConflict, id: asked.id,
                message: "the id \(asked.id) is that of an upload to \(area)/\(status.path); use another one")
            (error.area, error.path) = (area.rawValue, status.path.text)
            throw error
        }
        let offset = try await upload(place) { uploads throws(UploadError) in
            _ = try? uploads.expire()
            return try uploads.begin(
                try UploadRequest(key: key, path: place.path, size: asked.size, sha256: asked.sha256))
        }
        areas.forget(key)
        return FilesInterface.Begin.Reply(offset: offset).reply
    }

    func write(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Write.self)
        guard asked.data.utf8.count <= (APILimits.piece + 2) / 3 * 4 else { throw Self.tooLong() }
        let key = call.upload(asked.id)
        let offset = try await upload(place(of: key)) { uploads throws(UploadError) -> Int64? in
            guard let bytes = Base64.decode(asked.data) else { return nil }
            return try uploads.write(key, at: asked.offset, bytes)
        }
        guard let offset else { throw VarlinkError.invalidParameter("data") }
        return FilesInterface.Write.Reply(offset: offset).reply
    }

    func commit(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Commit.self)
        let permissions = try asked.mode.map(Self.permissions)
        let key = call.upload(asked.id)
        guard let (area, open, status) = areas.uploading(key) else {
            // The reply may have been lost, and another run of the service may have sent it.
            guard let known = areas.committed(key) else { throw Self.unknown(asked.id) }
            return try await result(of: known, for: call)
        }
        let place = Place(name: area.rawValue, path: status.path, open: open)
        // The settings of a file in the inbox are its owner's change. Only root can change a file's owner.
        let owner =
            area == .inbox && ProcessSelf.uid == 0
            ? FileOwner(user: call.identity.uid, group: call.identity.groups.first ?? 0) : nil
        while case .hashing = try await upload(
            place,
            { uploads throws(UploadError) in
                try uploads.commit(
                    key, permissions: permissions, owner: owner, size: asked.size, sha256: asked.sha256)
            })
        {}
        return try await result(place)
    }

    /// Returns the file at the target of an upload, as long as it has the uploaded contents.
    private func result(of known: CommittedUpload, for call: VarlinkCall) async throws -> VarlinkReply {
        let place = try place(known.area.rawValue, known.path.text)
        let found = try await work(place) { place throws(SandboxError) -> FileReader? in
            do throws(SandboxError) {
                let reader = try place.directory.reader(place.path)
                return reader.attributes.size == known.size ? reader : nil
            } catch {
                switch error.code {
                case .notFound, .notDirectory, .isDirectory, .symbolicLink, .mountPoint, .specialFile, .hardLink:
                    return nil
                default: throw error
                }
            }
        }
        guard let reader = found, try await digest(of: reader, place, for: call).finalize() == known.sha256 else {
            throw FilesError(
                .unknownUpload, id: known.key.id,
                message:
                    "the file that was sent under the id \(known.key.id) is no longer at \(known.area)/\(known.path), "
                    + "or was changed since; start it again")
        }
        return try await result(place)
    }

    func abort(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Abort.self)
        let owner = asked.user.flatMap { UInt32(exactly: $0) } ?? call.identity.uid
        guard owner == call.identity.uid || Access.isPrivileged(call.identity.uid, owner: ProcessSelf.uid) else {
            throw APIError.permissionDenied(
                message:
                    "only root and the service's own user may cancel uploads of others (you are uid \(call.identity.uid))"
            )
        }
        let named = UploadKey(owner: owner, id: asked.id)
        try await upload(place(of: named)) { uploads throws(UploadError) in try uploads.abort(named) }
        return FilesInterface.Abort.Reply().reply
    }

    func uploads() async throws -> VarlinkReply {
        var uploads: [FileUpload] = []
        for (area, open) in areas.open {
            uploads += open.uploads.uploads.map { status in
                FileUpload(
                    id: status.key.id, user: Int(status.key.owner), area: area.rawValue, path: status.path.text,
                    size: status.size,
                    received: status.received, expiresIn: max(0, UploadStore.lifetime - status.idle))
            }
        }
        uploads = uploads.ordered { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        return FilesInterface.Uploads.Reply(uploads: uploads).reply
    }
}

extension VarlinkCall {
    /// Returns the key of the caller's upload with an id.
    fileprivate func upload(_ id: String) -> UploadKey { UploadKey(owner: identity.uid, id: id) }
}
