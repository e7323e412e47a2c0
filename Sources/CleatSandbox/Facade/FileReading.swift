/// Reads the files of an area.
extension SandboxedDirectory {
    /// Opens a file to read it in parts.
    ///
    /// - Throws: The reason why it could not be opened; links, FIFOs, sockets, devices and files with more than one
    ///   name are always refused.
    package func reader(_ path: SandboxPath) throws(SandboxError) -> FileReader {
        let (file, attributes) = try root.openFile(path, for: .read, "read")
        return FileReader(root: root, path: path, file: file, attributes: attributes)
    }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The largest size in bytes.
    /// - Returns: The content.
    /// - Throws: `tooLarge` if the file is larger; the reason why it could not be read.
    package func read(_ path: SandboxPath, limit: Int = 1 << 20) throws(SandboxError) -> [UInt8] {
        let reader = try reader(path)
        // One byte more than the expected size shows that the file has grown.
        let wanted = min(Int(clamping: reader.attributes.size), limit) + 1
        var bytes = try reader.read(at: 0, upTo: wanted)
        while bytes.count >= wanted, bytes.count <= limit {
            let more = try reader.read(at: Int64(bytes.count), upTo: min(1 << 16, limit + 1 - bytes.count))
            if more.isEmpty { break }
            bytes += more
        }
        guard bytes.count <= limit else {
            throw SandboxError(
                .tooLarge, "read", area: area, path: path.text,
                detail: "it has more than \(limit) bytes; read it in parts")
        }
        return bytes
    }

    /// Reads a part of a file; bytes beyond its end are omitted.
    ///
    /// - Throws: The reason why it could not be read.
    package func read(_ path: SandboxPath, at offset: Int64, upTo count: Int) throws(SandboxError) -> [UInt8] {
        try reader(path).read(at: offset, upTo: count)
    }
}
