/// Converts bytes to hexadecimal digits and back.
package enum Hexadecimal {
    /// Returns bytes as lower-case digits, two each.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value }
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Parses digits of either case; returns nil for any other character or an odd number of digits.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return high == nil ? bytes : nil
    }
}
