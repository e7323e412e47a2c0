internal import CleatIO
internal import SystemPackage

/// Writes records of what is being added to the files of a directory, and takes back what was cut off.
struct AppendLog: Sendable {
    let directory: FileDescriptor
    let calls: any SandboxCalls

    /// Writes down, durably, what is about to be added to a file.
    ///
    /// - Throws: why it could not be written down; nothing may be added then.
    func begin(_ record: AppendRecord) throws(Errno) {
        do throws(Errno) {
            try make(record)
        } catch {
            // One that is there was left of the same bytes at the same place.
            guard error == .fileExists else { throw error }
            try remove(record)
            try make(record)
        }
        try repeated { () throws(Errno) in try calls.flushDirectory(directory) }
    }

    /// Takes a record away, where there is one.
    func remove(_ record: AppendRecord) throws(Errno) {
        do throws(Errno) {
            try repeated { () throws(Errno) in try calls.remove(record.name, in: directory) }
        } catch {
            if error != .noSuchFileOrDirectory { throw error }
        }
    }

    /// Takes back what was not added whole, durably; where others have added more, theirs is left.
    func takeBack(_ record: AppendRecord, of file: FileDescriptor) throws(Errno) {
        let size = try calls.attributes(of: file).size
        guard size > record.size, size <= record.end else { return }
        try repeated { () throws(Errno) in try calls.truncate(file, to: record.size) }
        try repeated { () throws(Errno) in try calls.flush(file) }
    }

    /// Brings to an end what a record tells of: what was added whole stays, a part of it is taken back.
    ///
    /// A file that somebody else has changed meanwhile, or that has another name beside its own, is left as it is.
    func settle(_ record: AppendRecord) throws(Errno) {
        if let name = try name(of: record.inode) { try settle(record, name) }
        try remove(record)
    }

    /// The digest of a file's name, and of what stands before a place in it.
    func context(of file: FileDescriptor, _ name: FileName, before size: Int64) throws(Errno) -> UInt64 {
        var digest = SHA256()
        digest.update(name.terminated)
        let start = max(0, size - AppendRecord.contextLimit)
        try take(from: file, at: start, count: size - start, into: &digest)
        return AppendRecord.number(of: digest)
    }

    private func settle(_ record: AppendRecord, _ name: FileName) throws(Errno) {
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

    /// Opens the file of a record, after a look at it: nil where it is another one by now.
    private func open(_ name: FileName, _ record: AppendRecord) throws(Errno) -> Descriptor? {
        func isThat(_ file: Descriptor) throws(Errno) -> Bool {
            let attributes = try calls.attributes(of: file.descriptor)
            return attributes.type == .regular && attributes.links <= 1 && attributes.identity.inode == record.inode
        }
        func open(for purpose: OpenPurpose) throws(Errno) -> Descriptor {
            Descriptor(
                owning: try repeated { () throws(Errno) in try calls.open(name, in: directory, for: purpose) })
        }
        let seen = try open(for: .look)
        guard try isThat(seen) else { return nil }
        do throws(Errno) {
            return Descriptor(
                owning: try repeated { () throws(Errno) in try calls.reopen(seen.descriptor, for: .append) })
        } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else { throw error }
        }
        // There is no /proc.
        let file = try open(for: .append)
        return try isThat(file) ? file : nil
    }

    /// Finds the regular file of a number.
    private func name(of inode: UInt64) throws(Errno) -> FileName? {
        var found = Result<FileName?, Errno>.success(nil)
        try calls.names(in: directory) { name in
            if name.isReserved { return true }
            do throws(Errno) {
                let attributes = try calls.attributes(of: name, in: directory)
                guard attributes.type == .regular, attributes.identity.inode == inode else { return true }
                found = .success(name)
            } catch {
                // One that has gone is not it; one that cannot be looked at may be.
                if error == .noSuchFileOrDirectory { return true }
                found = .failure(error)
            }
            return false
        }
        return try found.get()
    }

    private func make(_ record: AppendRecord) throws(Errno) {
        let made = try repeated { () throws(Errno) in try calls.create(record.name, in: directory) }
        // It is empty: there is nothing that closing it could fail to write.
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
