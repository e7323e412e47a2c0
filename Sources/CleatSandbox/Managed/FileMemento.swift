/// The captured state of a managed file: its bytes, owner, permissions and extended attributes, or its absence.
///
/// It is opaque to its holder: only ``ManagedFiles`` makes mementos and restores files from them.
package struct FileMemento: Hashable, Sendable {
    /// The captured state.
    enum State: Hashable, Sendable {
        /// A regular file.
        case file(bytes: [UInt8], owner: FileOwner, permissions: UInt16, attributes: [ExtendedAttribute])
        /// A symbolic link at the path itself, with its target.
        case link(target: String, owner: FileOwner)
        /// No file; `missingParents` directories at the end of its path were missing, too.
        case absent(missingParents: Int)
    }

    /// The way by which a file was reached, or its absence was found.
    enum Way: Hashable, Sendable {
        /// The file was at the path itself, or there was none.
        case plain
        /// The path was a link, which led to this path, relative to the root and without a leading slash.
        case link(to: String)
    }

    /// The absolute path as seen by the system.
    package let path: String
    let state: State
    /// The way by which it was reached; nil if it was not recorded, as in mementos of older versions, and for a link
    /// itself.
    let way: Way?

    init(path: String, state: State, way: Way?) {
        self.path = path
        self.state = state
        self.way = way
    }

    /// The memento of the absence of this file.
    package var absence: FileMemento { FileMemento(path: path, state: .absent(missingParents: 0), way: .plain) }

    /// Returns true if it is of a file whose content begins with `text`.
    package func begins(with text: String) -> Bool {
        if case .file(let bytes, _, _, _) = state { bytes.starts(with: text.utf8) } else { false }
    }

    /// Returns true if both have the same path and state; an unrecorded way is no difference.
    package func isSame(as other: FileMemento) -> Bool {
        path == other.path && state == other.state && (way == other.way || way == nil || other.way == nil)
    }

    /// A description of the file's first special privilege; nil if there is none.
    ///
    /// Special privileges are the set-id and sticky bits, and attributes outside of the `user.` namespace (access
    /// lists, capabilities, labels). chmod(2), xattr(7)
    package var specialRight: String? {
        guard case .file(_, _, let permissions, let attributes) = state else { return nil }
        if permissions & 0o7000 != 0 { return "the mode \(String(permissions, radix: 8))" }
        let other = attributes.first { !$0.name.bytes.starts(with: "user.".utf8) }
        return other.map { "the attribute \($0.name.text ?? "of a name that is no text")" }
    }

    /// The content of the file; nil if there was none, or a link.
    package var bytes: [UInt8]? { if case .file(let bytes, _, _, _) = state { bytes } else { nil } }

    /// The target of the link; nil if there was none.
    package var target: String? { if case .link(let target, _) = state { target } else { nil } }

    /// True if there was no file.
    package var isAbsence: Bool {
        if case .absent = state { true } else { false }
    }
}
