extension FileMemento {
    /// True if there was a file that was not readable by everyone.
    package var isHiddenFromOthers: Bool {
        if case .file(_, _, let permissions, _) = state { permissions & 0o004 == 0 } else { false }
    }
}
