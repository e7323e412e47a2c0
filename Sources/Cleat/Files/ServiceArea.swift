import CleatAPI
import CleatFiles
import CleatSandbox
import CleatSettings
import CleatVarlink

/// The files of one area of the board, accessed through the service.
struct ServiceArea: Files {
    /// The maximum number of times that an append starts again because other programs append, too.
    private static let appendAttempts = 32

    let label: String
    let line: ServiceLine
    let events: any EventsBackend

    // MARK: Status

    /// Returns the service's description of the entry at a path.
    func status(of path: FilesPath) async throws(FileFailure) -> FilesInterface.Stat.Reply {
        try await call(FilesInterface.Stat.self, .init(area: label, path: "\(path)"), path)
    }

    func attributes(at path: FilesPath) async throws(FileFailure) -> FileAttributes {
        FileAttributes(try await status(of: path).entry)
    }

    func realPath(at path: FilesPath) async throws(FileFailure) -> String? { try await status(of: path).realPath }

    func isReadable(at path: FilesPath) async throws(FileFailure) -> Bool {
        guard try await exists(at: path) else { return false }
        return try await status(of: path).readable ?? false
    }

    func isWritable(at path: FilesPath) async throws(FileFailure) -> Bool {
        guard try await exists(at: path) else { return false }
        return try await status(of: path).writable ?? false
    }

    func page(
        at path: FilesPath, recursive: Bool, after: FilesPath?, limit: Int
    ) async throws(FileFailure) -> FilesPage {
        let reply = try await call(
            FilesInterface.List.self,
            .init(
                area: label, path: "\(path)", recursive: recursive, after: after.map { "\($0)" },
                limit: min(max(limit, 1), APILimits.entries)), path)
        var entries: [FilesEntry] = []
        for entry in reply.entries {
            entries.append(FilesEntry(path: try FilesPath(entry.path), attributes: FileAttributes(entry)))
        }
        // A page that does not advance would come for ever.
        guard entries.first.map({ $0.path > after ?? .root }) ?? (reply.next == nil) else { throw misplaced(path) }
        return FilesPage(entries: entries, hasMore: reply.next != nil, unnameable: reply.skipped ?? 0)
    }

    // MARK: Reading

    func read(at path: FilesPath, from offset: Int64, upTo count: Int) async throws(FileFailure) -> [UInt8] {
        try await part(path, offset, count, token: nil).bytes
    }

    func reader(at path: FilesPath) async throws(FileFailure) -> FilesReader {
        let token = try await part(path, 0, 0, token: nil).token
        return FilesReader { offset, count async throws(FileFailure) in
            try await part(path, offset, count, token: token).bytes
        }
    }

    /// Reads a part of a file in pieces; all of them have the same token, so they are of the same content.
    private func part(
        _ path: FilesPath, _ offset: Int64, _ count: Int, token: String?
    ) async throws(FileFailure) -> (bytes: [UInt8], token: String) {
        try FileFailure.requirePart(from: offset, upTo: count, of: "\(path)")
        var (bytes, token): ([UInt8], String?) = ([], token)
        while true {
            let wanted = min(count - bytes.count, APILimits.piece)
            let reply = try await call(
                FilesInterface.Read.self,
                .init(
                    area: label, path: "\(path)",
                    // The kernel refuses an offset at which no piece fits; no file is so large.
                    offset: min(offset &+ Int64(bytes.count), .max - Int64(APILimits.piece)), length: wanted,
                    token: token),
                path)
            guard let piece = Base64.decode(reply.data), piece.count <= wanted else { throw misplaced(path) }
            bytes += piece
            token = reply.token
            if piece.count < wanted || bytes.count == count { return (bytes, reply.token) }
        }
    }

    // MARK: Changes

    func writer(at path: FilesPath, permissions: UInt16?) async throws(FileFailure) -> FilesWriter {
        var digits: String?
        if let permissions { digits = try mode(permissions, path) }
        let upload = AreaUpload(self, path, mode: digits)
        try await upload.begin()
        return FilesWriter { bytes async throws(FileFailure) in
            try await upload.write(bytes)
        } commit: { () async throws(FileFailure) in
            try await upload.commit()
        }
    }

    func append(_ bytes: [UInt8], at path: FilesPath) async throws(FileFailure) {
        guard bytes.count <= APILimits.piece else {
            throw FileFailure(
                .tooLarge, path: "\(path)",
                message: "\(bytes.count) bytes are too many to append to “\(path)” in \(label)",
                remedy: "append at most \(APILimits.piece) bytes at a time, or use a writer")
        }
        let (area, data) = (label, Base64.encode(bytes))
        // The end of the file at which an interrupted call may have appended the bytes.
        let end = LastValue<Int64>()
        try await converse(path, leavesDoubt: true) { connection in
            if let offset = end.value {
                do {
                    let found = try await connection.call(
                        file: FilesInterface.Read.self,
                        .init(area: area, path: "\(path)", offset: offset, length: bytes.count))
                    if found.data == data { return }
                } catch let refusal as FileRefusal where refusal.kind == .notFound {}
            }
            for attempt in 1... {
                var offset: Int64 = 0
                do {
                    offset =
                        try await connection.call(
                            file: FilesInterface.Stat.self, .init(area: area, path: "\(path)")
                        ).entry.size
                } catch let error as FileRefusal where error.kind == .notFound {}
                end.value = offset
                do {
                    _ = try await connection.call(
                        file: FilesInterface.Append.self,
                        .init(area: area, path: "\(path)", offset: offset, data: data))
                    return
                } catch let error as FileRefusal {
                    end.value = nil
                    // Another program has appended in between.
                    guard error.kind == .changed, attempt < Self.appendAttempts else { throw error }
                }
            }
        }
    }

