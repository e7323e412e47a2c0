extension FileMemento {
    private static let mark = Array("cleat-file-1\n".utf8)

    /// The type byte.
    ///
    /// It determines the fields that follow: for a file, its attributes if any; except for a link, the way.
    private enum Kind {
        static let absent: UInt8 = 0
        static let file: UInt8 = 1
        static let fileAttributes: UInt8 = 2
        static let link: UInt8 = 3
        static let absentByWay: UInt8 = 4
        static let fileByWay: UInt8 = 5
        static let fileAttributesByWay: UInt8 = 6
    }

    /// The type byte, followed by the way if it is known; an empty way means that the path itself was no link.
    private func encodedWay(_ unknown: UInt8, _ known: UInt8) -> [UInt8] {
        switch way {
        case nil: [unknown]
        case .plain: [known] + Self.bigEndian(0)
        case .link(let target): [known] + Self.bigEndian(UInt64(target.utf8.count)) + Array(target.utf8)
        }
    }

    /// The memento as bytes for storage: a format mark, the fields in big-endian order, and their SHA-256.
    package var encoded: [UInt8] {
        var bytes = Self.mark
        bytes += Self.bigEndian(UInt64(path.utf8.count)) + Array(path.utf8)
        switch state {
        case .absent(let missing):
            bytes += encodedWay(Kind.absent, Kind.absentByWay)
            bytes += Self.bigEndian(UInt64(missing))
        case .link(let target, let owner):
            bytes.append(Kind.link)
            bytes += [UInt64(owner.user), UInt64(owner.group), UInt64(target.utf8.count)].flatMap(Self.bigEndian)
            bytes += Array(target.utf8)
        case .file(let content, let owner, let permissions, let attributes):
            bytes +=
                attributes.isEmpty
                ? encodedWay(Kind.file, Kind.fileByWay) : encodedWay(Kind.fileAttributes, Kind.fileAttributesByWay)
            bytes += [UInt64(owner.user), UInt64(owner.group), UInt64(permissions), UInt64(content.count)]
                .flatMap(Self.bigEndian)
            bytes += content
            if !attributes.isEmpty { bytes += Self.bigEndian(UInt64(attributes.count)) }
            for attribute in attributes {
                for field in [Array(attribute.name.bytes), attribute.value] {
                    bytes += Self.bigEndian(UInt64(field.count)) + field
                }
            }
        }
        var digest = SHA256()
        digest.update(bytes)
        return bytes + digest.finalize()
    }

    /// Decodes the format of ``encoded``.
    ///
    /// - Throws: `damaged` if the bytes are not valid.
    package init(encoded bytes: [UInt8]) throws(SandboxError) {
        guard let memento = Self.decode(bytes) else {
            throw SandboxError(.damaged, "decode", area: nil, path: "what was captured")
        }
        self = memento
    }

    private static func decode(_ bytes: [UInt8]) -> FileMemento? {
        guard bytes.count > mark.count + SHA256.digestBytes else { return nil }
        let body = bytes.dropLast(SHA256.digestBytes)
        var digest = SHA256()
        digest.update(body)
        guard digest.finalize().elementsEqual(bytes.suffix(SHA256.digestBytes)) else { return nil }
        var rest = body
        guard take(mark.count, of: &rest)?.elementsEqual(mark) == true,
            let length = number(&rest, to: UInt64(SandboxPath.bytesLimit) + 1), let name = take(Int(length), of: &rest),
            let path = String(validating: name, as: UTF8.self), let kind = take(1, of: &rest)?.first
        else { return nil }
        var way: Way?
        if [Kind.absentByWay, Kind.fileByWay, Kind.fileAttributesByWay].contains(kind) {
            guard let known = Self.way(&rest) else { return nil }
            way = known
        }
        let state: State
        switch kind {
        case Kind.absent, Kind.absentByWay:
            guard let missing = number(&rest, to: UInt64(SandboxPath.namesLimit)) else { return nil }
            state = .absent(missingParents: Int(missing))
        case Kind.file, Kind.fileAttributes, Kind.fileByWay, Kind.fileAttributesByWay:
            guard let user = number(&rest, to: UInt64(UInt32.max)), let group = number(&rest, to: UInt64(UInt32.max)),
                let permissions = number(&rest, to: 0o7777), let count = number(&rest, to: UInt64(Int32.max)),
                let content = take(Int(count), of: &rest),
                let attributes = kind == Kind.file || kind == Kind.fileByWay ? [] : Self.attributes(&rest)
            else { return nil }
            state = .file(
                bytes: Array(content), owner: FileOwner(user: UInt32(user), group: UInt32(group)),
                permissions: UInt16(permissions), attributes: attributes)
        case Kind.link:
            guard let user = number(&rest, to: UInt64(UInt32.max)), let group = number(&rest, to: UInt64(UInt32.max)),
                let count = number(&rest, to: UInt64(RootResolver.pathLimit)), let bytes = take(Int(count), of: &rest),
                let target = String(validating: bytes, as: UTF8.self), !target.isEmpty, !bytes.contains(0)
            else { return nil }
            state = .link(target: target, owner: FileOwner(user: UInt32(user), group: UInt32(group)))
        default: return nil
        }
        return rest.isEmpty ? FileMemento(path: path, state: state, way: way) : nil
    }

    private static func way(_ rest: inout ArraySlice<UInt8>) -> Way? {
        guard let count = number(&rest, to: UInt64(wayLimit)), let bytes = take(Int(count), of: &rest),
            let target = String(validating: bytes, as: UTF8.self), !bytes.contains(0)
        else { return nil }
        return target.isEmpty ? .plain : .link(to: target)
    }

    /// The most bytes of a way: a directory path, a slash and a name.
    private static let wayLimit = RootResolver.pathLimit + 256

    /// Decodes extended attributes: at least one, sorted by name, without duplicates.
    private static func attributes(_ rest: inout ArraySlice<UInt8>) -> [ExtendedAttribute]? {
        guard let count = number(&rest, to: UInt64(ExtendedAttribute.countLimit)), count > 0 else { return nil }
        let limit = UInt64(ExtendedAttribute.bytesLimit)
        var attributes: [ExtendedAttribute] = []
        for _ in 0..<count {
            guard let length = number(&rest, to: limit), let name = take(Int(length), of: &rest), !name.contains(0),
                let size = number(&rest, to: limit), let value = take(Int(size), of: &rest),
                attributes.last.map({ $0.name.bytes.lexicographicallyPrecedes(name) }) ?? true,
                ExtendedAttribute.isKept(FileName(bytes: name))
            else { return nil }
            attributes.append(ExtendedAttribute(name: FileName(bytes: name), value: Array(value)))
        }
        return attributes
    }

    private static func take(_ count: Int, of rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, to limit: UInt64) -> UInt64? {
        let value = take(8, of: &rest).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
        return value.flatMap { $0 <= limit ? $0 : nil }
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
