package import SystemPackage

/// Writes whole files so that after a power cut at any instant either the old content is there or the new one.
///
/// The sequence is: an exclusive temporary file in the same directory, write, `fdatasync`, `fchown` and `fchmod`,
/// `renameat`, `fsync` of the directory. Nothing of it is left out or retried in a weaker form: a step that fails is an
/// error, and the temporary file is taken away.
package enum DurableFile {
    /// Begins the name of every temporary file; names that begin so are reserved.
    package static let temporaryPrefix = ".cleat-write-"

    /// Puts `bytes` in the place of a file's content, or makes the file.
    ///
    /// - Parameters:
    ///   - bytes: the whole content.
    ///   - name: the file's name in `directory`; no slash, and not a reserved name.
    ///   - directory: an open directory.
    ///   - permissions: those of the new file.
    ///   - owner: whom the file shall belong to; nil for the one who writes.
    /// - Throws: the step that failed.
    package static func write(
        _ bytes: [UInt8], to name: String, in directory: FileDescriptor,
        permissions: FilePermissions = .ownerReadWrite, owner: FileOwner? = nil
    ) throws(DurableFileError) {
        try write(
            bytes, to: name, in: directory, permissions: permissions, owner: owner, calls: SystemFileCalls())
    }

    /// Does the same with system calls that a test can make fail.
    package static func write(
        _ bytes: [UInt8], to name: String, in directory: FileDescriptor,
        permissions: FilePermissions = .ownerReadWrite, owner: FileOwner? = nil, calls: some DurableFileCalls
    ) throws(DurableFileError) {
        guard isPlain(name) else { throw DurableFileError(stage: .name, name: name, cause: .invalidArgument) }
        let (temporary, file) = try create(for: name, in: directory, calls: calls)
        var isOpen = true
        do throws(DurableFileError) {
            try writeAll(bytes, to: file, name: name, calls: calls)
            try step(.flush, name) { () throws(Errno) in try calls.flush(file) }
            if let owner {
                try step(.owner, name) { () throws(Errno) in try calls.setOwner(owner, of: file) }
            }
            try step(.permissions, name) { () throws(Errno) in try calls.setPermissions(permissions, of: file) }
            isOpen = false
            // Linux closes the descriptor even when the call is interrupted: it must not be repeated.
            do throws(Errno) {
                try calls.close(file)
            } catch {
                if error != .interrupted { throw DurableFileError(stage: .flush, name: name, cause: error) }
            }
            try step(.rename, name) { () throws(Errno) in try calls.rename(temporary, to: name, in: directory) }
        } catch {
            if isOpen { try? calls.close(file) }
            try? calls.remove(temporary, in: directory)
            throw error
        }
        try step(.flushDirectory, name) { () throws(Errno) in try calls.flushDirectory(directory) }
    }

    /// Takes away the temporary files that a cut-off write has left; to be called before anything writes there.
    ///
    /// - Returns: how many there were.
    /// - Throws: why the directory could not be listed.
    @discardableResult
    package static func sweep(in directory: FileDescriptor) throws(DurableFileError) -> Int {
        let calls = SystemFileCalls()
        var count = 0
        do throws(Errno) {
            for name in try SystemFileCalls.names(in: directory) where name.utf8.starts(with: temporaryPrefix.utf8) {
                if (try? calls.remove(name, in: directory)) != nil { count += 1 }
            }
        } catch {
            throw DurableFileError(stage: .sweep, name: ".", cause: error)
        }
        return count
    }

    private static func isPlain(_ name: String) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && bytes.count <= 255 && name != "." && name != ".."
            && !bytes.contains(UInt8(ascii: "/")) && !bytes.contains(0) && !bytes.starts(with: temporaryPrefix.utf8)
    }

    private static func create(
        for name: String, in directory: FileDescriptor, calls: some DurableFileCalls
    ) throws(DurableFileError) -> (String, FileDescriptor) {
        var last = Errno.fileExists
        for _ in 0..<16 {
            let temporary = temporaryPrefix + String(SystemFileCalls.random(), radix: 16)
            do throws(Errno) {
                return (temporary, try calls.create(temporary, in: directory))
            } catch {
                last = error
                if error != .fileExists && error != .interrupted { break }
            }
        }
        throw DurableFileError(stage: .create, name: name, cause: last)
    }

    private static func writeAll(
        _ bytes: [UInt8], to file: FileDescriptor, name: String, calls: some DurableFileCalls
    ) throws(DurableFileError) {
        var done = 0
        while done < bytes.count {
            let start = done
            let written = try step(.write, name) { () throws(Errno) -> Int in
                let result = unsafe bytes.withUnsafeBytes { all in
                    Result { () throws(Errno) in
                        try unsafe calls.write(UnsafeRawBufferPointer(rebasing: all[start...]), to: file)
                    }
                }
                return try result.get()
            }
            // A device that takes nothing and reports no error would otherwise be asked for ever.
            guard written > 0 else { throw DurableFileError(stage: .write, name: name, cause: .ioError) }
            done += written
        }
    }

    private static func step<Value>(
        _ stage: DurableFileError.Stage, _ name: String, _ call: () throws(Errno) -> Value
    ) throws(DurableFileError) -> Value {
        while true {
            do throws(Errno) {
                return try call()
            } catch {
                if error != .interrupted { throw DurableFileError(stage: stage, name: name, cause: error) }
            }
        }
    }
}
