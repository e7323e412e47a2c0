import CleatAPI
import CleatJSON

extension Session {
    /// Returns the status of a place; nil if nothing is there.
    func look(at target: FileTarget) throws(CommandError) -> FilesInterface.Stat.Reply? {
        do {
            return try call(FilesInterface.Stat.self, target.place)
        } catch {
            // A file on the way is no directory, so that nothing can be there.
            if error.isAbout(.notFound) || error.parameters["reason"] == "not_directory" { return nil }
            throw error
        }
    }

    /// Returns the place of a file that is sent to `target`: below it if it is a directory.
    func destination(_ target: FileTarget, for name: String?) throws(CommandError) -> FileTarget {
        guard let name else { return target }
        if target.path.isEmpty || target.endsInSlash { return target.appending(name) }
        return try look(at: target)?.entry.type == .directory ? target.appending(name) : target
    }

    /// Lists the entries of a directory, page by page; other calls can be made between two pages.
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
            // A page that continues at its own start would repeat for ever.
            guard reply.next == nil || reply.next != after else {
                throw CommandError(
                    status: .failure, layer: .speak, code: "Reply", message: "the list of \(target) does not continue")
            }
            after = reply.next
        } while after != nil
    }
}
