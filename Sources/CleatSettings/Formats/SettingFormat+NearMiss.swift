extension SettingFormat {
    /// The units that people write, in lower case, with their canonical spelling.
    private static let timeUnits: [(written: String, names: [String])] = [
        ("ms", ["ms", "msec", "msecs", "millisecond", "milliseconds"]),
        ("s", ["s", "sec", "secs", "second", "seconds"]), ("m", ["m", "min", "mins", "minute", "minutes"]),
        ("h", ["h", "hr", "hrs", "hour", "hours"]), ("d", ["d", "day", "days"]),
    ]
    private static let sizeUnits: [(written: String, names: [String])] = [
        ("B", ["b", "byte", "bytes"]), ("kB", ["kb"]), ("MB", ["mb"]), ("GB", ["gb"]), ("TB", ["tb"]),
        ("KiB", ["kib"]), ("MiB", ["mib"]), ("GiB", ["gib"]), ("TiB", ["tib"]),
    ]

    /// Returns the text that was very likely meant: `5MB` for `5 mb`, `30s` for `30 sec`.
    ///
    /// - Returns: the corrected text; nil if it cannot be guessed, and for forms without units.
    package func nearMiss(_ text: String) -> String? {
        let units: [(written: String, names: [String])]
        switch self {
        case .duration: units = Self.timeUnits
        case .bytes: units = Self.sizeUnits
        default: return nil
        }
        guard text.utf8.count <= 64 else { return nil }
        let plain = text.lowercased().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        var rest = plain[...]
        var result = ""
        while !rest.isEmpty {
            let digits = rest.prefix(while: ASCII.isDigit)
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix(while: ASCII.isLetter)
            rest = rest.dropFirst(letters.count)
            let name = String(decoding: letters, as: UTF8.self)
            guard !digits.isEmpty, let unit = units.first(where: { $0.names.contains(name) }) else { return nil }
            result += String(decoding: digits, as: UTF8.self) + unit.written
        }
        return accepts(result) && !ByteOrder.areEqual(result, text) ? result : nil
    }
}
