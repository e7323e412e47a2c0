internal import CleatIO
internal import CleatSandbox

/// Whose a file is, and who may do what with it.
struct FileForm: Hashable {
    let owner: FileOwner
    let permissions: UInt16

    /// That of a file which the service makes.
    static var newFile: FileForm { FileForm(permissions: 0o644) }
    /// That of a document which the service makes.
    static var newDocument: FileForm { FileForm(permissions: 0o640) }

    private init(permissions: UInt16) {
        owner = FileOwner(user: ProcessSelf.uid, group: ProcessSelf.gid)
        self.permissions = permissions
    }

    /// That of what was there before; another one where nothing was, or that is not known.
    init(of origin: Memento?, or other: FileForm) {
        if let form = origin.flatMap(FileForm.init) { self = form } else { self = other }
    }

    private init?(_ origin: Memento) {
        if let document = origin.document {
            guard case .file(_, let permissions, let owner) = document else { return nil }
            (self.owner, self.permissions) = (owner, permissions)
            return
        }
        guard case .file(let memento) = origin.content, let owner = memento.owner,
            let permissions = memento.permissions
        else { return nil }
        (self.owner, self.permissions) = (owner, permissions)
    }
}
