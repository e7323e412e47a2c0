extension FileMemento {
    /// Whether there was a file that not everybody could read.
    package var isHiddenFromOthers: Bool {
        if case .file(_, _, let permissions, _) = state { permissions & 0o004 == 0 } else { false }
    }
}
