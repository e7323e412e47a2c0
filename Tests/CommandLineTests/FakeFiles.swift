import CleatAPI
import CleatHash
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatVarlink
import Synchronization

/// `dev.cleat.Files` in memory: as simple as it can be, and as hostile as a test wants it.
final class FakeFiles: Sendable {
    struct Upload: Sendable {
        var target: String
        var size: Int64
        var sha256: String
        var bytes: [UInt8] = []
    }

    struct State: Sendable {
        /// Files by `area/path`; nil is a directory.
        var files: [String: [UInt8]?] = [:]
        var modes: [String: String] = [:]
        var uploads: [String: Upload] = [:]
        /// The calls in order, each with what it named.
        var calls: [String] = []
        /// The largest piece that came.
        var largestPiece = 0
        /// Entries that are listed in addition to the true ones.
        var madeUp: [FileInfo] = []
    }

    let state = Mutex(State())
    /// Runs before each call is answered; may throw, or change the files.
    let before: @Sendable (VarlinkCall, Int) async throws -> Void
    /// Changes an answer.
    let after: @Sendable (VarlinkCall, JSONObject) -> JSONObject

    init(
        _ files: [String: [UInt8]?] = [:],
        before: @escaping @Sendable (VarlinkCall, Int) async throws -> Void = { _, _ in },
        after: @escaping @Sendable (VarlinkCall, JSONObject) -> JSONObject = { $1 }
    ) {
        self.before = before
        self.after = after
        state.withLock { $0.files = files }
    }

    /// Returns the content of a file; nil if there is none.
    func contents(_ path: String) -> [UInt8]? { state.withLock { $0.files[path] ?? nil } }

    /// Returns the number of calls of a method.
    func count(_ method: String) -> Int { state.withLock { $0.calls.count { $0.hasPrefix(method + " ") } } }

    /// The answers of a board that keeps these files.
    var answers: [String: CannedBoard.Answer] {
        var answers: [String: CannedBoard.Answer] = [:]
        for method in [
            "Areas", "List", "Stat", "Read", "Hash", "Begin", "Write", "Commit", "Abort", "Uploads", "Remove", "Move",
            "Copy", "MakeDirectory", "Append", "SetMode",
        ] {
            answers["\(FilesInterface.name).\(method)"] = { call in
                let number = self.state.withLock { state in
                    let what = call.parameters["path"] ?? call.parameters["id"] ?? .null
                    state.calls.append("\(method) \(what.stringValue ?? "")")
                    return state.calls.count { $0.hasPrefix(method + " ") }
                }
                try await self.before(call, number)
                let reply = try self.state.withLock { state throws in try Self.answer(call, &state) }
                return self.after(call, reply)
            }
        }
        return answers
    }

    private static func answer(_ call: VarlinkCall, _ state: inout State) throws -> JSONObject {
        func parameters<Method: APIMethod>(_: Method.Type) throws -> Method.Parameters {
            try Method.Parameters(wire: call.parameters)
        }
        switch call.method {
        case "Areas":
            return FilesInterface.Areas.Reply(areas: [FileArea(name: "documents"), FileArea(name: "inbox")]).wire
        case "List": return try list(parameters(FilesInterface.List.self), state)
        case "Stat":
            let place = try parameters(FilesInterface.Stat.self)
            let readable = state.modes[key(place.area, place.path)] != "0000"
            return try FilesInterface.Stat.Reply(
                entry: entry(place, state), token: "t", realPath: "/files/\(key(place.area, place.path))",
                readable: readable, writable: readable
            ).wire
        case "Read":
            let asked = try parameters(FilesInterface.Read.self)
            let bytes = try file(.init(area: asked.area, path: asked.path), state)
            let piece = bytes.dropFirst(Int(asked.offset)).prefix(asked.length ?? APILimits.piece)
            return FilesInterface.Read.Reply(data: Base64.encode(piece), size: Int64(bytes.count), token: "t").wire
        case "Hash":
            let asked = try parameters(FilesInterface.Hash.self)
            let bytes = try file(.init(area: asked.area, path: asked.path), state)
            return FilesInterface.Hash.Reply(
                sha256: SHA256.hexadecimal(of: bytes), size: Int64(bytes.count), token: "t"
            ).wire
        case "Begin":
            let asked = try parameters(FilesInterface.Begin.self)
            let known = state.uploads[asked.id]?.bytes ?? []
            state.uploads[asked.id] = Upload(
                target: key(asked.area, asked.path), size: asked.size ?? 0, sha256: asked.sha256 ?? "", bytes: known)
            return FilesInterface.Begin.Reply(offset: Int64(known.count)).wire
        case "Write": return try write(parameters(FilesInterface.Write.self), &state)
        case "Commit": return try commit(parameters(FilesInterface.Commit.self), &state)
        case "Abort":
            let id = try parameters(FilesInterface.Abort.self).id
            guard state.uploads.removeValue(forKey: id) != nil else { throw unknown(id) }
            return [:]
        case "Uploads":
            return FilesInterface.Uploads.Reply(
                uploads: state.uploads.sorted { $0.key < $1.key }.map { id, upload in
                    FileUpload(
                        id: id, user: 0, area: "documents", path: upload.target, size: upload.size,
                        received: Int64(upload.bytes.count), expiresIn: 60_000)
                }
            ).wire
        case "Remove":
            let asked = try parameters(FilesInterface.Remove.self)
            let key = key(asked.area, asked.path)
            let below = state.files.keys.filter { $0 == key || $0.hasPrefix(key + "/") }
            guard below.count == 1 || asked.recursive == true else {
                throw APIError.files(
                    FilesError(.refused, area: asked.area, path: asked.path, reason: "not_empty", message: "not empty"))
            }
            for key in below { state.files[key] = nil }
            return FilesInterface.Remove.Reply().wire
        case "Move", "Copy":
            let asked = try parameters(FilesInterface.Move.self)
            state.files[key(asked.toArea, asked.toPath)] = try file(.init(area: asked.area, path: asked.path), state)
            if call.method == "Move" { state.files[key(asked.area, asked.path)] = nil }
            return try result(asked.toArea, asked.toPath, state)
        case "Append": return try append(parameters(FilesInterface.Append.self), &state)
        case "SetMode":
            let asked = try parameters(FilesInterface.SetMode.self)
            state.modes[key(asked.area, asked.path)] = asked.mode
            return try result(asked.area, asked.path, state)
        default:
            let asked = try parameters(FilesInterface.MakeDirectory.self)
            state.files[key(asked.area, asked.path)] = .some(nil)
            return try result(asked.area, asked.path, state)
        }
    }

