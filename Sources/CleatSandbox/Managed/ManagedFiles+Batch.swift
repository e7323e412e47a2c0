internal import CleatIO
internal import SystemPackage

extension ManagedFiles {
    /// Returns the same files, written in a batch.
    package func batching(_ batch: ManagedFileBatch) -> ManagedFiles {
        var files = self
        files.batch = batch
        return files
    }

    /// Ends a batch that has failed: removes the temporary files; the directories are flushed when the changes are
    /// reverted.
    package func abandon() { batch?.discard() }

    /// Ends a batch: flushes each directory in which names have changed, and removes unused temporary files.
    ///
    /// - Returns: The directories that could not be flushed, each with the last file that was changed in it; the
    ///   changes are in place, but may not survive a power cut.
    package func settle() -> [(path: String, error: SandboxError)] {
        guard let batch else { return [] }
        batch.discard()
        var failed: [(path: String, error: SandboxError)] = []
        for pending in batch.pending() {
            do throws(Errno) {
                try repeated { () throws(Errno) in try calls.flushDirectory(pending.directory.descriptor) }
            } catch {
                if !pending.isChanged, Self.hasNothingToFlush(error) { continue }
                let error = DurableFileError(stage: .flushDirectory, name: pending.path.text, cause: error)
                failed.append(("/" + pending.path.text, failure(error, pending.operation, pending.path)))
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
    func target(
        _ bytes: [UInt8], at path: SandboxPath, _ declaration: ManagedFileDeclaration, by way: FileMemento.Way?,
        owner: FileOwner?, permissions: UInt16?, attributes: [ExtendedAttribute]?, _ operation: String
    ) throws(SandboxError) -> ManagedTarget {
        let place = try place(of: path, declaration, by: way, operation)
        try check(place, operation, path)
        // A link has an owner and a mode of its own, which do not apply to a file.
        let old = place.attributes?.type == .regular ? place.attributes : nil
        var kept = attributes
        if kept == nil { kept = try present(at: place, operation, path) }
        var directory: FileIdentity?
        if batch != nil {
            do throws(Errno) {
                directory = try calls.attributes(of: place.directory.descriptor).identity
            } catch {
                throw failure(error, operation, path)
            }
        }
        return ManagedTarget(
            place: place, directory: directory, bytes: bytes, owner: owner ?? old?.owner,
            permissions: permissions ?? old?.permissions ?? 0o644, attributes: kept)
    }

    /// Makes and writes the temporary file of a target.
    func begin(_ target: ManagedTarget) throws(DurableFileError) -> DurableWriter {
        let writer = try DurableWriter(
            to: target.place.name, in: target.place.directory.descriptor, calls: calls)
        try writer.write(target.bytes)
        return writer
    }

    /// Flushes the temporary file of a target, and sets its owner, permissions and attributes.
    func flush(_ writer: DurableWriter, _ target: ManagedTarget) throws(DurableFileError) {
        try writer.flush(
            permissions: FilePermissions(rawValue: CModeT(target.permissions)), owner: target.owner
        ) { file throws(Errno) in
            if let attributes = target.attributes { try set(attributes, of: file) }
        }
    }

    /// Writes the requested file and the next ones to temporary files next to their targets, and flushes them.
    func writeAhead(from path: SandboxPath) {
        guard let batch else { return }
        let window = batch.window(from: "/" + path.text)
        guard !window.isEmpty else { return }
        var begun: [(path: String, writer: DurableWriter, target: ManagedTarget)] = []
        var ahead: [String: ManagedFileBatch.Ahead] = [:]
        /// Keeps an error for the file's own call; if only the space for several files is missing, they are written one
        /// by one.
        func note(_ error: DurableFileError, _ path: String) {
            switch error.cause {
            case .noSpace, .diskQuotaExceeded, .tooManyOpenFiles, .tooManyOpenFilesInSystem: batch.stop()
            default: ahead[path] = .failed(error)
            }
        }
        for write in window where !begun.contains(where: { $0.path == write.path }) {
            // The reason why it cannot be managed is reported by the file's own call: it may be gone by then.
            guard let target = try? target(of: write) else { continue }
            do throws(DurableFileError) {
                begun.append((write.path, try begin(target), target))
            } catch {
                note(error, write.path)
                break
            }
        }
        // Writing is started for all files before the first one is waited for, and all are written before the first one
        // is flushed: so one commit of the file system covers all of them, and the other flushes have nothing to write.
        for waits in [false, true] {
            begun = begun.filter { one in
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
        for one in begun {
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
        let (path, declaration) = try declared(write.path, "write")
        guard write.bytes.count <= declaration.sizeLimit else { return nil }
        return try target(
            write.bytes, at: path, declaration, by: write.way, owner: write.owner, permissions: write.permissions,
            attributes: write.attributes, "write")
    }

    /// Renames the temporary file over its target, or writes the file again if the target has changed.
    func publish(_ target: ManagedTarget, _ path: SandboxPath) throws(DurableFileError) {
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

    func failure(_ error: DurableFileError, _ operation: String, _ path: SandboxPath) -> SandboxError {
        SandboxError(
            SandboxError.Code(error.cause), operation, area: nil, path: "/" + path.text, errno: error.cause,
            detail: "\(error.reason); \(error.remedy)")
    }
}
