extension FileMemento {
    /// Whom the file belonged to; nil where there was none, or a link.
    package var owner: FileOwner? {
        if case .file(_, let owner, _, _) = state { owner } else { nil }
    }

    /// Its permission bits; nil where there was no file, or a link.
    package var permissions: UInt16? {
        if case .file(_, _, let permissions, _) = state { permissions } else { nil }
    }
}
