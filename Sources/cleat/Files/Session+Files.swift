import CleatAPI

extension Session {
    /// Asks what stands at a place; nil where nothing does.
    func look(at target: FileTarget) throws(CommandError) -> FilesInterface.Stat.Reply? {
        do {
            return try call(FilesInterface.Stat.self, target.place)
        } catch {
            if error.isAbout(.notFound) { return nil }
            throw error
        }
    }

    /// Finds where something comes to stand that is sent to a place: in it, where it is a directory.
    func destination(_ target: FileTarget, for name: String?) throws(CommandError) -> FileTarget {
        guard let name else { return target }
        if target.path.isEmpty || target.endsInSlash { return target.appending(name) }
        return try look(at: target)?.entry.type == .directory ? target.appending(name) : target
    }

    /// Goes through what stands in a directory, page after page; other calls may be made between two pages.
    func entries(
        in target: FileTarget, recursive: Bool = false,
        each page: (FilesInterface.List.Reply) throws(CommandError) -> Void
    ) throws(CommandError) {
        var after: String?
        repeat {
            let reply = try call(
                FilesInterface.List.self,
                .init(area: target.area, path: target.path, recursive: recursive, after: after))
            try page(reply)
            // What goes on where it began would go on for ever.
            guard reply.next == nil || reply.next != after else {
                throw CommandError(
                    status: .failure, layer: .speak, code: "Reply", message: "the list of \(target) does not go on")
            }
            after = reply.next
        } while after != nil
    }
}

extension CommandError {
    /// Whether it is an error of the files of a kind.
    func isAbout(_ kind: FilesError.Kind) -> Bool {
        code == FilesError(kind, message: "").name
    }

    /// What failed on this side: reading or writing one of the caller's own files.
    static func local(_ message: String, remedy: String? = nil) -> CommandError {
        CommandError(status: .failure, layer: .local, code: "LocalFile", message: message, remedy: remedy)
    }
}
