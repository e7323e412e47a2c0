extension FileMemento {
    /// The owner of the file; nil if there was no file, or a link.
    package var owner: FileOwner? {
        if case .file(_, let owner, _, _) = state { owner } else { nil }
    }

    /// The permission bits of the file; nil if there was no file, or a link.
    package var permissions: UInt16? {
        if case .file(_, _, let permissions, _) = state { permissions } else { nil }
    }
}
