internal import CleatIO
import CleatOrder
internal import SystemPackage

/// Finds the uploads in an area, and removes those that cannot be continued.
struct UploadSearch {
    let root: AreaRoot
    let now: UploadStamp

    /// Searches the whole area.
    ///
    /// - Throws: The reason why a directory could not be searched.
    func run() throws(SandboxError) -> (uploads: [Upload], cleaned: Int) {
        var uploads: [Upload] = []
        var cleaned = 0
        var directories = [SandboxPath.root]
        while let directory = directories.popLast() {
            for key in try keys(in: directory, &directories).ordered(by: <) {
                // There are never more uploads than the limit, unless another program has moved some here.
                if uploads.count < UploadStore.uploadsLimit, !uploads.contains(where: { $0.request.key == key }),
                    let upload = try adopt(key, in: directory)
                {
                    uploads.append(upload)
                } else {
                    cleaned += try clean(key, in: directory) ? 1 : 0
                }
            }
        }
        return (uploads, cleaned)
    }

    /// Returns an upload that can be continued in a directory; nil if there is none, and any remaining files have to be
    /// cleaned.
    func adopt(_ key: UploadKey, in directory: SandboxPath) throws(SandboxError) -> Upload? {
        let files = UploadFiles(key)
        let recordPath = directory.appendingReserved(files.record)
        let partialPath = directory.appendingReserved(files.partial)
        do throws(SandboxError) {
            let (file, attributes) = try root.openFile(recordPath, for: .read, "read")
            let bytes = try FileReader(root: root, path: recordPath, file: file, attributes: attributes)
                .read(at: 0, upTo: UploadRecord.bytesCount + 1)
            let (_, partial) = try root.openFile(partialPath, for: .read, "read")
            if let record = UploadRecord(encoded: bytes), record.key == key, partial.size <= record.size ?? .max,
                record.touched.age(at: now) < UploadStore.lifetime,
                let path = try? directory.appending(record.name)
            {
                let request = UploadRequest(key: key, path: path, size: record.size, digest: record.digest)
                let reservation = try root.account.reserve(
                    bytes: (record.size ?? partial.size) - partial.size, files: 0)
                return Upload(
                    request, partial: partial.identity, reservation: reservation, touched: record.touched,
                    written: partial.size)
            }
        } catch {
            switch error.code {
            // One of the two files is missing or not ours, or the quota has been lowered below the reserved size.
            case .notFound, .isDirectory, .symbolicLink, .mountPoint, .specialFile, .hardLink, .changed, .quotaBytes:
                break
            default: throw error
            }
        }
        return nil
    }

    /// Removes the remaining files of an upload.
    ///
    /// - Returns: True if there were any.
    /// - Throws: The reason why they could not be removed.
    @discardableResult
    func clean(_ key: UploadKey, in directory: SandboxPath) throws(SandboxError) -> Bool {
        let files = UploadFiles(key)
        let opened = try root.openDirectory(directory, "clean")
        let there = try [files.partial, files.record].map { (name) throws(SandboxError) in
            try root.attributes(of: FileName(name), in: opened, directory, "clean") != nil
        }
        guard there.contains(true) else { return false }
        do throws(Errno) {
            root.account.recordForeignChange()
            try root.removeUpload(files, in: opened, bytes: 0)
            root.account.recordForeignChange()
        } catch {
            // A directory of such a name is not an upload.
            if error == .isDirectory { return false }
            throw SandboxError(error, "clean", area: root.area, path: directory.text)
        }
        return true
    }

    private func keys(
        in directory: SandboxPath, _ directories: inout [SandboxPath]
    ) throws(SandboxError) -> Set<UploadKey> {
        var found: Set<UploadKey> = []
        var names: [FileName] = []
        do throws(SandboxError) {
            let opened = try root.openDirectory(directory, "search")
            do throws(Errno) {
                try root.calls.names(in: opened.descriptor) { name in
                    guard let text = name.text else { return true }
                    if let key = UploadFiles.key(of: text) {
                        found.insert(key)
                    } else {
                        names.append(name)
                    }
                    return true
                }
            } catch {
                throw SandboxError(error, "search", area: root.area, path: directory.text)
            }
            for name in names {
                // A directory without a valid path in the area cannot contain an upload either.
                guard let text = name.text, let path = try? directory.appending(text),
                    try root.attributes(of: name, in: opened, path, "search")?.type == .directory
                else { continue }
                directories.append(path)
            }
        } catch {
            // The directory was removed or exchanged since it was listed, or is a mount, which never contains an
            // upload.
            guard [.notFound, .notDirectory, .symbolicLink, .mountPoint].contains(error.code) else { throw error }
        }
        return found
    }
}
