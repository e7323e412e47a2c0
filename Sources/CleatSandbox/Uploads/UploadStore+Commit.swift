internal import CleatHash
internal import CleatIO
package import SystemPackage

extension UploadStore {
    /// Makes the next step of a commit: hashes bytes that are not hashed yet, and puts the file in place if the hash
    /// matches.
    ///
    /// Bytes that arrived in this run of the service are hashed already; those of an earlier run are read again, at
    /// most 1 MiB a call. The last step flushes the partial file, renames it, and flushes the directory: when it has
    /// returned, the file survives a power cut. A commit that is repeated after its end succeeds again.
    ///
    /// - Parameters:
    ///   - key: The owner and id of the upload.
    ///   - permissions: The permissions of the file; nil for those of the replaced file, or 0640.
    ///   - owner: The owner of the file; nil for that of the replaced file, or the service's user.
    ///   - size: The size of the file, if it was not declared at the start.
    ///   - sha256: The SHA-256 of the file as 64 hexadecimal digits, if it was not declared at the start.
    /// - Returns: The progress of the commit.
    /// - Throws: `incomplete` with the offset of the next write; `hashMismatch`, after which the upload is removed;
    ///   `badSize` and `badHash` if they were not declared, `otherParameters` if others were; `unknown`, `busy`, `lost`;
    ///   `files` if the file could not be put in place: the old file is unchanged then, and
    ///   the upload still exists, except after a failure of the device.
    package func commit(
        _ key: UploadKey, permissions: FilePermissions? = nil, owner: FileOwner? = nil, size: Int64? = nil,
        sha256: String? = nil
    ) throws(UploadError) -> UploadProgress {
        if table.wasCommitted(key) { return .complete }
        return try table.using(key) { held throws(UploadError) in
            let upload = held.upload
            let request = try declared(size, sha256, for: upload.request)
            guard upload.written == request.size else {
                throw UploadError(.incomplete, key, expected: upload.written)
            }
            let file = try openPartial(&held)
            if upload.hashed < upload.written {
                try hash(&held, file)
                return .hashing(done: held.upload.hashed, of: upload.written)
            }
            try check(upload.sha256, of: &held, request)
            do throws(SandboxError) {
                try publish(&held, file, permissions, owner)
            } catch {
                throw UploadError(error, key)
            }
            return .complete
        }
    }

    /// Returns the request with the size and the SHA-256 that come with a commit; the upload itself keeps none, so that each
    /// of its writes is checked against the quota.
    private func declared(
        _ size: Int64?, _ sha256: String?, for request: UploadRequest
    ) throws(UploadError) -> UploadRequest {
        if size == nil, sha256 == nil, request.size != nil { return request }
        guard size != nil else { throw UploadError(.badSize, request.key) }
        let declared = try UploadRequest(key: request.key, path: request.path, size: size, sha256: sha256)
        guard request.size == nil || request == declared else { throw UploadError(.otherParameters, request.key) }
        return declared
    }

    /// Reads the whole content of a complete upload; the upload is kept, so that it can be read again.
    ///
    /// - Parameter key: The owner and id of the upload; the caller has checked that it fits in memory.
    /// - Returns: The bytes, which match the declared hash.
    /// - Throws: `incomplete` with the offset of the next write; `hashMismatch`, after which the upload is removed;
    ///   `unknown`, `busy`, `lost`; `files` if the partial file could not be read.
    package func content(of key: UploadKey) throws(UploadError) -> [UInt8] {
        try table.using(key) { held throws(UploadError) in
            let upload = held.upload
            guard upload.written == upload.request.size else {
                throw UploadError(.incomplete, key, expected: upload.written)
            }
            let file = try openPartial(&held)
            var failure: Errno?
            let wanted = Int(clamping: upload.written)
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                do throws(Errno) {
                    while count < wanted {
                        let rest = unsafe UnsafeMutableRawBufferPointer(
                            rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                        let offset = Int64(count)
                        let done = try repeated { () throws(Errno) in
                            try unsafe root.calls.read(into: rest, from: file.descriptor, at: offset)
                        }
                        if done == 0 { break }
                        count += done
                    }
                } catch {
                    failure = error
                }
            }
            if let failure {
                throw UploadError(
                    SandboxError(failure, "upload", area: root.area, path: upload.request.path.text), key)
            }
            var digest = SHA256()
            digest.update(bytes)
            try check(digest.finalize(), of: &held, upload.request)
            return bytes
        }
    }

    /// Removes an upload whose bytes do not match the declared hash.
    private func check(
        _ sha256: [UInt8], of held: inout UploadTable.Held, _ request: UploadRequest
    ) throws(UploadError) {
        guard sha256 != request.sha256 else { return }
        held.isOver = true
        try? remove(held.upload)
        throw UploadError(request.key, announced: request.sha256 ?? [], arrived: sha256)
    }

    private func hash(_ held: inout UploadTable.Held, _ file: Descriptor) throws(UploadError) {
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
        // The partial file had enough bytes when it was opened.
        if bytes.isEmpty, failure == nil { failure = .ioError }
        if let failure {
            throw UploadError(
                SandboxError(failure, "upload", area: root.area, path: upload.request.path.text), upload.request.key)
        }
        unsafe bytes.withUnsafeBytes { unsafe held.upload.hash($0) }
    }

    private func publish(
        _ held: inout UploadTable.Held, _ file: Descriptor, _ permissions: FilePermissions?, _ owner: FileOwner?
    ) throws(SandboxError) {
        let request = held.upload.request
        let (directory, name) = try root.place(of: request.path, "upload")
        let old = try root.replaceable(name, in: directory, request.path, "upload")
        do throws(Errno) {
            do throws(Errno) {
                try repeated { () throws(Errno) in try root.calls.flush(file.descriptor) }
            } catch {
                // A failed flush must not be repeated: the kernel no longer knows which data it could not write.
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
        // Before the rename, after which the response may be lost: a client that repeats the commit learns that the
        // file is there.
        try log?.append(
            CommittedUpload(
                request, size: held.upload.written, sha256: held.upload.sha256, area: root.area, at: clock()))
        try putInPlace(&held, directory, name)
        do throws(Errno) {
            try repeated { () throws(Errno) in try root.calls.flushDirectory(directory.descriptor) }
        } catch {
            throw SandboxError(
                error, "upload", area: root.area, path: request.path.text,
                detail: "the new file is in place, but may not outlast a power cut; check the storage device")
        }
        table.recordCommit(request.key)
    }

    private func putInPlace(
        _ held: inout UploadTable.Held, _ directory: Descriptor, _ name: FileName
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
            // A record that stays without its partial file is removed at the next start.
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
