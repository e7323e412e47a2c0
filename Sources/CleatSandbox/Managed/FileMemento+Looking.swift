extension FileMemento {
    /// The captured file; nil if there was none, or a link.
    package var content: ManagedFileContent? {
        guard case .file(let bytes, let owner, let permissions, let attributes) = state else { return nil }
        return ManagedFileContent(bytes: bytes, owner: owner, permissions: permissions, attributes: attributes)
    }

    /// The target of the captured link; nil if there was none, or a file.
    package var linkTarget: String? {
        if case .link(let target, _) = state { target } else { nil }
    }
}
