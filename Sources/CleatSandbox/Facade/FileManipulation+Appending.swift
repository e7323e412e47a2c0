internal import CleatHash
internal import CleatIO
internal import SystemPackage

extension SandboxedDirectory {
    /// Appends bytes to a file, or makes the file.
    ///
    /// The existing content is never changed, and either all bytes are appended or none: an append that a power cut or
    /// the end of the process interrupted is reverted when the area is opened again, before the file is read. For that
    /// purpose an empty file with a reserved name exists next to the file during the append; it costs a flush of the
    /// directory. A process that reads the file during the append may see a part of the bytes.
    ///
    /// With an offset, the file must end there; 0 is that of a missing file, too.
    ///
    /// - Throws: `changed` if it ends elsewhere; the reason why nothing was appended.
    package func append(_ bytes: [UInt8], to path: SandboxPath, at offset: Int64? = nil) throws(SandboxError) {
        do throws(SandboxError) {
            try appendToExisting(bytes, path, at: offset)
        } catch {
            guard error.code == .notFound, (offset ?? 0) == 0 else { throw error }
            let writer = try FileWriter(
                root: root, path: path, permissions: nil, owner: nil, reservation: nil, replacing: false)
            try writer.write(bytes)
            try writer.commit()
        }
    }

    private func appendToExisting(
        _ bytes: [UInt8], _ path: SandboxPath, at offset: Int64?
    ) throws(SandboxError) {
        let (directory, name) = try root.place(of: path, "append to")
        let (file, opened) = try root.openFile(path, for: .append, "append to")
        let space = AreaUsage(bytes: Int64(bytes.count), files: 0)
        try root.account.change(in: directory) { ledger throws(SandboxError) in
            if let rest = ledger.unfinished {
                throw SandboxError(
                    rest.cause, "append to", area: area, path: path.text,
                    detail: "the incomplete last bytes that were added to a file could not be removed"
                        + " (\(rest.cause)); check the storage device and the kernel's log")
            }
            // The record must be in the file's directory: the file may have been replaced since it was opened.
            guard try root.existing(name, in: directory, path, "append to").identity == opened.identity else {
                throw SandboxError(.changed, "append to", area: area, path: path.text)
            }
            let size = try root.attributes(of: file, path, "append to").size
            guard (offset ?? size) == size else {
                throw SandboxError(
                    .changed, "append to", area: area, path: path.text,
                    detail: "it has \(size) bytes, and \(offset ?? 0) were expected; append at its present end")
            }
            try ledger.makeSpace(for: space, path: path)
            guard !bytes.isEmpty else { return }
            let log = AppendLog(directory: directory.descriptor, calls: root.calls)
            var record: AppendRecord?
            do throws(Errno) {
                var added = SHA256()
                added.update(bytes)
                let started = AppendRecord(
                    inode: opened.identity.inode, size: size, count: space.bytes,
                    context: try log.context(of: file.descriptor, name, before: size),
                    added: AppendRecord.number(of: added))
                try ledger.begin(started, log, in: directory)
                record = started
                try root.calls.writeAll(bytes, to: file.descriptor)
                try repeated { () throws(Errno) in try root.calls.flush(file.descriptor) }
                // All bytes are appended and durable. A record that cannot be removed now is removed later.
                ledger.finish(started, in: directory) { () throws(Errno) in try log.remove(started) }
                ledger.add(space)
            } catch {
                ledger.isStale = true
                var detail: String?
                if let record {
                    ledger.finish(record, in: directory) { () throws(Errno) in
                        try log.takeBack(record, of: file.descriptor)
                        try log.remove(record)
                    }
                    if let rest = ledger.unfinished {
                        detail =
                            "a part may have been added (\(error)), and could not be removed again (\(rest.cause));"
                            + " that is tried again with the next change of the area, and at the next startup"
                    }
                }
                throw SandboxError(error, "append to", area: area, path: path.text, detail: detail)
            }
        }
    }
}
