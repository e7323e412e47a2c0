internal import CleatIO
internal import SystemPackage

/// Writes, removes and links managed files, durably and atomically; in a batch they share their flushes.
struct ManagedFileWriter: Sendable {
    let places: ManagedPlaces
    /// The declarations of the files that may be managed.
    let declared: ManagedFileDeclarations
    /// The batch that writes belong to; nil if each one is flushed by itself.
    let batch: ManagedFileBatch?

    private var calls: any ManagedFileCalls { places.calls }
    private var reader: ManagedFileReader { ManagedFileReader(places: places) }

    /// Writes a file, and flushes it, or leaves that to the end of the batch.
    func put(
        _ bytes: [UInt8], to path: SandboxPath, _ declaration: ManagedFileDeclaration, by way: FileMemento.Way?,
        owner: FileOwner?, permissions: UInt16?, attributes: [ExtendedAttribute]?, _ operation: String
    ) throws(SandboxError) {
        guard bytes.count <= declaration.sizeLimit else { throw SandboxError(.tooLarge, operation, at: path) }
        if declaration.makesParents { try makeParents(of: path, operation) }
        writeAhead(from: path)
        let target = try target(
            bytes, at: path, declaration, by: way, owner: owner, permissions: permissions, attributes: attributes,
            operation)
        do throws(DurableFileError) {
            try publish(target, path)
        } catch {
            throw SandboxError(error, operation, at: path)
        }
        do throws(Errno) {
            try flushDirectory(of: target.place, operation, path)
        } catch {
            let error = DurableFileError(stage: .flushDirectory, name: target.place.name, cause: error)
            throw SandboxError(error, operation, at: path)
        }
    }

