internal import CleatIO
internal import SystemPackage

extension UploadShelf {
    /// Reads the whole content of a complete upload; the upload is kept, so that it can be read again.
    ///
    /// - Parameter key: The owner and id of the upload; the caller has checked that it fits in memory.
    /// - Returns: The bytes, which match the declared hash.
    /// - Throws: `incomplete` with the offset of the next write; `hashMismatch`, after which the upload is removed;
    ///   `unknown`, `busy`, `lost`; `files` if the partial file could not be read.
    package func content(of key: UploadKey) throws(UploadError) -> [UInt8] {
        try using(key) { held throws(UploadError) in
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
            try check(digest.finalize(), of: &held)
            return bytes
        }
    }
}
