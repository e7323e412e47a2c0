internal import CleatIO
internal import SystemPackage

/// The content and attributes of a managed file.
package struct ManagedFileContent: Hashable, Sendable {
    /// The whole content.
    package var bytes: [UInt8]
    /// The owner.
    package var owner: FileOwner
    /// The permission bits, including the set-id and sticky bits.
    package var permissions: UInt16
    /// The readable extended attributes: access list, security labels, user attributes.
    package var attributes: [ExtendedAttribute]
}

extension ManagedFiles {
    private static let attempts = 8

    /// Reads a declared file.
    ///
    /// - Throws: `notFound`; `tooLarge` if it exceeds the declared size; the reason why it cannot be managed.
    package func read(_ path: String) throws(SandboxError) -> ManagedFileContent {
        let (checked, declaration) = try declared(path, "read")
        var way = FileMemento.Way.plain
        guard let content = try content(of: checked, declaration, "read", noting: &way) else {
            throw refusal(.notFound, "read", checked)
        }
        return content
    }

    /// Captures the state of a declared file, or its absence.
    ///
    /// - Throws: The same errors as ``read(_:)``, except for a missing file.
    package func capture(_ path: String) throws(SandboxError) -> FileMemento {
        let (checked, declaration) = try declared(path, "capture")
        if declaration.isLink, let link = try link(at: checked, declaration, "capture") {
            return FileMemento(path: path, state: .link(target: link.target, owner: link.owner), way: nil)
        }
        var way = FileMemento.Way.plain
        guard let content = try content(of: checked, declaration, "capture", noting: &way) else {
            return FileMemento(
                path: path, state: .absent(missingParents: try missingParents(of: checked, "capture")), way: way)
        }
        return FileMemento(
            path: path,
            state: .file(
                bytes: content.bytes, owner: content.owner, permissions: content.permissions,
                attributes: content.attributes), way: way)
    }

    /// Replaces the content of a declared file, or makes the file, durably; in a batch it is durable only once
    /// ``settle()`` has returned.
    ///
    /// The file keeps its extended attributes, except for those that are bound to the old content. If a link itself is
    /// managed, the file replaces the link.
    ///
    /// - Parameters:
    ///   - bytes: The whole content.
    ///   - path: The absolute path as seen by the system.
    ///   - owner: The owner; nil for the present owner, or for this process's user and group.
    ///   - permissions: The permission bits; nil for the present ones, or for 0644.
    /// - Throws: `tooLarge` if it exceeds the declared size; the reason why it cannot be managed; the step that failed.
    ///   The old file is unchanged then, except if only the directory could not be flushed.
    package func write(
        _ bytes: [UInt8], to path: String, owner: FileOwner? = nil, permissions: UInt16? = nil
    ) throws(SandboxError) {
        let (checked, declaration) = try declared(path, "write")
        try put(
            bytes, to: checked, declaration, by: nil, owner: owner, permissions: permissions, attributes: nil, "write")
    }

    /// Flushes the directory of a declared file, so that its presence or absence survives a power cut.
    ///
    /// ``restore(_:)`` does the same at its end. Nothing is written, so it works on a read-only file system.
    ///
    /// - Throws: `notDeclared`; the reason why it cannot be managed; the reason why it could not be flushed.
    package func flush(_ path: String) throws(SandboxError) {
        let (checked, declaration) = try declared(path, "flush")
        let place: ManagedPlace
        do throws(SandboxError) {
            place = try self.place(of: checked, declaration, "flush")
        } catch {
            if error.code == .notFound { return }
            throw error
        }
        do throws(Errno) {
            try flushDirectory(of: place, "flush", checked, isChanged: false)
        } catch {
            throw failure(error, "flush", checked)
        }
    }

    /// Removes a declared file; a missing file is no error.
    ///
    /// - Throws: The reason why it cannot be managed; the reason why it could not be removed.
    package func remove(_ path: String) throws(SandboxError) {
        let (checked, declaration) = try declared(path, "remove")
        try remove(checked, declaration, by: nil, emptyParents: 0, "remove")
    }

    /// Restores a captured state: bytes, owner, permissions and extended attributes, or absence.
    ///
    /// Directories that were missing when the file was captured are removed again if they are empty. A link that has
    /// replaced the file since is removed or replaced; it is not followed. A file that was captured behind a link is
    /// restored only if a link still leads to it.
    ///
    /// - Throws: `notDeclared`; `changed` if a link leads elsewhere than before; the reason why it cannot be managed;
    ///   the step that failed.
    package func restore(_ memento: FileMemento) throws(SandboxError) {
        let (checked, declaration) = try declared(memento.path, "restore")
        switch memento.state {
        case .absent(let missing):
            try remove(checked, declaration, by: memento.way, emptyParents: missing, "restore")
        case .link(let target, let owner):
            try putLink(to: target, at: checked, declaration, owner: owner, "restore")
        case .file(let bytes, let owner, let permissions, let attributes):
            try put(
                bytes, to: checked, declaration, by: memento.way, owner: owner, permissions: permissions,
                attributes: attributes, "restore")
        }
    }