    private static func key(_ area: String, _ path: String) -> String { path.isEmpty ? area : "\(area)/\(path)" }

    private static func result(_ area: String, _ path: String, _ state: State) throws -> JSONObject {
        try FilesInterface.Result(entry: entry(.init(area: area, path: path), state)).wire
    }

    private static func entry(_ place: FilesInterface.Place, _ state: State) throws -> FileInfo {
        let key = key(place.area, place.path)
        let mode = state.modes[key] ?? "0644"
        switch state.files[key] {
        case .none where place.path.isEmpty, .some(.none):
            return FileInfo(path: place.path, type: .directory, mode: "0755", modified: "t")
        case .none:
            throw APIError.files(FilesError(.notFound, area: place.area, path: place.path, message: "no \(key)"))
        case .some(.some(let bytes)):
            return FileInfo(path: place.path, type: .file, size: Int64(bytes.count), mode: mode, modified: "t")
        }
    }

    private static func file(_ place: FilesInterface.Place, _ state: State) throws -> [UInt8] {
        let key = key(place.area, place.path)
        guard let found = state.files[key] else {
            throw APIError.files(FilesError(.notFound, area: place.area, path: place.path, message: "no \(key)"))
        }
        return found ?? []
    }

    private static func list(_ asked: FilesInterface.List.Parameters, _ state: State) throws -> JSONObject {
        let prefix = key(asked.area, asked.path ?? "") + "/"
        let paths = state.files.keys.filter { $0.hasPrefix(prefix) }
            .filter { asked.recursive == true || !$0.dropFirst(prefix.count).contains("/") }
            .map { String($0.dropFirst(asked.area.count + 1)) }.sorted()
            .filter { path in asked.after.map { $0 < path } ?? true }
        // Pages of two: every list has more than one.
        let page = paths.prefix(2)
        var entries = try page.map { path throws in try entry(.init(area: asked.area, path: path), state) }
        if page.count == paths.count { entries += state.madeUp }
        return FilesInterface.List.Reply(entries: entries, next: page.count < paths.count ? page.last : nil).wire
    }

    private static func unknown(_ id: String) -> APIError {
        .files(FilesError(.unknownUpload, id: id, message: "no upload \(id)"))
    }

    private static func write(_ asked: FilesInterface.Write.Parameters, _ state: inout State) throws -> JSONObject {
        guard var upload = state.uploads[asked.id] else { throw unknown(asked.id) }
        guard asked.offset == Int64(upload.bytes.count), let piece = Base64.decode(asked.data) else {
            throw APIError.files(FilesError(.wrongOffset, id: asked.id, message: "not there"))
        }
        state.largestPiece = max(state.largestPiece, piece.count)
        upload.bytes += piece
        state.uploads[asked.id] = upload
        return FilesInterface.Write.Reply(offset: Int64(upload.bytes.count)).wire
    }

    private static func append(_ asked: FilesInterface.Append.Parameters, _ state: inout State) throws -> JSONObject {
        let target = key(asked.area, asked.path)
        let old = (state.files[target] ?? []) ?? []
        guard asked.offset == Int64(old.count), let piece = Base64.decode(asked.data) else {
            throw APIError.files(FilesError(.changed, area: asked.area, path: asked.path, message: "another size"))
        }
        state.largestPiece = max(state.largestPiece, piece.count)
        state.files[target] = old + piece
        return FilesInterface.Append.Reply(size: Int64(old.count + piece.count)).wire
    }

    private static func commit(_ asked: FilesInterface.Commit.Parameters, _ state: inout State) throws -> JSONObject {
        let id = asked.id
        guard let upload = state.uploads.removeValue(forKey: id) else { throw unknown(id) }
        let found = SHA256.hexadecimal(of: upload.bytes)
        guard found == upload.sha256, Int64(upload.bytes.count) == upload.size else {
            throw APIError.files(FilesError(.hashMismatch, id: id, message: "another content"))
        }
        state.files[upload.target] = upload.bytes
        state.modes[upload.target] = asked.mode
        let path = String(
            upload.target[upload.target.index(after: upload.target.firstIndex(of: "/") ?? upload.target.startIndex)...])
        return FilesInterface.Commit.Reply(
            entry: FileInfo(
                path: path, type: .file, size: upload.size, mode: asked.mode ?? "0644", modified: "t")
        ).wire
    }
}
