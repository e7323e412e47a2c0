package import CleatIO

/// The captured state of a managed file: its bytes, owner, permissions and extended attributes, or its absence.
///
/// It is opaque to its holder: only ``ManagedFiles`` makes mementos and restores files from them.
package struct FileMemento: Equatable, Sendable {
    /// The captured state.
    enum State: Equatable, Sendable {
        /// A regular file.
        case file(bytes: [UInt8], owner: FileOwner, permissions: UInt16, attributes: [ExtendedAttribute])
        /// A symbolic link at the path itself, with its target.
        case link(target: String, owner: FileOwner)
        /// No file; `missingParents` directories at the end of its path were missing, too.
        case absent(missingParents: Int)
    }

    /// The way by which a file was reached, or its absence was found.
    enum Way: Equatable, Sendable {
        /// The file was at the path itself, or there was none.
        case plain
        /// The path was a link, which led to this path, relative to the root and without a leading slash.
        case link(to: String)
    }

    /// The absolute path as seen by the system.
    package let path: String
    let state: State
    /// The way by which it was reached; plain for a link itself.
    let way: Way

    /// The memento of the absence of this file.
    package var absence: FileMemento { FileMemento(path: path, state: .absent(missingParents: 0), way: .plain) }

    /// Returns true if it is of a file whose content begins with `text`.
    package func begins(with text: String) -> Bool {
        if case .file(let bytes, _, _, _) = state { bytes.starts(with: text.utf8) } else { false }
    }

    /// A description of the file's first special privilege; nil if there is none.
    ///
    /// Special privileges are the set-id and sticky bits, and attributes outside of the `user.` namespace (access
    /// lists, capabilities, labels). chmod(2), xattr(7)
    package var specialRight: String? {
        guard case .file(_, _, let permissions, let attributes) = state else { return nil }
        if permissions & 0o7000 != 0 { return "the mode \(String(permissions, radix: 8))" }
        let other = attributes.first { !$0.name.bytes.starts(with: "user.".utf8) }
        return other.map { "the attribute \($0.name.text ?? "with a name that is not text")" }
    }

    /// The captured file; nil if there was none, or a link.
    package var content: ManagedFileContent? {
        guard case .file(let bytes, let owner, let permissions, let attributes) = state else { return nil }
        return ManagedFileContent(bytes: bytes, owner: owner, permissions: permissions, attributes: attributes)
    }

    /// The content of the file; nil if there was none, or a link.
    package var bytes: [UInt8]? { if case .file(let bytes, _, _, _) = state { bytes } else { nil } }

    /// The owner of the file; nil if there was no file, or a link.
    package var owner: FileOwner? { if case .file(_, let owner, _, _) = state { owner } else { nil } }

    /// The permission bits of the file; nil if there was no file, or a link.
    package var permissions: UInt16? {
        if case .file(_, _, let permissions, _) = state { permissions } else { nil }
    }

    /// True if there was a file that was not readable by everyone.
    package var isHiddenFromOthers: Bool { permissions.map { $0 & 0o004 == 0 } ?? false }

    /// The target of the captured link; nil if there was none, or a file.
    package var linkTarget: String? { if case .link(let target, _) = state { target } else { nil } }

    /// True if there was no file.
    package var isAbsence: Bool {
        if case .absent = state { true } else { false }
    }
}

extension FileMemento {
    /// Writes the memento: the path, the kind and the fields of the kind.
    package func encode(into writer: inout ByteWriter) {
        writer.text(path)
        switch state {
        case .absent(let missing):
            writer.number(UInt8(0))
            way.encode(into: &writer)
            writer.number(UInt8(missing))
        case .file(let content, let owner, let permissions, let attributes):
            writer.number(UInt8(1))
            way.encode(into: &writer)
            owner.encode(into: &writer)
            writer.number(permissions)
            writer.field(content)
            writer.number(UInt8(attributes.count))
            for attribute in attributes {
                writer.field(attribute.name.bytes)
                writer.field(attribute.value)
            }
        case .link(let target, let owner):
            writer.number(UInt8(2))
            owner.encode(into: &writer)
            writer.text(target)
        }
    }

    /// Reads the format of ``encode(into:)``.
    ///
    /// - Throws: an error if the bytes are not valid.
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        path = try reader.text(upTo: SandboxPath.bytesLimit + 1)
        switch try reader.number(UInt8.self, upTo: 2) {
        case 0:
            way = try Way(from: &reader)
            state = .absent(missingParents: Int(try reader.number(upTo: UInt8(SandboxPath.namesLimit))))
        case 1:
            way = try Way(from: &reader)
            let owner = try FileOwner(from: &reader)
            let permissions = try reader.number(UInt16.self, upTo: 0o7777)
            state = .file(
                bytes: Array(try reader.field()), owner: owner, permissions: permissions,
                attributes: try Self.attributes(&reader))
        default:
            way = .plain
            let owner = try FileOwner(from: &reader)
            let target = try reader.text(upTo: RootResolver.pathLimit)
            guard !target.isEmpty, !target.utf8.contains(0) else { throw MalformedBytes() }
            state = .link(target: target, owner: owner)
        }
    }

    /// Reads extended attributes, sorted by name, without duplicates.
    private static func attributes(_ reader: inout ByteReader) throws(MalformedBytes) -> [ExtendedAttribute] {
        var attributes: [ExtendedAttribute] = []
        for _ in 0..<(try reader.number(upTo: UInt8(ExtendedAttribute.countLimit))) {
            let name = FileName(bytes: try reader.field(upTo: ExtendedAttribute.bytesLimit))
            let value = Array(try reader.field(upTo: ExtendedAttribute.bytesLimit))
            guard !name.bytes.contains(0), ExtendedAttribute.isKept(name),
                attributes.last.map({ $0.name.bytes.lexicographicallyPrecedes(name.bytes) }) ?? true
            else { throw MalformedBytes() }
            attributes.append(ExtendedAttribute(name: name, value: value))
        }
        return attributes
    }
}

extension FileMemento.Way {
    /// The most bytes of a way: a directory path, a slash and a name.
    private static let limit = RootResolver.pathLimit + 256

    /// Writes the path to which the link led; empty if there was no link.
    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .plain: writer.text("")
        case .link(let target): writer.text(target)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(MalformedBytes) {
        let target = try reader.text(upTo: Self.limit)
        guard !target.utf8.contains(0) else { throw MalformedBytes() }
        self = target.isEmpty ? .plain : .link(to: target)
    }
}

extension FileOwner {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.number(user)
        writer.number(group)
    }

    fileprivate init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(user: try reader.number(), group: try reader.number())
    }
}
