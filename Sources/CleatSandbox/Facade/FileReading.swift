/// Reads the files of an area.
package protocol FileReading: DirectoryNames {}

extension FileReading {
    /// Opens a file, to be read in parts.
    ///
    /// - Throws: why it could not be opened; links, FIFOs, sockets, devices and files with another name never are.
    package func reader(_ path: SandboxPath) throws(SandboxError) -> FileReader {
        let (file, attributes) = try root.openFile(path, for: .read, "read")
        return FileReader(root: root, path: path, file: file, attributes: attributes)
    }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the most bytes that it may have.
    /// - Returns: its content.
    /// - Throws: `tooLarge` where it has more; why it could not be read.
    package func read(_ path: SandboxPath, limit: Int = 1 << 20) throws(SandboxError) -> [UInt8] {
        let reader = try reader(path)
        // One byte more than it should have shows that it grew.
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

    /// Reads a part of a file; what lies behind its end is left out.
    ///
    /// - Throws: why it could not be read.
    package func read(_ path: SandboxPath, at offset: Int64, upTo count: Int) throws(SandboxError) -> [UInt8] {
        try reader(path).read(at: offset, upTo: count)
    }
}
