internal import CleatHash
internal import CleatIO
internal import SystemPackage

/// Writes records of appends to the files of a directory, and reverts appends that were interrupted.
struct AppendLog: Sendable {
    let directory: FileDescriptor
    let calls: any SandboxCalls

    /// Writes a record, durably, before bytes are appended to a file.
    ///
    /// - Throws: The reason why the record could not be written; nothing may be appended then.
    func begin(_ record: AppendRecord) throws(Errno) {
        do throws(Errno) {
            try make(record)
        } catch {
            // An existing record of this name is left from an attempt with the same bytes at the same offset.
            guard error == .fileExists else { throw error }
            try remove(record)
            try make(record)
        }
        try repeated { () throws(Errno) in try calls.flushDirectory(directory) }
    }

    /// Removes a record, if it exists.
    func remove(_ record: AppendRecord) throws(Errno) {
        do throws(Errno) {
            try repeated { () throws(Errno) in try calls.remove(record.name, in: directory) }
        } catch {
            if error != .noSuchFileOrDirectory { throw error }
        }
    }

    /// Reverts an incomplete append, durably; if other processes have appended more, the file is not changed.
    func takeBack(_ record: AppendRecord, of file: FileDescriptor) throws(Errno) {
        let size = try calls.attributes(of: file).size
        guard size > record.size, size <= record.end else { return }
        try repeated { () throws(Errno) in try calls.truncate(file, to: record.size) }
        try repeated { () throws(Errno) in try calls.flush(file) }
    }

    /// Finishes the append of a record: a complete append is kept, an incomplete one is reverted.
    ///
    /// A file that was changed meanwhile, or that has more than one name, is not changed.
    func revert(_ record: AppendRecord) throws(Errno) {
        if let name = try name(of: record.inode) { try revert(record, name) }
        try remove(record)
    }

    /// Returns the digest of a file's name and of the bytes before an offset in it.
    func context(of file: FileDescriptor, _ name: FileName, before size: Int64) throws(Errno) -> UInt64 {
        var digest = SHA256()
        digest.update(name.terminated)
        let start = max(0, size - AppendRecord.contextLimit)
        try take(from: file, at: start, count: size - start, into: &digest)
        return AppendRecord.number(of: digest)
    }

    private func revert(_ record: AppendRecord, _ name: FileName) throws(Errno) {
        guard let file = try open(name, record) else { return }
        let size = try calls.attributes(of: file.descriptor).size
        guard size > record.size, size <= record.end,
            try context(of: file.descriptor, name, before: record.size) == record.context
        else { return }
        if size == record.end {
            var digest = SHA256()
            try take(from: file.descriptor, at: record.size, count: record.count, into: &digest)
            if AppendRecord.number(of: digest) == record.added { return }
        }
        try takeBack(record, of: file.descriptor)
    }

    /// Opens the file of a record after checking it; returns nil if it is another file by now.
    private func open(_ name: FileName, _ record: AppendRecord) throws(Errno) -> Descriptor? {
        func isThat(_ file: Descriptor) throws(Errno) -> Bool {
            let attributes = try calls.attributes(of: file.descriptor)
            return attributes.type == .regular && attributes.links <= 1 && attributes.identity.inode == record.inode
        }
        func open(for purpose: OpenPurpose) throws(Errno) -> Descriptor {
            Descriptor(
                owning: try repeated { () throws(Errno) in try calls.open(name, in: directory, for: purpose) })
        }
        let seen = try open(for: .inspect)
        guard try isThat(seen) else { return nil }
        do throws(Errno) {
            return Descriptor(
                owning: try repeated { () throws(Errno) in try calls.reopen(seen.descriptor, for: .append) })
        } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else { throw error }
        }
        // /proc is not mounted.
        let file = try open(for: .append)
        return try isThat(file) ? file : nil
    }

    /// Finds the name of the regular file with an inode number.
    private func name(of inode: UInt64) throws(Errno) -> FileName? {
        var found = Result<FileName?, Errno>.success(nil)
        try calls.names(in: directory) { name in
            if name.isReserved { return true }
            do throws(Errno) {
                let attributes = try calls.attributes(of: name, in: directory)
                guard attributes.type == .regular, attributes.identity.inode == inode else { return true }
                found = .success(name)
            } catch {
                // An entry that has disappeared is not the file; one that cannot be read may be.
                if error == .noSuchFileOrDirectory { return true }
                found = .failure(error)
            }
            return false
        }
        return try found.get()
    }

    private func make(_ record: AppendRecord) throws(Errno) {
        let made = try repeated { () throws(Errno) in try calls.create(record.name, in: directory) }
        // The file is empty, so closing it cannot fail to write anything.
        try? calls.close(made)
    }

    private func take(
        from file: FileDescriptor, at offset: Int64, count: Int64, into digest: inout SHA256
    ) throws(Errno) {
        var buffer = [UInt8](repeating: 0, count: Int(min(count, 1 << 16)))
        var done: Int64 = 0
        while done < count {
            let wanted = Int(min(count - done, Int64(buffer.count)))
            let read = try repeated { () throws(Errno) -> Int in
                let result = unsafe buffer.withUnsafeMutableBytes { bytes in
                    Result { () throws(Errno) in
                        try unsafe calls.read(
                            into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(wanted)), from: file,
                            at: offset + done)
                    }
                }
                return try result.get()
            }
            if read == 0 { return }
            digest.update(buffer.prefix(read))
            done += Int64(read)
        }
    }
}
