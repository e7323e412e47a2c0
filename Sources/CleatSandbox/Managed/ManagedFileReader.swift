internal import CleatIO
import CleatOrder
internal import SystemPackage

/// The content and attributes of a managed file.
package struct ManagedFileContent: Equatable, Sendable {
    /// The whole content.
    package var bytes: [UInt8]
    /// The owner.
    package var owner: FileOwner
    /// The permission bits, including the set-id and sticky bits.
    package var permissions: UInt16
    /// The readable extended attributes: access list, security labels, user attributes.
    package var attributes: [ExtendedAttribute]
}

/// Reads managed files, links and extended attributes, which other programs may exchange at any time.
struct ManagedFileReader: Sendable {
    let places: ManagedPlaces

    private var calls: any ManagedFileCalls { places.calls }

    private static let attempts = 8

    /// Reads a file that may be exchanged meanwhile, and records the way by which it was reached.
    ///
    /// Returns the whole of one file, or nil if there is none.
    func content(
        of path: SandboxPath, _ declaration: ManagedFileDeclaration, _ operation: String,
        noting way: inout FileMemento.Way
    ) throws(SandboxError) -> ManagedFileContent? {
        for _ in 0..<Self.attempts {
            let place: ManagedPlace
            var followed: String?
            defer { way = followed.map { .link(to: $0) } ?? .plain }
            do throws(Errno) {
                place = try places.find(path, followsLast: !declaration.isLink, noting: &followed)
            } catch {
                // A parent directory is missing, so the file is missing, too.
                if error == .noSuchFileOrDirectory { return nil }
                throw SandboxError(error, operation, at: path)
            }
            guard let attributes = place.attributes else { return nil }
            try places.check(place, operation, path)
            // A link that was created since the file was found is not followed: the caller has to retry.
            guard attributes.type == .regular else { throw SandboxError(.changed, operation, at: path) }
            do throws(Errno) {
                if let content = try read(place, limit: declaration.sizeLimit) { return content }
            } catch {
                if error == .fileTooLarge { throw SandboxError(.tooLarge, operation, at: path) }
                throw SandboxError(error, operation, at: path)
            }
        }
        throw SandboxError(.changed, operation, at: path)
    }

    /// Opens the file at a place to read it; returns nil if it is not the one that was checked.
    private func open(_ place: ManagedPlace) throws(Errno) -> Descriptor? {
        do throws(Errno) {
            // Checked before it is opened: opening a device could already have an effect.
            let looked = try Descriptor(
                owning: Resolvers.repeated { () throws(Errno) in
                    try calls.open(FileName(place.name), in: place.directory.descriptor, for: .inspect)
                })
            let now = try calls.attributes(of: looked.descriptor)
            guard now.identity == place.attributes?.identity, now.type == .regular else { return nil }
            return try Descriptor(
                owning: Resolvers.repeated { () throws(Errno) in try calls.reopen(looked.descriptor, for: .read) })
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// Reads the file at a place; returns nil if it is not the one that was checked, or changed during the read.
    private func read(_ place: ManagedPlace, limit: Int) throws(Errno) -> ManagedFileContent? {
        guard let seen = try open(place) else { return nil }
        let before = try calls.attributes(of: seen.descriptor)
        guard before.size <= Int64(limit) else { throw .fileTooLarge }
        // One byte more than expected shows that it has grown.
        let bytes = try calls.readAll(of: seen.descriptor, upTo: Int(before.size) + 1)
        let attributes = try attributes(of: seen.descriptor)
        let after = try calls.attributes(of: seen.descriptor)
        guard before.changed == after.changed, after.size == Int64(bytes.count) else { return nil }
        return ManagedFileContent(
            bytes: bytes, owner: after.owner, permissions: after.permissions, attributes: attributes)
    }

    /// Reads the link at a path; returns nil if there is none, or something else.
    func link(
        at path: SandboxPath, _ declaration: ManagedFileDeclaration, _ operation: String
    ) throws(SandboxError) -> (target: String, owner: FileOwner)? {
        let place: ManagedPlace
        do throws(SandboxError) {
            place = try places.place(of: path, declaration, operation)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
        guard let attributes = place.attributes, attributes.type == .symbolicLink else { return nil }
        try places.check(place, operation, path)
        do throws(Errno) {
            let target = try Resolvers.repeated { () throws(Errno) in
                try calls.readLink(FileName(place.name), in: place.directory.descriptor)
            }
            return (target, attributes.owner)
        } catch {
            switch error {
            case .invalidArgument, .noSuchFileOrDirectory: throw SandboxError(.changed, operation, at: path)
            default: throw SandboxError(error, operation, at: path)
            }
        }
    }

    /// Returns the extended attributes that a file keeps when its content changes; nil if there is no file.
    func present(
        at place: ManagedPlace, _ operation: String, _ path: SandboxPath
    ) throws(SandboxError) -> [ExtendedAttribute]? {
        guard place.attributes != nil else { return nil }
        do throws(Errno) {
            guard let file = try open(place) else { return nil }
            return try attributes(of: file.descriptor).filter { ExtendedAttribute.outlastsContent($0.name) }
        } catch {
            throw SandboxError(error, operation, at: path)
        }
    }

    /// Reads the extended attributes of a file, as far as this process may, sorted by the bytes of their names.
    ///
    /// - Throws: `fileTooLarge` if their number or size exceeds the limit of a managed file.
    func attributes(of file: FileDescriptor) throws(Errno) -> [ExtendedAttribute] {
        let names: [FileName]
        do throws(Errno) {
            names = try calls.attributeNames(of: file)
        } catch {
            // Many file systems have no extended attributes.
            if error == .notSupported { return [] }
            throw error
        }
        var found: [ExtendedAttribute] = []
        var bytes = 0
        for name in names.filter(ExtendedAttribute.isKept).ordered(by: {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }) {
            guard let value = try value(of: name, file) else { continue }
            found.append(ExtendedAttribute(name: name, value: value))
            bytes += name.bytes.count + value.count
            guard found.count <= ExtendedAttribute.countLimit, bytes <= ExtendedAttribute.bytesLimit else {
                throw .fileTooLarge
            }
        }
        return found
    }

    /// Reads one attribute; returns nil if it does not exist, or this process may not read it.
    func value(of name: FileName, _ file: FileDescriptor) throws(Errno) -> [UInt8]? {
        do throws(Errno) {
            return try repeated { () throws(Errno) in try calls.attribute(name, of: file) }
        } catch {
            switch error {
            case .noData, .notSupported, .notPermitted, .permissionDenied: return nil
            default: throw error
            }
        }
    }
}
