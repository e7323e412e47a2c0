import CleatSandbox
import SystemPackage

extension StoreDirectory {
    private static let pieceBytes = 64 << 10

    /// Copies a whole file, if there is one, in pieces of 64 KiB.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - other: the target directory, in which the copy replaces a file of its name.
    ///   - otherName: the copy's name; nil for the same.
    /// - Throws: an error if it is too large; or a storage error.
    func copy(_ name: String, to other: StoreDirectory, as otherName: String? = nil) throws(StoreError) {
        guard let size = try size(of: name) else { return }
        let most = min(StoreLimits.fallbackBytes, (other.freeBytes ?? 0) / 2)
        guard size <= most else {
            throw StoreError(
                .limit, path(of: name),
                "“\(path(of: name))” was not copied, because it has \(size) bytes; at most \(most) bytes are."
            )
        }
        let target = try other.writing { () throws(DurableFileError) in
            try DurableWriter(to: otherName ?? name, in: other.descriptor, calls: SystemFileCalls())
        }
        var offset: Int64 = 0
        while offset < size {
            guard let piece = try head(of: name, count: Self.pieceBytes, writing: false, from: offset)?.bytes,
                !piece.isEmpty
            else { throw StoreError(.ioError, path(of: name), while: "read all of") }
            try other.writing { () throws(DurableFileError) in try target.write(piece) }
            offset += Int64(piece.count)
        }
        try other.writing { () throws(DurableFileError) in try target.commit(permissions: .ownerReadWrite, owner: nil) }
    }

    private func writing<Value>(_ body: () throws(DurableFileError) -> Value) throws(StoreError) -> Value {
        do throws(DurableFileError) {
            return try body()
        } catch {
            throw StoreError(error.cause, path(of: error.name), while: "copy the settings to")
        }
    }
}
