internal import CleatIO
internal import SystemPackage

extension UploadStore {
    /// Starts an upload, or continues one that was started with the same parameters.
    ///
    /// - Returns: The offset of the first write, which is the number of bytes that have arrived already.
    /// - Throws: `otherParameters`, `tooMany`, `busy`; `files` if there is not enough space or no directory.
    package func begin(_ request: UploadRequest) throws(UploadError) -> Int64 {
        if try reserveOrExpire(request.key) != nil { return try resume(request) }
        var upload: Upload?
        defer { table.finish(request.key, upload) }
        do throws(SandboxError) {
            upload = try leftBehind(request)
            if let upload { return upload.written }
            upload = try create(request)
            return 0
        } catch {
            throw UploadError(error, request.key)
        }
    }

    private func reserveOrExpire(_ key: UploadKey) throws(UploadError) -> Upload? {
        do throws(UploadError) {
            return try table.reserve(key)
        } catch {
            // Expired uploads that have not been removed yet do not count.
            guard error.code == .tooMany, try expire() > 0 else { throw error }
            return try table.reserve(key)
        }
    }

    private func resume(_ request: UploadRequest) throws(UploadError) -> Int64 {
        let written = try table.using(request.key) { held throws(UploadError) -> Int64? in
            guard held.upload.request == request else { throw UploadError(.otherParameters, request.key) }
            do throws(UploadError) {
                _ = try openPartial(&held)
                held.upload.touch(at: clock())
                return held.upload.written
            } catch {
                // A lost upload can be started again at once.
                if error.code != .lost { throw error }
                return nil
            }
        }
        if let written { return written }
        return try begin(request)
    }

    /// Finds an upload of the same key in the directory, which may have come there when a directory was renamed.
    private func leftBehind(_ request: UploadRequest) throws(SandboxError) -> Upload? {
        // A missing directory is the client's error, and is reported before the search.
        _ = try root.openDirectory(request.path.parent, "upload into")
        let search = UploadSearch(root: root, now: clock())
        if let upload = try search.adopt(request.key, in: request.path.parent), upload.request == request {
            return upload
        }
        try search.clean(request.key, in: request.path.parent)
        return nil
    }

    private func create(_ request: UploadRequest) throws(SandboxError) -> Upload {
        let (directory, name) = try root.place(of: request.path, "upload")
        _ = try root.replaceable(name, in: directory, request.path, "upload")
        let space = try root.space()
        let size = request.size ?? 0
        guard space.available >= size else {
            throw SandboxError(
                .noSpace, "upload", area: root.area, path: request.path.text,
                detail: "it needs \(size) bytes, \(space.available) are free on the file system; delete files")
        }
        let stamp = clock()
        let record = UploadRecord(request, touched: stamp)
        let own = AreaUsage(bytes: Int64(UploadRecord.bytesCount), files: 2)
        let (bytes, overflow) = size.addingReportingOverflow(own.bytes)
        let reservation = try root.account.reserve(bytes: overflow ? .max : bytes, files: own.files)
        return try root.account.change(in: directory) { ledger throws(SandboxError) in
            do throws(SandboxError) {
                let partial = try makePartial(request, in: directory)
                // The durable write of the record flushes the directory, and with it the name of the partial file.
                try write(record, request, in: directory)
                _ = reservation.take(own, from: &ledger)
                ledger.add(own)
                return Upload(request, partial: partial, reservation: reservation, touched: stamp)
            } catch {
                try? root.calls.remove(request.files.partial, in: directory.descriptor)
                try? root.calls.remove(request.files.record, in: directory.descriptor)
                ledger.isStale = true
                throw error
            }
        }
    }

    private func makePartial(
        _ request: UploadRequest, in directory: Descriptor
    ) throws(SandboxError) -> FileIdentity {
        do throws(Errno) {
            let file = try repeated { () throws(Errno) in
                try root.calls.create(request.files.partial, in: directory.descriptor)
            }
            let owned = Descriptor(owning: file)
            return try root.calls.attributes(of: owned.descriptor).identity
        } catch {
            throw SandboxError(error, "upload", area: root.area, path: request.path.text)
        }
    }

    func write(
        _ record: UploadRecord, _ request: UploadRequest, in directory: Descriptor
    ) throws(SandboxError) {
        do throws(DurableFileError) {
            try DurableFile.write(
                record.encoded, to: request.files.record, in: directory.descriptor, calls: root.calls)
        } catch {
            throw SandboxError(error, "upload", area: root.area, path: request.path)
        }
    }
}
