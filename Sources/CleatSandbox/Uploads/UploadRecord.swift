internal import CleatIO

/// Says beside a partial file what it will be, so that the upload outlasts the service.
///
/// The record is text of one length, so that writing it again changes no account, and ends with its own hash.
struct UploadRecord: Sendable, Hashable {
    /// The bytes that every record has.
    static let bytesCount = 1280
    private static let mark = "cleat-upload 1"
    private static let checkLabel = "check "

    /// The id that the client has chosen.
    var id: String
    /// The file's name in its directory; the directory is where the record lies, so it may be renamed.
    var name: String
    /// How many bytes the file will have.
    var size: Int64
    /// Their SHA-256.
    var digest: [UInt8]
    /// When it was last touched, within an hour.
    var touched: UploadStamp

    init(_ request: UploadRequest, touched: UploadStamp) {
        id = request.id
        name = request.name
        size = request.size
        digest = request.sha256
        self.touched = touched
    }

    /// The record as bytes.
    var encoded: [UInt8] {
        let fields: [(String, String)] = [
            ("id", Hexadecimal.text(of: id.utf8)), ("name", Hexadecimal.text(of: name.utf8)),
            ("size", String(size)), ("sha256", SHA256.hexadecimal(digest)), ("boot", touched.boot.text),
            ("boot-time", String(touched.bootTime)), ("time", String(touched.wallTime)),
            ("synchronised", touched.isSynchronised ? "yes" : "no"),
        ]
        let body = ([Self.mark] + fields.map { "\($0) \($1)" }).map { $0 + "\n" }.joined()
        let check = Self.checkLabel + SHA256.hexadecimal(of: body.utf8) + "\n"
        let padding = Self.bytesCount - body.utf8.count - check.utf8.count
        return Array(body.utf8) + Array(check.utf8) + Array(repeating: UInt8(ascii: "\n"), count: max(0, padding))
    }

    /// Reads what ``encoded`` has written; nil where the bytes are anything else.
    init?(encoded bytes: [UInt8]) {
        guard bytes.count == Self.bytesCount, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
        guard lines.count == 10, let check = lines.popLast(), lines.first == Self.mark else { return nil }
        let body = lines.map { $0 + "\n" }.joined()
        guard check == Self.checkLabel + SHA256.hexadecimal(of: body.utf8) else { return nil }
        var values: [String] = []
        let labels = ["id", "name", "size", "sha256", "boot", "boot-time", "time", "synchronised"]
        for (line, label) in zip(lines.dropFirst(), labels) {
            guard line.utf8.starts(with: (label + " ").utf8) else { return nil }
            values.append(String(line.dropFirst(label.count + 1)))
        }
        guard let id = Self.text(values[0]), let name = Self.text(values[1]), let size = Int64(values[2]), size >= 0,
            let digest = SHA256.digest(hexadecimal: values[3]), let bootTime = Int64(values[5]),
            let wallTime = Int64(values[6])
        else { return nil }
        self.id = id
        self.name = name
        self.size = size
        self.digest = digest
        touched = UploadStamp(
            boot: BootID(values[4]), bootTime: bootTime, wallTime: wallTime, isSynchronised: values[7] == "yes")
    }

    private static func text(_ digits: String) -> String? {
        Hexadecimal.bytes(of: digits).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
