package import CleatSandbox

extension Memento {
    /// Whether both say the same of the same resource, whatever adapters they were captured for; what could not be looked
    /// at under a root directory is no difference.
    package func isSame(as other: Memento) -> Bool {
        resource == other.resource
            && (content.isSame(as: other.content) && parameters == other.parameters || isNothing || other.isNothing)
    }

    /// The words of a value of the kernel's; nil where something else was captured.
    var words: String? {
        guard case .attribute = resource, case .bytes(let bytes) = content else { return nil }
        return String(decoding: AttributeText.value(of: bytes), as: UTF8.self)
    }

    /// Whether it holds a file that not everybody could read.
    package var isHiddenFromOthers: Bool {
        if let document { return document.isHidden }
        return if case .file(let file) = content { file.isHiddenFromOthers } else { false }
    }

    /// The first right that a file would have beyond those of its readers, for people; nil where there is none.
    package var specialRight: String? { if case .file(let file) = content { file.specialRight } else { nil } }

    /// Whom the file or the document belonged to, and its mode; nil where it is neither.
    package var rights: (owner: FileOwner, permissions: UInt16?)? {
        switch content {
        case .file(let file): file.owner.map { ($0, file.permissions) }
        case .bytes:
            if case .file(_, let permissions, let owner)? = document { (owner, permissions) } else { nil }
        case .nothing: nil
        }
    }

    /// Finds the first right that bringing it back would give, and that its adapter or rule does not declare.
    ///
    /// - Parameters:
    ///   - state: what the resource shall be by the settings.
    ///   - service: whom files belong to of which no owner is declared.
    /// - Returns: the right, for people; nil where there is none.
    package func undeclaredRight(besides state: ResourceState, service: FileOwner) -> String? {
        guard let rights else { return nil }
        var (owner, mode): (FileOwner, UInt16?) = (service, nil)
        if case .file(let file) = state { (owner, mode) = (file.owner ?? service, file.permissions ?? 0o644) }
        if rights.owner != owner {
            return
                "the owner \(rights.owner.user):\(rights.owner.group), where \(owner.user):\(owner.group) is declared"
        }
        guard let permissions = rights.permissions else { return nil }
        func shown(_ mode: UInt16) -> String { "0" + String(mode, radix: 8) }
        if permissions & 0o7000 != 0 { return "the mode \(shown(permissions))" }
        guard let mode, permissions != mode else { return nil }
        return "the mode \(shown(permissions)), where \(shown(mode)) is declared"
    }

    /// Whether what was there is not what a state asks for; nil where that cannot be told.
    package func differs(from state: ResourceState) -> Bool? {
        switch (state, content) {
        case (.file(let wanted), .file(let file)): file.bytes != wanted.bytes
        case (.link(let wanted), .file(let file)): file.target != wanted
        case (.absent, .file(let file)): !file.isAbsence
        case (.text(let wanted), .bytes(let bytes)):
            String(decoding: AttributeText.value(of: bytes), as: UTF8.self) != wanted
        case (.content(let wanted), .bytes): document?.bytes.map { SHA256.hexadecimal(of: $0) != wanted } ?? true
        default: nil
        }
    }

    /// What a document was; nil where something else was captured.
    package var document: DocumentMemento? {
        guard case .document = resource, case .bytes(let bytes) = content else { return nil }
        return DocumentMemento(encoded: bytes[...])
    }
}

extension Memento.Content {
    fileprivate func isSame(as other: Memento.Content) -> Bool {
        if case (.file(let file), .file(let another)) = (self, other) { return file.isSame(as: another) }
        return self == other
    }
}
