internal import CleatSandbox

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
