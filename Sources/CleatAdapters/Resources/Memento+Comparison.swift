package import CleatSandbox

extension Memento {
    /// Returns true if both hold the same state of the same resource, for any adapters.
    ///
    /// A memento that could not be captured, as under a root directory, equals every other one of its resource.
    package func isSame(as other: Memento) -> Bool {
        resource == other.resource
            && (content.isSame(as: other.content) && parameters == other.parameters || isNothing || other.isNothing)
    }

    /// The text of a kernel value; nil if something else was captured.
    var words: String? {
        guard case .attribute = resource, case .bytes(let bytes) = content else { return nil }
        return String(decoding: AttributeText.value(of: bytes), as: UTF8.self)
    }

    /// True if it holds a file that not everybody could read.
    package var isHiddenFromOthers: Bool {
        if let document { return document.isHidden }
        return if case .file(let file) = content { file.isHiddenFromOthers } else { false }
    }

    /// The special mode bits, or the first extended attribute outside `user.`, of a captured file, for users; nil if it
    /// has none.
    package var specialRight: String? { if case .file(let file) = content { file.specialRight } else { nil } }

    /// The owner of the captured file or document, and its mode; nil for any other resource.
    package var rights: (owner: FileOwner, permissions: UInt16?)? {
        switch content {
        case .file(let file): file.owner.map { ($0, file.permissions) }
        case .bytes:
            if case .file(_, let permissions, let owner)? = document { (owner, permissions) } else { nil }
        case .nothing: nil
        }
    }

    /// Returns the first right that a restore would give, and that the adapter or rule does not declare.
    ///
    /// - Parameters:
    ///   - state: the desired state of the resource by the settings.
    ///   - service: the owner of files without a declared owner.
    /// - Returns: the right, for users; nil if there is none.
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

    /// Returns true if the captured state differs from a desired state; nil if that is unknown.
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

    /// The captured state of a document; nil if something else was captured.
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
