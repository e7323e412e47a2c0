internal import CleatSandbox

/// The exact state of a resource before it was changed, so that it can be restored.
///
/// It is opaque to the store that keeps it: only ``SystemResources`` captures and restores it.
package struct Memento: Hashable, Sendable {
    /// The captured content.
    enum Content: Hashable, Sendable {
        /// A file or a link, or its absence.
        case file(FileMemento)
        /// A value of the kernel, a line of a file, an encoded interface or an encoded document.
        case bytes([UInt8])
        /// Nothing to restore: the resource does not exist under this root directory, the file has no such line, or the
        /// interface or device is not present.
        case nothing
    }

    /// The name of the adapter that the resource was captured for.
    package let adapter: String
    /// The resource.
    package let resource: Resource
    let content: Content
    /// The parameters of an LED's trigger.
    let parameters: [TriggerParameter]

    init(adapter: String, resource: Resource, content: Content, parameters: [TriggerParameter] = []) {
        self.adapter = adapter
        self.resource = resource
        self.content = content
        self.parameters = parameters
    }

    /// True if there was nothing to capture.
    package var isNothing: Bool { content == .nothing }

    /// True if the resource is a file that did not exist.
    var isAbsentFile: Bool { if case .file(let file) = content { file.isAbsence } else { false } }

    /// True if the resource is an interface that did not exist.
    package var isAbsentInterface: Bool {
        if case .interface = resource { isNothing } else { false }
    }

    /// The memento as bytes for a store: a mark, the kind, the fields with their lengths, and the SHA-256 of it all.
    package var encoded: [UInt8] {
        var bytes = Self.mark
        let (kind, body): (UInt8, [UInt8]) =
            switch content {
            case .file(let file): (1, file.encoded)
            case .bytes(let value): (parameters.isEmpty ? 2 : 3, value)
            case .nothing: (0, [])
            }
        bytes.append(kind)
        let fields = [Array(adapter.utf8), Array(resource.text.utf8), body]
        for field in fields + parameters.flatMap({ [Array($0.name.utf8), $0.value] }) {
            bytes += Self.bigEndian(field.count) + field
        }
        var digest = SHA256()
        digest.update(bytes)
        return bytes + digest.finalize()
    }

    /// Reads the format of ``encoded``.
    ///
    /// - Throws: an error if the bytes are not valid.
    package init(encoded bytes: [UInt8]) throws(ResourceError) {
        guard let memento = Self.decode(bytes) else {
            throw ResourceError(
                .restore, nil, reason: "what was captured is cut short or changed; restore the store from its copy")
        }
        self = memento
    }

    private static let mark = Array("cleat-memento-1\n".utf8)

    private static func decode(_ bytes: [UInt8]) -> Memento? {
        guard bytes.count > mark.count + SHA256.digestBytes else { return nil }
        let body = bytes.dropLast(SHA256.digestBytes)
        var digest = SHA256()
        digest.update(body)
        guard digest.finalize().elementsEqual(bytes.suffix(SHA256.digestBytes)), body.starts(with: mark) else {
            return nil
        }
        let kind = body[mark.count]
        var rest = body.dropFirst(mark.count + 1)
        guard let name = field(&rest), let adapter = String(validating: name, as: UTF8.self),
            let words = field(&rest), let text = String(validating: words, as: UTF8.self),
            let resource = Resource(text: text), let value = field(&rest), let parameters = parameters(&rest)
        else { return nil }
        let content: Content
        guard parameters.isEmpty != (kind == 3) else { return nil }
        switch (kind, resource) {
        case (0, _):
            guard value.isEmpty else { return nil }
            content = .nothing
        case (1, .file(let path)), (1, .link(let path)):
            guard let file = try? FileMemento(encoded: Array(value)), file.path == path else { return nil }
            content = .file(file)
        case (2, .attribute), (2, .hostName), (2, .line), (3, .attribute): content = .bytes(Array(value))
        case (2, .interface):
            guard InterfaceSnapshot(encoded: Array(value)) != nil else { return nil }
            content = .bytes(Array(value))
        case (2, .document):
            guard DocumentMemento(encoded: value) != nil else { return nil }
            content = .bytes(Array(value))
        default: return nil
        }
        return Memento(adapter: adapter, resource: resource, content: content, parameters: parameters)
    }

    private static func parameters(_ rest: inout ArraySlice<UInt8>) -> [TriggerParameter]? {
        var parameters: [TriggerParameter] = []
        while !rest.isEmpty {
            guard let words = field(&rest), let name = String(validating: words, as: UTF8.self), !name.contains("/"),
                let value = field(&rest)
            else { return nil }
            parameters.append(TriggerParameter(name: name, value: Array(value)))
        }
        return parameters
    }

    private static func field(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.count >= 4 else { return nil }
        let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(4)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
