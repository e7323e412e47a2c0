/// Says beside a partial file what it will be, so that the upload outlasts the service.
///
/// The record is text of one length, so that writing it again changes no account, and ends with its own hash.
struct UploadRecord: Sendable, Hashable {
    /// The bytes that every record has.
    static let bytesCount = 1280
    private static let mark = "cleat-upload 1"

    /// Whose it is, and under which id.
    var key: UploadKey
    /// The file's name in its directory; the directory is where the record lies, so it may be renamed.
    var name: String
    /// How many bytes the file will have.
    var size: Int64
    /// Their SHA-256.
    var digest: [UInt8]
    /// When it was last touched, within an hour.
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
            String(key.owner), Hexadecimal.text(of: key.id.utf8), Hexadecimal.text(of: name.utf8), String(size),
            SHA256.hexadecimal(digest),
        ]
        let fields = zip(Self.labels, values).map { (label: $0, value: $1) } + touched.fields
        return SealedRecord.encode(Self.mark, fields, count: Self.bytesCount)
    }

    /// Reads what ``encoded`` has written; nil where the bytes are anything else.
    init?(encoded bytes: [UInt8]) {
        guard bytes.count == Self.bytesCount, let values = SealedRecord.decode(Self.mark, Self.labels, bytes),
            let owner = UInt32(values[0]), let id = Self.text(values[1]), let name = Self.text(values[2]),
            let size = Int64(values[3]), size >= 0, let digest = SHA256.digest(hexadecimal: values[4]),
            let touched = UploadStamp(values: values[5...])
        else { return nil }
        key = UploadKey(owner: owner, id: id)
        self.name = name
        self.size = size
        self.digest = digest
        self.touched = touched
    }

    private static func text(_ digits: String) -> String? {
        Hexadecimal.bytes(of: digits).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
