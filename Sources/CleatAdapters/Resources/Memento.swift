internal import CleatHash
internal import CleatIO
internal import CleatSandbox

/// The exact state of a resource before it was changed, so that it can be restored.
///
/// It is opaque to the store that keeps it: only ``SystemResources`` captures and restores it.
package struct Memento: Equatable, Sendable {
    /// The captured content.
    enum Content: Equatable, Sendable {
        /// A file or a link, or its absence.
        case file(FileMemento)
        /// A value of the kernel, with the parameters of an LED's trigger, or a line of a file.
        case text([UInt8], parameters: [TriggerParameter] = [])
        /// An interface.
        case interface(InterfaceSnapshot)
        /// A file of the area `documents`, or its absence.
        case document(DocumentMemento)
        /// The state of a program.
        case program(ProgramMemento)
        /// Nothing to restore: the resource does not exist under this root directory, the file has no such line, or the
        /// interface or device is not present.
        case nothing

        /// The value or the line; nil for any other content.
        var text: [UInt8]? { if case .text(let bytes, _) = self { bytes } else { nil } }

        /// The state of a program; nil for any other content.
        var program: ProgramMemento? { if case .program(let memento) = self { memento } else { nil } }

        /// The owner of a file or document, and its mode; nil for any other content.
        var rights: (owner: FileOwner, permissions: UInt16?)? {
            switch self {
            case .file(let file): file.owner.map { ($0, file.permissions) }
            case .document(.file(_, let permissions, let owner)): (owner, permissions)
            case .document, .text, .interface, .program, .nothing: nil
            }
        }

        /// The value or the line, if it has no parameters; nil for any other content.
        var plainText: [UInt8]? { if case .text(let bytes, []) = self { bytes } else { nil } }
    }

    /// The name of the adapter that the resource was captured for.
    package let adapter: String
    /// The resource.
    package let resource: Resource
    let content: Content

    /// True if there was nothing to capture.
    package var isNothing: Bool { if case .nothing = content { true } else { false } }

    /// True if the resource is a file that did not exist.
    var isAbsentFile: Bool {
        if case .document(.absent) = content { true } else { file?.isAbsence ?? false }
    }

    /// True if the resource is an interface that did not exist.
    package var isAbsentInterface: Bool { resource.isInterface && isNothing }

    /// The captured file or link; nil if something else was captured.
    var file: FileMemento? { if case .file(let file) = content { file } else { nil } }

    /// The captured interface; nil if something else was captured.
    var interface: InterfaceSnapshot? { if case .interface(let snapshot) = content { snapshot } else { nil } }

    /// The captured state of a document; nil if something else was captured.
    package var document: DocumentMemento? { if case .document(let document) = content { document } else { nil } }

    /// The text of a kernel value; nil if something else was captured.
    var words: String? {
        guard case .attribute = resource, let bytes = content.text else { return nil }
        return String(decoding: AttributeText.value(of: bytes), as: UTF8.self)
    }

    /// The file write that restores it; nil if it restores no file.
    var pendingWrite: ManagedFileWrite? { file.flatMap { ManagedFileWrite($0) } }
}

extension Memento {
    private static let mark = Array("cleat-memento-1\n".utf8)

    /// The memento as bytes for a store: a mark, the adapter, the resource, the content, and the SHA-256 of it all.
    package var encoded: [UInt8] {
        var writer = ByteWriter(Self.mark)
        writer.text(adapter)
        writer.text(resource.text)
        content.encode(into: &writer)
        var digest = SHA256()
        digest.update(writer.bytes)
        writer.write(digest.finalize())
        return writer.bytes
    }

    /// Reads the format of ``encoded``.
    ///
    /// - Throws: an error if the bytes are not valid.
    package init(encoded bytes: [UInt8]) throws(ResourceError) {
        do throws(MalformedBytes) {
            self = try Self.decode(bytes)
        } catch {
            throw ResourceError(
                .restore, nil, reason: "the captured state is truncated or damaged; restore the store from its copy")
        }
    }

    private static func decode(_ bytes: [UInt8]) throws(MalformedBytes) -> Memento {
        let body = bytes.dropLast(SHA256.digestBytes)
        var digest = SHA256()
        digest.update(body)
        guard digest.finalize().elementsEqual(bytes.suffix(SHA256.digestBytes)), body.starts(with: mark) else {
            throw MalformedBytes()
        }
        var reader = ByteReader(body.dropFirst(mark.count))
        let adapter = try reader.text()
        guard let resource = Resource(text: try reader.text()) else { throw MalformedBytes() }
        let content = try Content(from: &reader)
        try reader.finish()
        guard content == .nothing || resource.handler.accepts(content) else { throw MalformedBytes() }
        return Memento(adapter: adapter, resource: resource, content: content)
    }
}

extension Memento.Content {
    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .nothing: writer.number(UInt8(0))
        case .file(let file):
            writer.number(UInt8(1))
            file.encode(into: &writer)
        case .text(let value, let parameters):
            writer.number(UInt8(2))
            writer.field(value)
            writer.number(UInt8(parameters.count))
            for parameter in parameters {
                writer.text(parameter.name)
                writer.field(parameter.value)
            }
        case .interface(let snapshot):
            writer.number(UInt8(3))
            snapshot.encode(into: &writer)
        case .document(let document):
            writer.number(UInt8(4))
            document.encode(into: &writer)
        case .program(let memento):
            writer.number(UInt8(5))
            writer.text(memento.fingerprint)
            writer.field(memento.state)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(MalformedBytes) {
        switch try reader.number(UInt8.self, upTo: 5) {
        case 0: self = .nothing
        case 1: self = .file(try FileMemento(from: &reader))
        case 2:
            let value = Array(try reader.field())
            var parameters: [TriggerParameter] = []
            for _ in 0..<(try reader.number(UInt8.self)) {
                let name = try reader.text()
                guard !name.utf8.contains(UInt8(ascii: "/")) else { throw MalformedBytes() }
                parameters.append(TriggerParameter(name: name, value: Array(try reader.field())))
            }
            self = .text(value, parameters: parameters)
        case 3: self = .interface(try InterfaceSnapshot(from: &reader))
        case 4: self = .document(try DocumentMemento(from: &reader))
        default: self = .program(ProgramMemento(fingerprint: try reader.text(), state: Array(try reader.field())))
        }
    }
}
