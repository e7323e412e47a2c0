internal import CleatIO
internal import SystemPackage

extension UploadStore {
    /// The most bytes in memory that are not written to the device before a write waits for them.
    ///
    /// Without a limit, the flush at the end of a large upload would block all other work for as long as the device
    /// needs to write all of it.
    private static let unflushedLimit: Int64 = 1 << 20

    /// Writes the next bytes of an upload.
    ///
    /// - Parameters:
    ///   - key: The owner and id of the upload.
    ///   - offset: The offset of the bytes: right after those that have arrived.
    ///   - bytes: The bytes, at most 512 KiB.
    /// - Returns: The offset of the next write.
    /// - Throws: `offset` with the expected one, for bytes that have arrived already and for a gap; `beyondEnd`,
    ///   `pieceTooLarge`, `unknown`, `busy`, `lost`; `files` if they could not be written. Earlier bytes are kept then,
    ///   except after a failure of the device.
    package func write(_ key: UploadKey, at offset: Int64, _ bytes: [UInt8]) throws(UploadError) -> Int64 {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(UploadError) in try unsafe write(key, at: offset, bytes) }
        }
        return try result.get()
    }

    /// Writes the next bytes of an upload from memory that the caller owns.
    package func write(
        _ key: UploadKey, at offset: Int64, _ bytes: UnsafeRawBufferPointer
    ) throws(UploadError) -> Int64 {
        guard bytes.count <= Self.pieceLimit else { throw UploadError(.pieceTooLarge, key) }
        return try table.using(key) { held throws(UploadError) in
            let written = held.upload.written
            guard offset == written else { throw UploadError(.offset, key, expected: written) }
            guard Int64(bytes.count) <= (held.upload.request.size ?? .max) - written else {
                throw UploadError(.beyondEnd, key)
            }
            guard unsafe !bytes.isEmpty else { return written }
            let file = try openPartial(&held)
            do throws(SandboxError) {
                try unsafe append(bytes, to: file, of: held.upload)
            } catch {
                throw UploadError(error, key)
            }
            unsafe held.upload.append(bytes, at: clock())
            try writeBack(&held, file)
            if held.upload.needsRecord { try renewRecord(&held) }
            return held.upload.written
        }
    }

    /// Opens the partial file of an upload for reading and appending.
    ///
    /// - Throws: `lost` if the file is missing, is another one, or has another size than was written: the upload is
    ///   removed then.
    func openPartial(_ held: inout UploadTable.Held) throws(UploadError) -> Descriptor {
        let upload = held.upload
        do throws(SandboxError) {
            let (file, attributes) = try root.openFile(upload.partialPath, for: .append, "upload")
            if attributes.identity == upload.partial, attributes.size == upload.written { return file }
        } catch {
            switch error.code {
            case .notFound, .notDirectory, .isDirectory, .symbolicLink, .mountPoint, .specialFile, .hardLink, .changed:
                break
            default: throw UploadError(error, upload.request.key)
            }
        }
        held.isOver = true
        // Files that still exist are counted as ordinary files; they may no longer belong to the upload.
        try? remove(upload)
        root.account.recordForeignChange()
        throw UploadError(.lost, upload.request.key)
    }

    private func append(
        _ bytes: UnsafeRawBufferPointer, to file: Descriptor, of upload: Upload
    ) throws(SandboxError) {
        try root.account.change { ledger throws(SandboxError) in
            let size = AreaUsage(bytes: Int64(bytes.count), files: 0)
            if upload.request.size == nil { try ledger.makeSpace(for: size, path: upload.request.path) }
            do throws(Errno) {
                var done = 0
                while done < bytes.count {
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                    let count = try repeated { () throws(Errno) in
                        try unsafe root.calls.write(rest, to: file.descriptor)
                    }
                    // A device that writes nothing and reports no error would otherwise cause an endless loop.
                    guard count > 0 else { throw Errno.ioError }
                    done += count
                }
                _ = upload.reservation.take(size, from: &ledger)
                ledger.add(size)
            } catch {
                // The client continues at the previous offset, so the written part of this piece is removed.
                try? root.calls.truncate(file.descriptor, to: upload.written)
                ledger.isStale = true
                throw SandboxError(error, "upload", area: root.area, path: upload.request.path.text)
            }
        }
    }

    /// Starts to write the new bytes to the device, and waits for the bytes of earlier writes.
    private func writeBack(_ held: inout UploadTable.Held, _ file: Descriptor) throws(UploadError) {
        let upload = held.upload
        let due = max(upload.flushed, upload.written - Self.unflushedLimit)
        do throws(Errno) {
            try repeated { () throws(Errno) in
                try root.calls.writeBack(
                    file.descriptor, from: upload.flushed, to: upload.written, waitingUntil: due)
            }
            held.upload.recordFlush(upTo: due)
        } catch {
            // The kernel reports a write error once and forgets it: the bytes cannot be relied on any more.
            held.isOver = true
            try? remove(upload)
            throw UploadError(
                SandboxError(error, "upload", area: root.area, path: upload.request.path.text), upload.request.key)
        }
    }

    private func renewRecord(_ held: inout UploadTable.Held) throws(UploadError) {
        let request = held.upload.request
        do throws(SandboxError) {
            let directory = try root.openDirectory(request.path.parent, "upload")
            let record = UploadRecord(request, touched: held.upload.touched)
            // The record keeps its length, so the numbers do not change; the directory's new time is recorded as our
            // own change.
            try root.account.change(in: directory) { _ throws(SandboxError) in
                try write(record, request, in: directory)
            }
            held.upload.recordWasWritten()
        } catch {
            throw UploadError(error, request.key)
        }
    }

    /// Removes the two files of an upload.
    ///
    /// - Throws: The reason why they could not be removed.
    func remove(_ upload: Upload) throws(SandboxError) {
        let files = upload.request.files
        let directory = try root.openDirectory(upload.request.path.parent, "remove an upload of")
        do throws(Errno) {
            try root.removeUpload(files, in: directory, bytes: upload.written)
        } catch {
            throw SandboxError(
                error, "remove an upload of", area: root.area, path: upload.request.path.text)
        }
    }
}

extension AreaRoot {
    /// Removes those of an upload's two files that exist, and flushes the directory.
    func removeUpload(_ files: UploadFiles, in directory: Descriptor, bytes: Int64) throws(Errno) {
        var failure: Errno?
        account.update(in: directory) { ledger in
            for (name, bytes) in [(files.partial, bytes), (files.record, Int64(UploadRecord.bytesCount))] {
                do throws(Errno) {
                    try repeated { () throws(Errno) in try calls.remove(name, in: directory.descriptor) }
                    ledger.remove(AreaUsage(bytes: bytes, files: 1))
                } catch {
                    ledger.isStale = true
                    if error != .noSuchFileOrDirectory { failure = error }
                }
            }
        }
        if let failure { throw failure }
        try repeated { () throws(Errno) in try calls.flushDirectory(directory.descriptor) }
    }
}
