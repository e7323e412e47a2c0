internal import CleatIO
internal import CleatSandbox

/// The owner and the permissions of a file.
struct FileForm: Hashable {
    let owner: FileOwner
    let permissions: UInt16

    /// The form of a file that the service creates.
    static var newFile: FileForm { FileForm(permissions: 0o644) }
    /// The form of a document that the service creates.
    static var newDocument: FileForm { FileForm(permissions: 0o640) }

    private init(permissions: UInt16) {
        owner = FileOwner(user: ProcessSelf.uid, group: ProcessSelf.gid)
        self.permissions = permissions
    }

    /// Creates the form of a captured file, or another one if there was no file, or it is not known.
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
