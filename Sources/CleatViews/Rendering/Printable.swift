extension String {
    /// The text with all characters escaped that could move the cursor, change colours, or change the writing
    /// direction.
    public var printable: String {
        var result = ""
        appendPrintable(to: &result)
        return result
    }

    /// Appends the text in its printable form.
    package func appendPrintable(to result: inout String) {
        if isPlain {
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

    /// Appends the UTF-8 of the text in its printable form.
    package func appendPrintable(to result: inout [UInt8]) {
        result.append(contentsOf: isPlain ? utf8 : printable.utf8)
    }

    /// True if all characters are those of ASCII that a terminal prints.
    private var isPlain: Bool {
        // The bytes of a buffer are read much faster than those of a text.
        let isPlain = unsafe utf8.withContiguousStorageIfAvailable { unsafe Self.arePlain($0) }
        return isPlain ?? utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
    }

    private static func arePlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in 0..<bytes.count {
            let byte = unsafe bytes[index]
            if byte < 0x20 || byte >= 0x7f { return false }
        }
        return true
    }

    /// The width of the printable text on a terminal, in columns: two for a wide character of East Asian scripts or an
    /// emoji, none for a combining mark.
    public var displayWidth: Int {
        if isPlain { return utf8.count }
        return printable.unicodeScalars.reduce(0) { $0 + $1.displayWidth }
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

    /// The scalars that are two columns wide besides emoji: East Asian Width W and F (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97f,
        0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6,
        0x16fe0...0x18cff, 0x1b000...0x1b2ff, 0x1f200...0x1f2ff, 0x20000...0x3fffd,
    ]

    /// The columns that a terminal uses for the scalar.
    fileprivate var displayWidth: Int {
        if value < 0x300 { return 1 }
        if (0x1160...0x11ff).contains(value) { return 0 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        // The colour of an emoji's skin belongs to the emoji before it.
        case .modifierSymbol where properties.isEmojiModifier: return 0
        default: return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }
}