    /// Removes a file or link, and the directories above it that were missing when it was captured.
    func remove(
        _ path: SandboxPath, _ declaration: ManagedFileDeclaration, by way: FileMemento.Way?, emptyParents: Int,
        _ operation: String
    ) throws(SandboxError) {
        let place: ManagedPlace
        do throws(SandboxError) {
            place = try places.place(of: path, declaration, by: way, operation)
        } catch {
            guard error.code == .notFound else { throw error }
            try removeParents(of: path, count: emptyParents, operation)
            return
        }
        try places.check(place, operation, path)
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
            throw SandboxError(error, operation, at: path)
        }
        try removeParents(of: path, count: emptyParents, operation)
    }

    /// Removes up to `count` directories at the end of a path, from the deepest up, until one is not empty.
    private func removeParents(of path: SandboxPath, count: Int, _ operation: String) throws(SandboxError) {
        var way = path.parent
        for _ in 0..<count {
            guard let name = way.name else { return }
            do throws(Errno) {
                let directory = try places.open(directory: way.parent)
                try calls.removeDirectory(FileName(name), in: directory.descriptor)
                try calls.flushDirectory(directory.descriptor)
            } catch {
                switch error {
                // Entries or mounts of other programs there stay; a link in its place is not ours either.
                case .directoryNotEmpty, .fileExists, .notDirectory, .resourceBusy: return
                case .noSuchFileOrDirectory: break
                default: throw SandboxError(error, operation, at: way)
                }
            }
            way = way.parent
        }
    }

    /// Makes a link; if there is no space, it removes the batch's temporary files and tries again.
    private func makeLink(to target: String, _ name: String, in directory: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            try repeated { () throws(Errno) in try calls.makeLink(to: target, name, in: directory) }
        } catch {
            guard let batch, error == .noSpace || error == .diskQuotaExceeded, batch.discard() else { throw error }
            try repeated { () throws(Errno) in try calls.makeLink(to: target, name, in: directory) }
        }
    }

    /// Makes a temporary link and renames it over the present file or link.
    func putLink(
        to target: String, at path: SandboxPath, _ declaration: ManagedFileDeclaration, owner: FileOwner?,
        _ operation: String
    ) throws(SandboxError) {
        guard declaration.isLink else { throw SandboxError(.notDeclared, operation, at: path) }
        if declaration.makesParents { try makeParents(of: path, operation) }
        let place = try places.place(of: path, declaration, operation)
        try places.check(place, operation, path)
        let directory = place.directory.descriptor
        let temporary = DurableFile.temporaryPrefix + String(SystemFileCalls.random(), radix: 16)
        do throws(Errno) {
            do throws(Errno) {
                try makeLink(to: target, temporary, in: directory)
                if let owner {
                    try repeated { () throws(Errno) in try calls.setOwner(owner, ofLink: temporary, in: directory) }
                }
                try repeated { () throws(Errno) in try calls.rename(temporary, to: place.name, in: directory) }
            } catch {
                // A temporary link that cannot be removed now is swept later.
                try? calls.remove(temporary, in: directory)
                throw error
            }
            try flushDirectory(of: place, operation, path)
        } catch {
            throw SandboxError(error, operation, at: path)
        }
    }

    /// Ends a batch: flushes each directory in which names have changed, and removes unused temporary files.
    ///
    /// - Returns: The directories that could not be flushed, each with the last file that was changed in it; the
    ///   changes are in place, but may not survive a power cut.
    func makeDurable() -> [(path: String, error: SandboxError)] {
        guard let batch else { return [] }
        batch.discard()
        var failed: [(path: String, error: SandboxError)] = []
        for pending in batch.pending() {
            do throws(Errno) {
                try repeated { () throws(Errno) in try calls.flushDirectory(pending.directory.descriptor) }
            } catch {
                if !pending.isChanged, Self.hasNothingToFlush(error) { continue }
                let error = DurableFileError(stage: .flushDirectory, name: pending.path.text, cause: error)
                failed.append(("/" + pending.path.text, SandboxError(error, pending.operation, at: pending.path)))
            }
        }
        return failed
    }

    /// Returns true if a directory cannot be flushed because its file system is never written, like squashfs. fsync(2)
    private static func hasNothingToFlush(_ error: Errno) -> Bool {
        error == .invalidArgument || error == .notSupported
    }

    /// Flushes the directory of a place, or postpones that to the end of the batch.
    ///
    /// - Parameters:
    ///   - place: The place of the name.
    ///   - operation: The operation, for errors.
    ///   - path: The path of the name.
    ///   - isChanged: True if the name has changed now; otherwise an earlier attempt may have failed before its flush.
    /// - Throws: The reason why it could not be flushed.
    func flushDirectory(
        of place: ManagedPlace, _ operation: String, _ path: SandboxPath, isChanged: Bool = true
    ) throws(Errno) {
        let directory = place.directory.descriptor
        if let batch {
            let identity = try calls.attributes(of: directory).identity
            let pending = ManagedFileBatch.Pending(
                identity: identity, directory: place.directory, path: path, operation: operation, isChanged: isChanged)
            if batch.postpone(pending) { return }
        }
        do throws(Errno) {
            try repeated { () throws(Errno) in try calls.flushDirectory(directory) }
        } catch {
            if isChanged || !Self.hasNothingToFlush(error) { throw error }
        }
    }

    /// Determines the place, content and attributes of a write at this moment.
    ///
    /// - Throws: The reason why the file cannot be managed.
    private func target(
        _ bytes: [UInt8], at path: SandboxPath, _ declaration: ManagedFileDeclaration, by way: FileMemento.Way?,
        owner: FileOwner?, permissions: UInt16?, attributes: [ExtendedAttribute]?, _ operation: String
    ) throws(SandboxError) -> ManagedTarget {
        let place = try places.place(of: path, declaration, by: way, operation)
        try places.check(place, operation, path)
        // A link has an owner and a mode of its own, which do not apply to a file.
        let old = place.attributes?.type == .regular ? place.attributes : nil
        var kept = attributes
        if kept == nil { kept = try reader.present(at: place, operation, path) }
        var directory: FileIdentity?
        if batch != nil {
            do throws(Errno) {
                directory = try calls.attributes(of: place.directory.descriptor).identity
            } catch {
                throw SandboxError(error, operation, at: path)
            }
        }
        return ManagedTarget(
            place: place, directory: directory, bytes: bytes, owner: owner ?? old?.owner,
            permissions: permissions ?? old?.permissions ?? 0o644, attributes: kept)
    }

    /// Makes and writes the temporary file of a target.
    private func begin(_ target: ManagedTarget) throws(DurableFileError) -> DurableWriter {
        let writer = try DurableWriter(
            to: target.place.name, in: target.place.directory.descriptor, calls: calls)
        try writer.write(target.bytes)
        return writer
    }

    /// Flushes the temporary file of a target, and sets its owner, permissions and attributes.
    private func flush(_ writer: DurableWriter, _ target: ManagedTarget) throws(DurableFileError) {
        try writer.flush(
            permissions: FilePermissions(rawValue: CModeT(target.permissions)), owner: target.owner
        ) { file throws(Errno) in
            if let attributes = target.attributes { try set(attributes, of: file) }
        }
    }

    /// Writes the requested file and the next ones to temporary files next to their targets, and flushes them.
    private func writeAhead(from path: SandboxPath) {
        guard let batch else { return }
        let window = batch.window(from: "/" + path.text)
        guard !window.isEmpty else { return }
        var started: [(path: String, writer: DurableWriter, target: ManagedTarget)] = []
        var ahead: [String: ManagedFileBatch.Ahead] = [:]
        /// Keeps an error for the file's own call; if only the space for several files is missing, they are written one
        /// by one.
        func note(_ error: DurableFileError, _ path: String) {
            switch error.cause {
            case .noSpace, .diskQuotaExceeded, .tooManyOpenFiles, .tooManyOpenFilesInSystem: batch.stop()
            default: ahead[path] = .failed(error)
            }
        }
        for write in window where !started.contains(where: { $0.path == write.path }) {
            // The reason why it cannot be managed is reported by the file's own call: it may be gone by then.
            guard let target = try? target(of: write) else { continue }
            do throws(DurableFileError) {
                started.append((write.path, try begin(target), target))
            } catch {
                note(error, write.path)
                break
            }
        }
        // Writing is started for all files before the first one is waited for, and all are written before the first one
        // is flushed: so one commit of the file system covers all of them, and the other flushes have nothing to write.
        for waits in [false, true] {
            started = started.filter { one in
                let size = Int64(one.target.bytes.count)
                do throws(DurableFileError) {
                    try one.writer.withFile { file throws(Errno) in
                        try repeated { () throws(Errno) in
                            try calls.writeBack(file, from: 0, to: waits ? 0 : size, waitingUntil: waits ? size : 0)
                        }
                    }
                    return true
                } catch {
                    note(error, one.path)
                    return false
                }
            }
        }
        for one in started {
            do throws(DurableFileError) {
                try flush(one.writer, one.target)
                ahead[one.path] = .written(one.writer, one.target)
            } catch {
                note(error, one.path)
            }
        }
        batch.keep(ahead)
    }

    /// Returns the target of a later write as of now; missing directories are made only by that write itself.
    private func target(of write: ManagedFileWrite) throws(SandboxError) -> ManagedTarget? {
        let (path, declaration) = try declared.declared(write.path, "write")
        guard write.bytes.count <= declaration.sizeLimit else { return nil }
        return try target(
            write.bytes, at: path, declaration, by: write.way, owner: write.owner, permissions: write.permissions,
            attributes: write.attributes, "write")
    }

    /// Renames the temporary file over its target, or writes the file again if the target has changed.
    private func publish(_ target: ManagedTarget, _ path: SandboxPath) throws(DurableFileError) {
        if let (writer, earlier) = try batch?.take("/" + path.text) {
            // The writer holds only the number of the directory's descriptor.
            defer { withExtendedLifetime(earlier) {} }
            if earlier.isSame(as: target) {
                try writer.publish()
                return
            }
            writer.discard()
        }
        do throws(DurableFileError) {
            try writeAlone(target)
        } catch {
            // Temporary files of the batch may occupy the missing space.
            guard let batch, [.noSpace, .diskQuotaExceeded].contains(error.cause), batch.discard() else { throw error }
            try writeAlone(target)
        }
    }

    private func writeAlone(_ target: ManagedTarget) throws(DurableFileError) {
        let writer = try begin(target)
        try flush(writer, target)
        try writer.publish()
    }

    /// Makes the missing parent directories of a declared file, and flushes each one's parent.
    private func makeParents(of path: SandboxPath, _ operation: String) throws(SandboxError) {
        var way = SandboxPath.root
        for name in path.parent.names {
            let parent = way
            way = try way.appending(name)
            do throws(Errno) {
                if try places.exists(directory: way) { continue }
                let directory = try places.open(directory: parent)
                do throws(Errno) {
                    try calls.makeDirectory(
                        FileName(name), in: directory.descriptor,
                        permissions: [.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute])
                } catch {
                    if error != .fileExists { throw error }
                }
                try calls.flushDirectory(directory.descriptor)
            } catch {
                throw SandboxError(error, operation, at: way)
            }
        }
    }

    /// Sets the extended attributes of a captured file, as far as the file system supports them.
    ///
    /// - Throws: The reason why one could not be set.
    private func set(_ wanted: [ExtendedAttribute], of file: FileDescriptor) throws(Errno) {
        for attribute in wanted where try reader.value(of: attribute.name, file) != attribute.value {
            do throws(Errno) {
                try repeated { () throws(Errno) in try calls.setAttribute(attribute, of: file) }
            } catch {
                if error != .notSupported { throw error }
            }
        }
        // Removes the access list that the directory's default list has given to the new file, if the captured file had
        // none.
        let list = ExtendedAttribute.accessList
        guard !wanted.contains(where: { $0.name == list }), try reader.value(of: list, file) != nil else { return }
        try repeated { () throws(Errno) in try calls.removeAttribute(list, of: file) }
    }
}