    private func put(
        _ bytes: [UInt8], to path: SandboxPath, _ declaration: ManagedFileDeclaration, by way: FileMemento.Way?,
        owner: FileOwner?, permissions: UInt16?, attributes: [ExtendedAttribute]?, _ operation: String
    ) throws(SandboxError) {
        guard bytes.count <= declaration.sizeLimit else { throw refusal(.tooLarge, operation, path) }
        if declaration.makesParents { try makeParents(of: path, operation) }
        writeAhead(from: path)
        let target = try target(
            bytes, at: path, declaration, by: way, owner: owner, permissions: permissions, attributes: attributes,
            operation)
        do throws(DurableFileError) {
            try publish(target, path)
        } catch {
            throw failure(error, operation, path)
        }
        do throws(Errno) {
            try flushDirectory(of: target.place, operation, path)
        } catch {
            let error = DurableFileError(stage: .flushDirectory, name: target.place.name, cause: error)
            throw failure(error, operation, path)
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
            throw failure(error, operation, path)
        }
    }

    private func remove(
        _ path: SandboxPath, _ declaration: ManagedFileDeclaration, by way: FileMemento.Way?, emptyParents: Int,
        _ operation: String
    ) throws(SandboxError) {
        let place: ManagedPlace
        do throws(SandboxError) {
            place = try self.place(of: path, declaration, by: way, operation)
        } catch {
            guard error.code == .notFound else { throw error }
            try removeParents(of: path, count: emptyParents, operation)
            return
        }
        try check(place, operation, path)
        do throws(Errno) {
            do throws(Errno) {
                try repeated { () throws(Errno) in try calls.remove(place.name, in: place.directory.descriptor) }
            } catch {
                // There is none, or another program has removed it: the result is the same.
                if error != .noSuchFileOrDirectory { throw error }
            }
            // Also if there was none: an earlier attempt may have failed just before the flush.
            if emptyParents == 0 {
                try flushDirectory(of: place, operation, path)
            } else {
                // The directory itself may be removed below: then it could not be flushed at the end of the batch.
                try repeated { () throws(Errno) in try calls.flushDirectory(place.directory.descriptor) }
            }
        } catch {
            throw failure(error, operation, path)
        }
        try removeParents(of: path, count: emptyParents, operation)
    }

    /// Removes up to `count` directories at the end of a path, from the deepest up, until one is not empty.
    private func removeParents(of path: SandboxPath, count: Int, _ operation: String) throws(SandboxError) {
        var way = path.parent
        for _ in 0..<count {
            guard let name = way.name else { return }
            do throws(Errno) {
                let directory = try resolver.open(way.parent.text, in: root.descriptor, calls: calls)
                try calls.removeDirectory(FileName(name), in: directory.descriptor)
                try calls.flushDirectory(directory.descriptor)
            } catch {
                switch error {
                // Entries or mounts of other programs there stay; a link in its place is not ours either.
                case .directoryNotEmpty, .fileExists, .notDirectory, .resourceBusy: return
                case .noSuchFileOrDirectory: break
                default: throw failure(error, operation, way)
                }
            }
            way = way.parent
        }
    }

    /// Reads a file that may be exchanged meanwhile, and records the way by which it was reached.
    ///
    /// Returns the whole of one file, or nil if there is none.
    private func content(
        of path: SandboxPath, _ declaration: ManagedFileDeclaration, _ operation: String,
        noting way: inout FileMemento.Way
    ) throws(SandboxError) -> ManagedFileContent? {
        for _ in 0..<Self.attempts {
            let place: ManagedPlace
            var followed: String?
            defer { way = followed.map { .link(to: $0) } ?? .plain }
            do throws(Errno) {
                place = try find(path, followsLast: !declaration.isLink, noting: &followed)
            } catch {
                // A parent directory is missing, so the file is missing, too.
                if error == .noSuchFileOrDirectory { return nil }
                throw failure(error, operation, path)
            }
            guard let attributes = place.attributes else { return nil }
            try check(place, operation, path)
            // A link that was created since the file was found is not followed: the caller has to retry.
            guard attributes.type == .regular else { throw refusal(.changed, operation, path) }
            do throws(Errno) {
                if let content = try read(place, limit: declaration.sizeLimit) { return content }
            } catch {
                if error == .fileTooLarge { throw refusal(.tooLarge, operation, path) }
                throw failure(error, operation, path)
            }
        }
        throw refusal(.changed, operation, path)
    }

    /// Opens the file at a place to read it; returns nil if it is not the one that was checked.
    private func open(_ place: ManagedPlace) throws(Errno) -> Descriptor? {
        do throws(Errno) {
            // Checked before it is opened: opening a device could already have an effect.
            let looked = try Descriptor(
                owning: Resolvers.repeated { () throws(Errno) in
                    try calls.open(FileName(place.name), in: place.directory.descriptor, for: .look)
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
        let bytes = try readAll(of: seen.descriptor, expecting: Int(before.size))
        let attributes = try attributes(of: seen.descriptor)
        let after = try calls.attributes(of: seen.descriptor)
        guard before.changed == after.changed, after.size == Int64(bytes.count) else { return nil }
        return ManagedFileContent(
            bytes: bytes, owner: after.owner, permissions: after.permissions, attributes: attributes)
    }

    /// Reads a file to its end; one byte more than expected shows that it has grown.
    private func readAll(of file: FileDescriptor, expecting size: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, filled in
            do throws(Errno) {
                while filled < buffer.count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(
                        UnsafeMutableBufferPointer(rebasing: buffer[filled...]))
                    let start = Int64(filled)
                    let count = try repeated { () throws(Errno) in
                        try unsafe calls.read(into: rest, from: file, at: start)
                    }
                    if count == 0 { break }
                    filled += count
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
