import CleatHash

/// The parameters of an upload, stored next to its partial file, so that the upload survives a restart of the service.
///
/// The record is text of a fixed length, so that writing it again does not change the account. It ends with its own
/// hash.
struct UploadRecord: Sendable, Equatable {
    /// The size of every record in bytes.
    static let bytesCount = 1280
    private static let mark = "cleat-upload 1"

    /// The owner and id of the upload.
    var key: UploadKey
    /// The file's name in its directory; the directory is that of the record, so it may be renamed.
    var name: String
    /// The size of the future file in bytes; nil, and empty in the record, if it is declared with the commit.
    var size: Int64?
    /// The SHA-256 of the future file; nil together with the size.
    var digest: [UInt8]?
    /// The time of the last access, up to an hour old.
    var touched: UploadStamp

    init(_ request: UploadRequest, touched: UploadStamp) {
        key = request.key
        name = request.name
        size = request.size
        digest = request.sha256
        self.touched = touched
    }

    private static let labels = ["owner", "id", "name", "size", "sha256"] + UploadStamp.labels

    /// The record as bytes.
    var encoded: [UInt8] {
        let values = [
            String(key.owner), Hexadecimal.text(of: key.id.utf8), Hexadecimal.text(of: name.utf8),
            size.map(String.init) ?? "", digest.map { SHA256.hexadecimal($0) } ?? "",
        ]
        let fields = zip(Self.labels, values).map { (label: $0, value: $1) } + touched.fields
        return SealedRecord.encode(Self.mark, fields, count: Self.bytesCount)
    }

    /// Decodes the format of ``encoded``; returns nil if the bytes are not valid.
    init?(encoded bytes: [UInt8]) {
        guard bytes.count == Self.bytesCount, let values = SealedRecord.decode(Self.mark, Self.labels, bytes),
            let owner = UInt32(values[0]), let id = Self.text(values[1]), let name = Self.text(values[2]),
            let content = Self.content(values[3], values[4]),
            let touched = UploadStamp(values: values[5...])
        else { return nil }
        key = UploadKey(owner: owner, id: id)
        self.name = name
        (size, digest) = content
        self.touched = touched
    }

    private static func content(_ size: String, _ digest: String) -> (Int64?, [UInt8]?)? {
        if size.isEmpty, digest.isEmpty { return (nil, nil) }
        guard let size = Int64(size), size >= 0, let digest = SHA256.digest(hexadecimal: digest) else { return nil }
        return (size, digest)
    }

    private static func text(_ digits: String) -> String? {
        Hexadecimal.bytes(of: digits).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
