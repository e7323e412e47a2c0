extension String {
    /// The text with all characters escaped that could move the cursor, change colours, or change the writing
    /// direction.
    var printable: String {
        var result = ""
        appendPrintable(to: &result)
        return result
    }

    /// Appends the text in its printable form.
    func appendPrintable(to result: inout String) {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) {
            result.append(self)
            return
        }
        for scalar in unicodeScalars {
            if let escape = scalar.terminalEscape {
                result.append(escape)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The width of the printable text in columns; each character counts as one.
    var printableWidth: Int {
        utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) ? utf8.count : printable.count
    }
}

extension Unicode.Scalar {
    /// The escape sequence for a scalar that a terminal would interpret; nil for a harmless one.
    fileprivate var terminalEscape: String? {
        switch value {
        case 0x09: return "\\t"
        case 0x0a: return "\\n"
        case 0x0d: return "\\r"
        case 0..<0x20, 0x7f..<0xa0:
            return "\\x" + Self.hexadecimal(value, digits: 2)
        case 0x061c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff, 0xfff9...0xfffb, 0xe0000...0xe007f:
            return "\\u{" + Self.hexadecimal(value, digits: 4) + "}"
        default: return nil
        }
    }

    private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension Int64 {
    /// The number of bytes in binary units: `512 B`, `3 KiB`, `1.5 MiB`.
    var shownBytes: String {
        guard self >= 1024 else { return "\(self) B" }
        guard self >= 1024 * 1024 else { return "\(self / 1024) KiB" }
        for (unit, size) in [("MiB", Int64(1) << 20), ("GiB", 1 << 30)] where self < size * 1024 {
            return Self.tenths(self, of: size) + " " + unit
        }
        return Self.tenths(self, of: 1 << 40) + " TiB"
    }

    private static func tenths(_ bytes: Int64, of size: Int64) -> String {
        let tenths = bytes / size * 10 + bytes % size * 10 / size
        return "\(tenths / 10).\(tenths % 10)"
    }
}
