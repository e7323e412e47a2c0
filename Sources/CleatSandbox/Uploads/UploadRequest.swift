/// Says what an upload will be: whoever begins it again with the same says that it is the same.
package struct UploadRequest: Sendable, Hashable {
    /// The most bytes of an id.
    package static let idLimit = 64

    /// The id that the client has chosen.
    package let id: String
    /// Where the file shall be.
    package let path: SandboxPath
    /// How many bytes it has.
    package let size: Int64
    /// The SHA-256 of all of them.
    package let sha256: [UInt8]

    /// Checks what a client asks for.
    ///
    /// - Parameters:
    ///   - id: 1 to 64 bytes, chosen by the client.
    ///   - path: where the file shall be; not the area's own directory.
    ///   - size: how many bytes it has.
    ///   - sha256: 64 hexadecimal digits.
    /// - Throws: `badID`, `badSize`, `badHash`; `files` with `isDirectory` for the area's own directory.
    package init(id: String, path: SandboxPath, size: Int64, sha256: String) throws(UploadError) {
        guard (1...Self.idLimit).contains(id.utf8.count) else { throw UploadError(.badID, id: id) }
        guard size >= 0 else { throw UploadError(.badSize, id: id) }
        guard let digest = SHA256.digest(hexadecimal: sha256) else { throw UploadError(.badHash, id: id) }
        guard !path.isRoot else {
            throw UploadError(SandboxError(.isDirectory, "upload", area: nil, path: ""), id: id)
        }
        self.init(id: id, path: path, size: size, digest: digest)
    }

    init(id: String, path: SandboxPath, size: Int64, digest: [UInt8]) {
        self.id = id
        self.path = path
        self.size = size
        sha256 = digest
    }

    /// The name of the file in its directory.
    var name: String { path.name ?? "" }

    /// The names of the two files that an upload has until it is complete.
    var files: UploadFiles { UploadFiles(id: id) }
}

/// Names the partial file of an upload and the one that says what it is, in the directory of the file to be.
struct UploadFiles: Sendable, Hashable {
    /// Begins both names.
    static let prefix = ".cleat-upload-"
    private static let recordSuffix = ".about"

    /// The name of the partial file.
    let partial: String
    /// The name of its record.
    var record: String { partial + Self.recordSuffix }

    init(id: String) { partial = Self.prefix + Hexadecimal.text(of: id.utf8) }

    /// Finds the id that a name in a directory belongs to; nil where it is not one of an upload's.
    static func id(of name: String) -> (id: String, isRecord: Bool)? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        var digits = name.dropFirst(prefix.count)
        let isRecord = digits.hasSuffix(recordSuffix)
        if isRecord { digits = digits.dropLast(recordSuffix.count) }
        guard let bytes = Hexadecimal.bytes(of: digits), (1...UploadRequest.idLimit).contains(bytes.count),
            let id = String(validating: bytes, as: UTF8.self), UploadFiles(id: id).partial == prefix + digits
        else { return nil }
        return (id, isRecord)
    }
}
