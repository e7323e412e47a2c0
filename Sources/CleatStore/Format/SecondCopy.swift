import CleatHash
import CleatJSON
import CleatSettings

/// The second copy: the confirmed settings and their generation, for when the database is lost.
///
/// It is one JSON object. Its first line holds everything but the settings, so that it can be read alone. Its last line
/// holds a SHA-256 checksum of all bytes before that line.
struct SecondCopy: Equatable {
    /// The state that a copy holds and the time when it was written.
    struct Header: Equatable {
        var generation: GenerationRef
        var bootID: String
        /// CLOCK_BOOTTIME in milliseconds.
        var bootTime: Int64
    }

    /// The maximum number of bytes that are read of a copy.
    static let largest: Int64 = 64 << 20
    static let headerBytes = 1024

    var header: Header
    /// The paths and the values as canonical JSON, as in the database.
    var settings: [(path: String, value: String)]

    static func == (left: SecondCopy, right: SecondCopy) -> Bool {
        left.header == right.header && left.settings.elementsEqual(right.settings, by: ==)
    }

    /// Returns the start of a copy: everything before the first setting.
    static func opening(_ header: Header) -> String {
        let fields: JSONObject = [
            "cleat": "settings", "format": .integer(1), "store": .string(header.generation.store),
            "generation": .integer(header.generation.generation), "boot_id": .string(header.bootID),
            "boot_time": .integer(header.bootTime),
        ]
        return JSONWriter.write(.object(fields), style: .compact).dropLast() + ",\"settings\":{"
    }

    /// Appends one setting; `isFirst` is true for the first of them.
    static func append(_ path: String, _ value: String, isFirst: Bool, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: isFirst ? "\n".utf8 : ",\n".utf8)
        JSONWriter.write(.string(path), into: &bytes, style: .compact)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: value.utf8)
    }

    /// Appends the end of a copy: the checksum of everything written so far.
    static func close(_ bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\n}".utf8)
        let sum = SHA256.hexadecimal(of: bytes)
        bytes.append(contentsOf: (sumOpening + sum + sumClosing).utf8)
    }

    private static let sumOpening = ",\n\"sha256\":\""
    private static let sumClosing = "\"}\n"
    private static var sumBytes: Int { sumOpening.utf8.count + 2 * SHA256.digestBytes + sumClosing.utf8.count }

    /// Returns true if the checksum at the end matches the bytes before it.
    static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > sumBytes else { return false }
        let content = bytes.dropLast(sumBytes)
        return bytes.suffix(sumBytes).elementsEqual((sumOpening + SHA256.hexadecimal(of: content) + sumClosing).utf8)
    }

    /// Reads the header from the first bytes of a copy.
    static func header(of head: [UInt8]) -> Header? {
        guard let end = head.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        guard let value = try? JSONReader.read(Array(head[..<end]) + Array("}}".utf8)) else { return nil }
        return header(of: value)
    }

    /// Reads a whole copy.
    ///
    /// - Returns: the copy; nil and the reason if the bytes are not a copy that this release can read.
    static func read(_ bytes: [UInt8]) -> (copy: SecondCopy?, reason: String) {
        var limits = JSONLimits.standard
        limits.size = Int(clamping: largest)
        limits.values = 1 << 24
        do throws(JSONError) {
            let value = try JSONReader.read(bytes, limits: limits)
            guard isWhole(bytes) else { return (nil, "its checksum is not that of its content") }
            guard let header = header(of: value), let settings = value["settings"]?.objectValue else {
                return (nil, "it is not a copy of settings that this release can read")
            }
            let rows = settings.map { (path: $0.key, value: $0.value.canonicalText) }
            return (SecondCopy(header: header, settings: rows), "")
        } catch {
            return (nil, "it cannot be read: \(error)")
        }
    }

    private static func header(of value: JSONValue) -> Header? {
        guard value["cleat"]?.stringValue == "settings", value["format"]?.integerValue == 1,
            let store = value["store"]?.stringValue, let generation = value["generation"]?.integerValue,
            generation >= 0,
            generation < .max / 2, let bootID = value["boot_id"]?.stringValue,
            let bootTime = value["boot_time"]?.integerValue
        else { return nil }
        return Header(
            generation: GenerationRef(store: store, generation: generation), bootID: bootID, bootTime: bootTime)
    }
}