    func makeDirectory(at path: FilesPath, withParents: Bool) async throws(FileFailure) {
        _ = try await call(
            FilesInterface.MakeDirectory.self, .init(area: label, path: "\(path)", parents: withParents), path,
            isRepeatable: withParents)
    }

    func move(at path: FilesPath, to other: FilesPath, replacing: Bool) async throws(FileFailure) {
        _ = try await call(
            FilesInterface.Move.self, transfer(path, other, replacing), path, isRepeatable: false)
    }

    func copy(at path: FilesPath, to other: FilesPath, replacing: Bool) async throws(FileFailure) {
        let size = try await status(of: path).entry.size
        _ = try await call(
            FilesInterface.Copy.self, transfer(path, other, replacing), path, isRepeatable: replacing, bytes: size)
    }

    func remove(at path: FilesPath, recursive: Bool) async throws(FileFailure) {
        _ = try await call(
            FilesInterface.Remove.self, .init(area: label, path: "\(path)", recursive: recursive), path,
            isRepeatable: false)
    }

    func setPermissions(_ permissions: UInt16, at path: FilesPath) async throws(FileFailure) {
        _ = try await call(
            FilesInterface.SetMode.self, .init(area: label, path: "\(path)", mode: try mode(permissions, path)), path)
    }

    private func transfer(_ path: FilesPath, _ other: FilesPath, _ replacing: Bool) -> FilesInterface.Transfer {
        .init(area: label, path: "\(path)", toArea: label, toPath: "\(other)", replace: replacing)
    }

    /// Returns permission bits in octal digits; the set-id and sticky bits are refused.
    private func mode(_ permissions: UInt16, _ path: FilesPath) throws(FileFailure) -> String {
        let digits = String(permissions, radix: 8)
        if permissions <= 0o777 { return String(repeating: "0", count: 4 - digits.utf8.count) + digits }
        throw FileFailure(
            .denied, path: "\(path)", message: "0\(digits) has bits that are not permissions", remedy: "give 0 to 0777")
    }

    /// Returns the error for a reply that does not fit its call.
    func misplaced(_ path: FilesPath) -> FileFailure {
        FileFailure(
            .failed, path: "\(path)", message: "the service's answer about “\(path)” in \(label) is not understood",
            remedy: CleatError.versions)
    }
}

extension ServiceArea {
    /// Calls a method about a path.
    func call<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, _ path: FilesPath, isRepeatable: Bool = true,
        leavesDoubt: Bool? = nil, bytes: Int64 = 0
    ) async throws(FileFailure) -> Method.Reply {
        try await converse(path, isRepeatable: isRepeatable, leavesDoubt: leavesDoubt, bytes: bytes) { connection in
            try await connection.call(file: method, parameters)
        }
    }

    /// Makes calls about a path, again if the service is restarted meanwhile, unless they are not repeatable.
    ///
    /// A second is added to the time limit for each MiB of the bytes that the service has to read or write. After an error
    /// that `leavesDoubt`, as of calls that are not repeatable, the change may have been made.
    func converse<Value: Sendable>(
        _ path: FilesPath, isRepeatable: Bool = true, leavesDoubt: Bool? = nil, bytes: Int64 = 0,
        _ body: @escaping @Sendable (VarlinkConnection) async throws -> Value
    ) async throws(FileFailure) -> Value {
        let result: Result<Value, FileRefusal>
        do throws(CleatError) {
            result = try await line.converse(isRepeatable: isRepeatable, extra: .seconds(bytes >> 20)) {
                connection -> Result<Value, FileRefusal> in
                do {
                    return .success(try await body(connection))
                } catch let error as FileRefusal {
                    return .failure(error)
                }
            }
        } catch {
            throw FileFailure(error, path, in: label, leavesDoubt: leavesDoubt ?? !isRepeatable)
        }
        do throws(FileRefusal) {
            return try result.get()
        } catch {
            throw FileFailure(error)
        }
    }
}

extension VarlinkConnection {
    /// Calls a method of `dev.cleat.Files`; an error of the interface is thrown as `FileRefusal`.
    func call<Method: APIMethod>(
        file method: Method.Type, _ parameters: Method.Parameters
    ) async throws -> Method.Reply {
        let reply: JSONObject
        do {
            reply = try await call(Method.name, parameters.encoded)
        } catch let error as VarlinkClientError {
            guard let remote = error.remote, case .files(let refusal)? = APIError(remote) else { throw error }
            throw refusal
        }
        do {
            return try Method.Reply(wire: reply)
        } catch {
            throw CleatError.garbled(Method.name, error)
        }
    }
}
