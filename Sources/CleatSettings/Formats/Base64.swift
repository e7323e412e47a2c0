/// The base64 encoding (RFC 4648, section 4), with padding and without line breaks.
package enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The value of a byte that is not in the alphabet; all six-bit values are less.
    private static let none: UInt8 = 0xff
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: none, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Encodes bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = bytes.withContiguousStorageIfAvailable { unsafe encode(UnsafeRawBufferPointer($0)) }
        return text ?? encode(Array(bytes))
    }

    private static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        let count = (bytes.count + 2) / 3 * 4
        return unsafe letters.withUnsafeBufferPointer { letters in
            unsafe String(unsafeUninitializedCapacity: count) { text in
                var place = 0
                var index = 0
                while index + 2 < bytes.count {
                    let group =
                        unsafe UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                    unsafe text[place] = letters[Int(group >> 18)]
                    unsafe text[place + 1] = letters[Int(group >> 12 & 63)]
                    unsafe text[place + 2] = letters[Int(group >> 6 & 63)]
                    unsafe text[place + 3] = letters[Int(group & 63)]
                    index += 3
                    place += 4
                }
                guard index < bytes.count else { return count }
                let isLast = index + 1 == bytes.count
                let group = unsafe UInt32(bytes[index]) << 16 | (isLast ? 0 : UInt32(bytes[index + 1]) << 8)
                unsafe text[place] = letters[Int(group >> 18)]
                unsafe text[place + 1] = letters[Int(group >> 12 & 63)]
                unsafe text[place + 2] = isLast ? UInt8(ascii: "=") : letters[Int(group >> 6 & 63)]
                unsafe text[place + 3] = UInt8(ascii: "=")
                return count
            }
        }
    }

    /// Decodes a text strictly: it refuses characters outside the alphabet, missing padding, and trailing bits that are
    /// not zero.
    ///
    /// - Returns: The bytes; nil if the text is not valid base64.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { unsafe decode($0) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        guard text.count > 0 else { return [] }
        let padding =
            unsafe text[text.count - 1] != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
        let count = text.count / 4 * 3 - padding
        var isGood = true
        let bytes = unsafe values.withUnsafeBufferPointer { values in
            unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
                filled = count
                var place = 0
                var index = 0
                // A byte outside the alphabet sets the top two bits of its value; they are checked once, at the end.
                var seen: UInt8 = 0
                while index + 4 < text.count {
                    let (a, b) = unsafe (values[Int(text[index])], values[Int(text[index + 1])])
                    let (c, d) = unsafe (values[Int(text[index + 2])], values[Int(text[index + 3])])
                    seen |= a | b | c | d
                    unsafe bytes[place] = a << 2 | b >> 4
                    unsafe bytes[place + 1] = b << 4 | c >> 2
                    unsafe bytes[place + 2] = c << 6 | d
                    index += 4
                    place += 3
                }
                let (a, b) = unsafe (values[Int(text[index])], values[Int(text[index + 1])])
                let c = unsafe padding > 1 ? 0 : values[Int(text[index + 2])]
                let d = unsafe padding > 0 ? 0 : values[Int(text[index + 3])]
                seen |= a | b | c | d
                let rest = padding == 2 ? b & 15 : padding == 1 ? c & 3 : 0
                isGood = seen & 0xc0 == 0 && rest == 0
                unsafe bytes[place] = a << 2 | b >> 4
                if padding < 2 { unsafe bytes[place + 1] = b << 4 | c >> 2 }
                if padding < 1 { unsafe bytes[place + 2] = c << 6 | d }
            }
        }
        return isGood ? bytes : nil
    }
}
