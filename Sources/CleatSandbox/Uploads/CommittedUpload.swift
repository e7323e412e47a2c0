import CleatHash

/// The record of an upload that was committed, or was about to be.
///
/// A client that repeats the commit learns from it if the file is in place.
package struct CommittedUpload: Sendable, Equatable {
    /// The size of every record in bytes.
    static let bytesCount = 2048
    private static let mark = "cleat-committed 1"
    private static let labels = ["owner", "id", "area", "path", "size", "sha256"] + UploadStamp.labels

    /// The owner and id of the upload.
    package let key: UploadKey
    /// The area of the file.
    package let area: Area
    /// The path of the file.
    package let path: SandboxPath
    /// The size of the file in bytes.
    package let size: Int64
    /// The SHA-256 of the file.
    package let sha256: [UInt8]
    /// The time of the commit.
    let at: UploadStamp

    init(_ request: UploadRequest, size: Int64, sha256: [UInt8], area: Area, at stamp: UploadStamp) {
        key = request.key
        self.area = area
        path = request.path
        self.size = size
        self.sha256 = sha256
        at = stamp
    }

    /// The record as bytes.
    var encoded: [UInt8] {
        let values = [
            String(key.owner), Hexadecimal.text(of: key.id.utf8), area.rawValue, path.text, String(size),
            SHA256.hexadecimal(sha256),
        ]
        let fields = zip(Self.labels, values).map { (label: $0, value: $1) } + at.fields
        return SealedRecord.encode(Self.mark, fields, count: Self.bytesCount)
    }

    /// Decodes the format of ``encoded``; returns nil if the bytes are not valid.
    init?(encoded bytes: some Collection<UInt8>) {
        guard bytes.count == Self.bytesCount, let values = SealedRecord.decode(Self.mark, Self.labels, bytes),
            let owner = UInt32(values[0]), let idBytes = Hexadecimal.bytes(of: values[1]),
            let id = String(validating: idBytes, as: UTF8.self), let area = Area(rawValue: values[2]),
            let path = try? SandboxPath(values[3]), let size = Int64(values[4]), size >= 0,
            let digest = SHA256.digest(hexadecimal: values[5]), let at = UploadStamp(values: values[6...])
        else { return nil }
        let key = UploadKey(owner: owner, id: id)
        let request = UploadRequest(key: key, path: path, size: size, digest: digest)
        self.init(request, size: size, sha256: digest, area: area, at: at)
    }
}
