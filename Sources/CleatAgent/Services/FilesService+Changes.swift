import CleatAPI
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatVarlink
import SystemPackage

extension FilesService {
    func remove(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Remove.self)
        let place = try place(asked.area, asked.path)
        // A large directory is removed in several steps, so that other clients are served; files that are new in it are
        // removed, too, but not for ever.
        for _ in 0..<Self.removalSteps {
            let isGone = try await work(place) { place throws(SandboxError) in
                try Self.removeSome(place, recursive: asked.recursive ?? false)
            }
            if isGone { return FilesInterface.Remove.Reply().reply }
        }
        throw FilesError(
            SandboxError(.tooMany, "remove", area: place.directory.area, path: place.path.text),
            area: place.name, path: place.path.text)
    }

    /// The maximum number of steps of one removal.
    private static let removalSteps = 10_000

    private static func removeSome(_ place: Place, recursive: Bool) throws(SandboxError) -> Bool {
        guard try place.directory.attributes(of: place.path).type == .directory else {
            try place.directory.delete(place.path)
            return true
        }
        do throws(SandboxError) {
            try place.directory.removeDirectory(place.path, recursive: recursive)
            return true
        } catch {
            guard recursive, error.code == .tooMany else { throw error }
            return false
        }
    }

    func move(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Move.self)
        let from = try place(asked.area, asked.path)
        let to = try place(asked.toArea, asked.toPath)
        try requireRight(toFill: to, of: Author(call.identity))
        let replaces = asked.replace ?? false
        let needsCopy = try await work(from) { from throws(SandboxError) in
            let device = try from.directory.attributes(of: .root).identity.device
            guard try to.directory.attributes(of: .root).identity.device == device else {
                return try from.directory.attributes(of: from.path).type == .regular
            }
            return false
        }
        if needsCopy {
            // The areas are on two file systems: the file is copied in steps, like every other large file.
            try await copy(from, to, replaces: replaces)
            try await work(from) { from throws(SandboxError) in try from.directory.delete(from.path) }
        } else {
            try await change(from, to) { from, to throws(SandboxError) in
                try from.directory.move(from.path, to: to.directory, as: to.path, replacing: replaces)
            }
        }
        return try await result(to)
    }

    func copy(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Copy.self)
        let to = try place(asked.toArea, asked.toPath)
        try requireRight(toFill: to, of: Author(call.identity))
        try await copy(try place(asked.area, asked.path), to, replaces: asked.replace ?? false)
        return try await result(to)
    }

    /// Refuses to fill or open up a file in the inbox for an ordinary user: its settings would be applied as those of
    /// its owner, the service's user or another one.
    private func requireRight(toFill place: Place, of author: Author) throws(APIError) {
        guard !author.isPrivileged, place.name == Area.inbox.rawValue else { return }
        throw .permissionDenied(
            message:
                "\(author.name) may not move, copy, append to or change files in the inbox, where they would count "
                + "as those of another user; upload them with 'cleat file put'")
    }

    private func copy(_ from: Place, _ to: Place, replaces: Bool) async throws {
        let copy = try await change(from, to) { from, to throws(SandboxError) in
            try FileCopy(
                from.path, in: from.directory.root, to: to.path, in: to.directory.root, replacing: replaces)
        }
        while try await !change(from, to, { _, _ throws(SandboxError) in try copy.step() }) {}
        try await change(from, to) { _, _ throws(SandboxError) in try copy.commit() }
    }

    /// Runs a step of work on two paths; a failure is reported for the path that it is about.
    private func change<Value: Sendable>(
        _ from: Place, _ to: Place, _ step: @escaping @Sendable (Place, Place) throws(SandboxError) -> Value
    ) async throws -> Value {
        do {
            return try await areas.worker.run { try step(from, to) }
        } catch let error as SandboxError {
            let isTarget = error.area == to.directory.area && (error.path == to.path.text || from.name != to.name)
            let place = isTarget ? to : from
            throw FilesError(error, area: place.name, path: place.path.text)
        }
    }

    func makeDirectory(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.MakeDirectory.self)
        let place = try place(asked.area, asked.path)
        try await work(place) { place throws(SandboxError) in
            try place.directory.makeDirectory(place.path, withParents: asked.parents ?? false)
        }
        return try await result(place)
    }

    func append(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.Append.self)
        guard asked.data.utf8.count <= (APILimits.piece + 2) / 3 * 4 else { throw Self.tooLong() }
        let place = try place(asked.area, asked.path)
        try requireRight(toFill: place, of: Author(call.identity))
        let size = try await work(place) { place throws(SandboxError) -> Int64? in
            guard let bytes = Base64.decode(asked.data), bytes.count <= APILimits.piece else { return nil }
            try place.directory.append(bytes, to: place.path, at: asked.offset)
            return asked.offset + Int64(bytes.count)
        }
        guard let size else { throw VarlinkError.invalidParameter("data") }
        return FilesInterface.Append.Reply(size: size).reply
    }

    func setMode(_ call: VarlinkCall) async throws -> VarlinkReply {
        let asked = try call.parameters(of: FilesInterface.SetMode.self)
        let permissions = try Self.permissions(asked.mode)
        let place = try place(asked.area, asked.path)
        try requireRight(toFill: place, of: Author(call.identity))
        try await work(place) { place throws(SandboxError) in
            // Others reach the files of a directory by its permissions, which the sandbox keeps.
            guard try place.directory.attributes(of: place.path).type != .directory else {
                throw SandboxError(
                    .isDirectory, "set the permissions of", area: place.directory.area, path: place.path.text)
            }
            try place.directory.setPermissions(permissions, of: place.path)
        }
        return try await result(place)
    }

    /// Reads the permissions in a call.
    static func permissions(_ text: String) throws(VarlinkError) -> FilePermissions {
        guard let bits = APILimits.permissions(text) else { throw .invalidParameter("mode") }
        return FilePermissions(rawValue: CModeT(bits))
    }
}
