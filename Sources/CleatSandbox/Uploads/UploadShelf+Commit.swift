internal import CleatIO
package import SystemPackage

extension UploadShelf {
    /// Makes the next step of a commit: hashes what is not hashed yet, and puts the file in its place when all is right.
    ///
    /// What arrived in this run of the service is hashed already; what an earlier one has left is read again, at most
    /// 1 MiB a call. The last step flushes the partial file, renames it, and flushes the directory: when that has
    /// returned, the file outlasts a power cut. A commit that is repeated after its end succeeds again.
    ///
    /// - Parameters:
    ///   - key: whose it is, and its id.
    ///   - permissions: those of the file; nil for those of the one that is replaced, or 0640.
    ///   - owner: The owner of the file; nil for that of the one that is replaced, or the service's user.
    /// - Returns: how far it has come.
    /// - Throws: `incomplete`, with the offset of the next write; `hashMismatch`, after which the upload is gone; `unknown`,
    ///   `busy`, `lost`; `files`, where the file could not be put in its place: the old one is whole then, and the upload
    ///   is there still, but where the device has failed.
    package func commit(
        _ key: UploadKey, permissions: FilePermissions? = nil, owner: FileOwner? = nil
    ) throws(UploadError) -> UploadProgress {
        if wasCommitted(key) { return .complete }
        return try using(key) { held throws(UploadError) in
            let upload = held.upload
            guard upload.written == upload.request.size else {
                throw UploadError(.incomplete, key, expected: upload.written)
            }
            let file = try openPartial(&held)
            if upload.hashed < upload.written {
                try hash(&held, file)
                return .hashing(done: held.upload.hashed, of: upload.written)
            }
            try check(upload.sha256, of: &held)
            do throws(SandboxError) {
                try publish(&held, file, permissions, owner)
            } catch {
                throw UploadError(error, key)
            }
            return .complete
        }
    }

    /// Throws an upload away that holds other bytes than those that were announced.
    func check(_ sha256: [UInt8], of held: inout Held) throws(UploadError) {
        let request = held.upload.request
        guard sha256 != request.sha256 else { return }
        held.isOver = true
        try? remove(held.upload)
        throw UploadError(request.key, announced: request.sha256, arrived: sha256)
    }

    private func hash(_ held: inout Held, _ file: Descriptor) throws(UploadError) {
        let upload = held.upload
        let wanted = Int(min(upload.written - upload.hashed, Int64(Self.sliceLimit)))
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            do throws(Errno) {
                count = try repeated { () throws(Errno) in
                    try unsafe root.calls.read(
                        into: UnsafeMutableRawBufferPointer(buffer), from: file.descriptor, at: upload.hashed)
                }
            } catch {
                failure = error
            }
        }
        // There were as many bytes a moment ago.
        if bytes.isEmpty, failure == nil { failure = .ioError }
        if let failure {
            throw UploadError(
                SandboxError(failure, "upload", area: root.area, path: upload.request.path.text), upload.request.key)
        }
        unsafe bytes.withUnsafeBytes { unsafe held.upload.hash($0) }
    }

    private func publish(
        _ held: inout Held, _ file: Descriptor, _ permissions: FilePermissions?, _ owner: FileOwner?
    ) throws(SandboxError) {
        let request = held.upload.request
        let (directory, name) = try root.place(of: request.path, "upload")
        let old = try root.replaceable(name, in: directory, request.path, "upload")
        do throws(Errno) {
            do throws(Errno) {
                try repeated { () throws(Errno) in try root.calls.flush(file.descriptor) }
            } catch {
                // A flush that has failed must not be made again: the kernel has forgotten what it could not write.
                held.isOver = true
                throw error
            }
            if let owner = owner ?? old?.owner {
                try repeated { () throws(Errno) in try root.calls.setOwner(owner, of: file.descriptor) }
            }
            let mode =
                permissions ?? old.map { FilePermissions(rawValue: CModeT($0.permissions)) }
                ?? FileWriter.newPermissions
            try repeated { () throws(Errno) in try root.calls.setPermissions(mode, of: file.descriptor) }
        } catch {
            if held.isOver { try? remove(held.upload) }
            throw SandboxError(error, "upload", area: root.area, path: request.path.text)
        }
        // Before the rename, after which the answer may be lost: who asks for the commit again finds the file there.
        try log?.note(CommittedUpload(request, area: root.area, at: clock()))
        try putInPlace(&held, directory, name)
        do throws(Errno) {
            try repeated { () throws(Errno) in try root.calls.flushDirectory(directory.descriptor) }
        } catch {
            throw SandboxError(
                error, "upload", area: root.area, path: request.path.text,
                detail: "the new file is in place, but may not outlast a power cut; check the storage device")
        }
        noteCommitted(request.key)
    }

    private func putInPlace(
        _ held: inout Held, _ directory: Descriptor, _ name: FileName
    ) throws(SandboxError) {
        let request = held.upload.request
        held.isOver = try root.account.change(in: directory) { ledger throws(SandboxError) in
            let replaced = try root.replaceable(name, in: directory, request.path, "upload")
            do throws(Errno) {
                try repeated { () throws(Errno) in
                    try root.calls.rename(request.files.partial, to: request.name, in: directory.descriptor)
                }
            } catch {
                ledger.isStale = true
                throw SandboxError(error, "upload", area: root.area, path: request.path.text)
            }
            if let replaced { ledger.remove(AreaUsage(bytes: replaced.size, files: 1)) }
            // A record without its partial file is swept at the next start, should it stay.
            do throws(Errno) {
                try repeated { () throws(Errno) in
                    try root.calls.remove(request.files.record, in: directory.descriptor)
                }
                ledger.remove(AreaUsage(bytes: Int64(UploadRecord.bytesCount), files: 1))
            } catch {
                ledger.isStale = true
            }
            return true
        }
    }
}
