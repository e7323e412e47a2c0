import CleatHash

/// The parameters of an upload: a client that starts it again with the same parameters continues it.
package struct UploadRequest: Sendable, Equatable {
    /// The owner and id of the upload.
    package let key: UploadKey
    /// The path of the future file.
    package let path: SandboxPath
    /// The size of the file in bytes; nil if the client declares it with the commit.
    package let size: Int64?
    /// The SHA-256 of the file; nil if the client declares it with the commit.
    package let sha256: [UInt8]?

    /// Validates a client's request.
    ///
    /// - Parameters:
    ///   - key: The owner, and an id of 1 to 64 bytes, chosen by the client.
    ///   - path: The path of the future file; not the area's own directory.
    ///   - size: The size of the file in bytes; nil if it is declared with the commit.
    ///   - sha256: The SHA-256 of the file as 64 hexadecimal digits; nil together with the size.
    /// - Throws: `badID`, `badSize`, `badHash`; `files` with `isDirectory` for the area's own directory.
    package init(key: UploadKey, path: SandboxPath, size: Int64?, sha256: String?) throws(UploadError) {
        guard key.isValid else { throw UploadError(.badID, key) }
        guard size ?? 0 >= 0, size != nil || sha256 == nil else { throw UploadError(.badSize, key) }
        let digest = sha256.flatMap { SHA256.digest(hexadecimal: $0) }
        guard size == nil || digest != nil else { throw UploadError(.badHash, key) }
        guard !path.isRoot else {
            throw UploadError(SandboxError(.isDirectory, "upload", area: nil, path: ""), key)
        }
        self.init(key: key, path: path, size: size, digest: digest)
    }

    init(key: UploadKey, path: SandboxPath, size: Int64?, digest: [UInt8]?) {
        self.key = key
        self.path = path
        self.size = size
        sha256 = digest
    }

    /// The name of the file in its directory.
    var name: String { path.name ?? "" }

    /// The names of the two files that exist until the upload is complete.
    var files: UploadFiles { UploadFiles(key) }
}

/// The names of an upload's partial file and record, in the directory of the future file.
struct UploadFiles: Sendable, Equatable {
    /// The prefix of both names.
    static let prefix = ".cleat-upload-"
    private static let recordSuffix = ".about"

    /// The name of the partial file.
    let partial: String
    /// The name of its record.
    var record: String { partial + Self.recordSuffix }

    init(_ key: UploadKey) { partial = Self.prefix + "\(key.owner)-" + Hexadecimal.text(of: key.id.utf8) }

    /// Returns the key of the upload that a name in a directory belongs to; nil if it is not a name of an upload.
    static func key(of name: String) -> UploadKey? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        var digits = name.dropFirst(prefix.count)
        if digits.hasSuffix(recordSuffix) { digits = digits.dropLast(recordSuffix.count) }
        let parts = digits.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let owner = UInt32(parts[0]), let bytes = Hexadecimal.bytes(of: parts[1]),
            let id = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let key = UploadKey(owner: owner, id: id)
        return key.isValid && UploadFiles(key).partial == prefix + digits ? key : nil
    }
}
