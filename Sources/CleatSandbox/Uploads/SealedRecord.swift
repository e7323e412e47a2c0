internal import CleatHash
internal import CleatIO

/// Encodes and decodes a few named values as text of a fixed length that ends with its own hash.
///
/// The values contain no line breaks.
enum SealedRecord {
    private static let checkLabel = "check "

    /// Returns the mark, a line for each value, the hash of these lines, and line breaks up to `count` bytes.
    static func encode(_ mark: String, _ fields: [(label: String, value: String)], count: Int) -> [UInt8] {
        let body = ([mark] + fields.map { "\($0.label) \($0.value)" }).map { $0 + "\n" }.joined()
        let check = checkLabel + SHA256.hexadecimal(of: body.utf8) + "\n"
        let padding = count - body.utf8.count - check.utf8.count
        return Array(body.utf8) + Array(check.utf8) + Array(repeating: UInt8(ascii: "\n"), count: max(0, padding))
    }

    /// Returns the values of the given labels; nil if the bytes are not valid.
    static func decode(_ mark: String, _ labels: [String], _ bytes: some Collection<UInt8>) -> [String]? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
        guard lines.count == labels.count + 2, let check = lines.popLast(), lines.first == mark else { return nil }
        let body = lines.map { $0 + "\n" }.joined()
        guard check == checkLabel + SHA256.hexadecimal(of: body.utf8) else { return nil }
        var values: [String] = []
        for (line, label) in zip(lines.dropFirst(), labels) {
            guard line.utf8.starts(with: (label + " ").utf8) else { return nil }
            values.append(String(Substring(line.utf8.dropFirst(label.utf8.count + 1))))
        }
        return values
    }
}

extension UploadStamp {
    /// The labels of the fields in a record.
    static let labels = ["boot", "boot-time", "time", "synchronised"]

    /// The fields in a record.
    var fields: [(label: String, value: String)] {
        let values = [boot.text, String(bootTime), String(wallTime), isSynchronised ? "yes" : "no"]
        return zip(Self.labels, values).map { (label: $0, value: $1) }
    }

    /// Decodes the values of a record.
    init?(values: some Collection<String>) {
        let values = Array(values)
        guard values.count == Self.labels.count, let bootTime = Int64(values[1]), let wallTime = Int64(values[2]) else {
            return nil
        }
        self.init(
            boot: BootID(values[0]), bootTime: bootTime, wallTime: wallTime, isSynchronised: values[3] == "yes")
    }
}
