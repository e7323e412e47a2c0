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

    /// The path as the system names it.
    package let path: String
    let state: State

    init(path: String, state: State) {
        self.path = path
        self.state = state
    }

    /// Whether there was no file.
    package var isAbsence: Bool {
        if case .absent = state { true } else { false }
    }
}
