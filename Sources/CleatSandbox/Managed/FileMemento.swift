/// Holds what a managed file was: its bytes, owner, permissions and extended attributes, or that there was none.
///
/// It is opaque to whoever keeps it: only ``ManagedFiles`` makes one and brings back what it says.
package struct FileMemento: Hashable, Sendable {
    /// What there was.
    enum State: Hashable, Sendable {
        /// A file.
        case file(bytes: [UInt8], owner: FileOwner, permissions: UInt16, attributes: [ExtendedAttribute])
        /// A symbolic link at the very name, and what it stood for.
        case link(target: String, owner: FileOwner)
        /// None; so many directories at the end of its path were missing, too.
        case absent(missingParents: Int)
    }

    /// How a file was reached, or that there was none at this end.
    enum Way: Hashable, Sendable {
        /// It stood at the very name, or nothing did.
        case plain
        /// The name was that of a link, which led to this path from the root on, without a slash in front.
        case link(to: String)
    }

    /// The path as the system names it.
    package let path: String
    let state: State
    /// How it was reached; nil where that was not noted, as in what older versions have kept, and of a link itself.
    let way: Way?

    init(path: String, state: State, way: Way?) {
        self.path = path
        self.state = state
        self.way = way
    }

    /// That there was no such file.
    package var absence: FileMemento { FileMemento(path: path, state: .absent(missingParents: 0), way: .plain) }

    /// Whether it is of a file whose content begins so.
    package func begins(with text: String) -> Bool {
        if case .file(let bytes, _, _, _) = state { bytes.starts(with: text.utf8) } else { false }
    }

    /// Whether both say the same of the same file; a way that was not noted is no difference.
    package func isSame(as other: FileMemento) -> Bool {
        path == other.path && state == other.state && (way == other.way || way == nil || other.way == nil)
    }

    /// The first right that the file would have beyond those of its readers, for people: set-id and sticky bits, and
    /// attributes of the kernel's own name spaces (capabilities, labels); nil where there is none. chmod(2), xattr(7)
    package var specialRight: String? {
        guard case .file(_, _, let permissions, let attributes) = state else { return nil }
        if permissions & 0o7000 != 0 { return "the mode \(String(permissions, radix: 8))" }
        let other = attributes.first { !$0.name.bytes.starts(with: "user.".utf8) }
        return other.map { "the attribute \($0.name.text ?? "of a name that is no text")" }
    }

    /// What the file held; nil where there was none, or a link.
    package var bytes: [UInt8]? { if case .file(let bytes, _, _, _) = state { bytes } else { nil } }

    /// What the link stood for; nil where there was none.
    package var target: String? { if case .link(let target, _) = state { target } else { nil } }

    /// Whether there was no file.
    package var isAbsence: Bool {
        if case .absent = state { true } else { false }
    }
}
