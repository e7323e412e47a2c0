internal import CleatSandbox

/// The state that a resource is to reach.
enum PlannedGoal {
    /// A desired state.
    case state(ResourceState)
    /// A captured state that is restored.
    case memento(Memento)

    /// Returns the look of a file, link or document.
    func look(_ contents: DocumentContents) -> FileLook {
        switch self {
        case .state(.file(let file)): .file(file.bytes, permissions: file.permissions, owner: file.owner)
        case .state(.link(let target)): .link(target)
        case .state(.content(let hash)): .file(contents[hash] ?? [], permissions: nil, owner: nil)
        case .state: .nothing
        case .memento(let memento): FileLook(memento)
        }
    }

    /// The value or the line; nil if there is none.
    var text: [UInt8]? {
        switch self {
        case .state(.text(let text)): Array(text.utf8)
        case .state: nil
        case .memento(let memento): memento.content.text
        }
    }
}

/// The object at a path; permissions and owner that are nil are those of a file that is already there.
enum FileLook: Equatable {
    case nothing
    case file([UInt8], permissions: UInt16?, owner: FileOwner?)
    case link(String)

    /// Returns the look of a captured file, link or document; nothing for any other content.
    init(_ memento: Memento) {
        self = .nothing
        if case .file(let bytes, let permissions, let owner) = memento.document {
            self = .file(bytes, permissions: permissions, owner: owner)
        } else if let content = memento.file?.content {
            self = .file(content.bytes, permissions: content.permissions, owner: content.owner)
        } else if let target = memento.file?.linkTarget {
            self = .link(target)
        }
    }

    /// Returns the state with unset permissions and owner taken from the present file.
    func completed(by other: FileLook, newPermissions: UInt16) -> FileLook {
        guard case .file(let bytes, let permissions, let owner) = self else { return self }
        guard case .file(_, let present, let holder) = other else {
            return .file(bytes, permissions: permissions ?? newPermissions, owner: owner)
        }
        return .file(bytes, permissions: permissions ?? present, owner: owner ?? holder)
    }

    var bytes: [UInt8]? {
        if case .file(let bytes, _, _) = self { bytes } else { nil }
    }

    /// False if it is a file that not all users may read.
    var isPublic: Bool {
        if case .file(_, let permissions?, _) = self { permissions & 0o004 != 0 } else { true }
    }

    /// The state in one line, without a file's content.
    var words: String? {
        switch self {
        case .nothing: nil
        case .link(let target): "a link to \(target)"
        case .file(_, let permissions, let owner):
            "a file" + (permissions.map { " of mode 0\(String($0, radix: 8))" } ?? "")
                + (owner.map { ", owner \($0.user):\($0.group)" } ?? "")
        }
    }
}
