internal import CleatIO
internal import SystemPackage

/// Reads an open file in parts, from any offset.
package struct FileReader: Sendable {
    /// The file's attributes when it was opened.
    package let attributes: FileAttributes
    private let root: AreaRoot
    private let path: SandboxPath
    private let file: Descriptor

    init(root: AreaRoot, path: SandboxPath, file: Descriptor, attributes: FileAttributes) {
        self.root = root
        self.path = path
        self.file = file
        self.attributes = attributes
    }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    ///
    /// - Throws: The reason why the file could not be read.
    package func read(at offset: Int64, upTo count: Int) throws(SandboxError) -> [UInt8] {
        guard count > 0, offset >= 0 else { return [] }
        var failure: SandboxError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SandboxError) {
                filled = try unsafe read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Fills a buffer with the bytes from `offset`; fewer only at the end of the file.
    ///
    /// - Returns: The number of bytes read.
    /// - Throws: The reason why the file could not be read.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SandboxError) -> Int {
        var done = 0
        while done < buffer.count {
            do throws(Errno) {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                let count = try unsafe root.calls.read(into: rest, from: file.descriptor, at: offset + Int64(done))
                if count == 0 { break }
                done += count
            } catch {
                if error == .interrupted { continue }
                throw SandboxError(error, "read", area: root.area, path: path.text)
            }
        }
        return done
    }

    /// Passes the open file to `body`, which reads from it.
    func withFile<Value>(_ body: (FileDescriptor) throws(Errno) -> Value) throws(Errno) -> Value {
        try body(file.descriptor)
    }

    /// Returns the file's current attributes; its size may have changed since it was opened.
    ///
    /// - Throws: The reason why they could not be read.
    package func currentAttributes() throws(SandboxError) -> FileAttributes {
        try root.attributes(of: file, path, "inspect")
    }
}
