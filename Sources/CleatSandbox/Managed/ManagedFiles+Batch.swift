internal import CleatIO
internal import SystemPackage

extension ManagedFiles {
    /// Gives the same files, which are written in a batch.
    package func batching(_ batch: ManagedFileBatch) -> ManagedFiles {
        var files = self
        files.batch = batch
        return files
    }

    /// Ends a batch that has failed: takes away what was written ahead; what was changed is flushed by whoever brings it
    /// back.
    package func abandon() { batch?.discard() }

    /// Ends a batch: flushes each directory in which names have changed, and takes away what was not asked for.
    ///
    /// - Returns: the directories that could not be flushed, each with the last file that was changed in it; what was
    ///   changed there is in place, but may not outlast a power cut.
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

    /// Whether a directory cannot be flushed since nothing of its file system is ever written, as of squashfs. fsync(2)
    private static func hasNothingToFlush(_ error: Errno) -> Bool {
        error == .invalidArgument || error == .notSupported
    }

    /// Flushes the directory of a place, or leaves that to the end of the batch.
    ///
    /// - Parameters:
    ///   - place: where the name is.
    ///   - operation: what was done.
    ///   - path: the name's path.
    ///   - isChanged: whether the name has changed now; else an earlier attempt may have failed right before its flush.
    /// - Throws: why it could not be flushed.
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

    /// Finds out what a write comes to at this moment.
    ///
    /// - Throws: what stands in the way of managing the file.
    func target(
        _ bytes: [UInt8], at path: SandboxPath, _ declaration: ManagedFileDeclaration, by way: FileMemento.Way?,
        owner: FileOwner?, permissions: UInt16?, attributes: [ExtendedAttribute]?, _ operation: String
    ) throws(SandboxError) -> ManagedTarget {
        let place = try place(of: path, declaration, by: way, operation)
        try check(place, operation, path)
        // A link has an owner and a mode of its own, which are no file's.
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

    /// Makes the temporary file of a target, and writes it.
    func begin(_ target: ManagedTarget) throws(DurableFileError) -> DurableWriter {
        let writer = try DurableWriter(
            to: target.place.name, in: target.place.directory.descriptor, calls: calls)
        try writer.write(target.bytes)
        return writer
    }

    /// Flushes the temporary file of a target, and makes it all that it shall be but for its name.
    func flush(_ writer: DurableWriter, _ target: ManagedTarget) throws(DurableFileError) {
        try writer.flush(
            permissions: FilePermissions(rawValue: CModeT(target.permissions)), owner: target.owner
        ) { file throws(Errno) in
            if let attributes = target.attributes { try set(attributes, of: file) }
        }
    }

    /// Writes the file that is asked for, and those that come after it, beside their targets, and flushes them.
    func writeAhead(from path: SandboxPath) {
        guard let batch else { return }
        let window = batch.window(from: "/" + path.text)
        guard !window.isEmpty else { return }
        var begun: [(path: String, writer: DurableWriter, target: ManagedTarget)] = []
        var ahead: [String: ManagedFileBatch.Ahead] = [:]
        /// Its turn tells what failed; where only the room for several is missing, one after the other may have it.
        func note(_ error: DurableFileError, _ path: String) {
            switch error.cause {
            case .noSpace, .diskQuotaExceeded, .tooManyOpenFiles, .tooManyOpenFilesInSystem: batch.stop()
            default: ahead[path] = .failed(error)
            }
        }
        for write in window where !begun.contains(where: { $0.path == write.path }) {
            // What stands in the way of managing it is told when its turn comes: then it may be gone.
            guard let target = try? target(of: write) else { continue }
            do throws(DurableFileError) {
                begun.append((write.path, try begin(target), target))
            } catch {
                note(error, write.path)
                break
            }
        }
        // All are on their way before the first one is waited for, and all have arrived before the first one is flushed:
        // so one commit of the file system has them all, and the other flushes find nothing left to write.
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

    /// What a write that comes later would come to now; directories that are missing are made when its turn comes.
    private func target(of write: ManagedFileWrite) throws(SandboxError) -> ManagedTarget? {
        let (path, declaration) = try declared(write.path, "write")
        guard write.bytes.count <= declaration.sizeLimit else { return nil }
        return try target(
            write.bytes, at: path, declaration, by: write.way, owner: write.owner, permissions: write.permissions,
            attributes: write.attributes, "write")
    }

    /// Renames what was written ahead over its target, or writes it now where that is something else than it was.
    func publish(_ target: ManagedTarget, _ path: SandboxPath) throws(DurableFileError) {
        if let (writer, earlier) = try batch?.take("/" + path.text) {
            // The writer has the number of its directory's descriptor alone.
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
            // What was written ahead may have taken its room.
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
