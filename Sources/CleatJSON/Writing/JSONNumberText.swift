/// Writes numbers in the fewest digits that read back as the same number.
enum JSONNumberText {
    static func write(_ value: Int64, into output: inout [UInt8]) {
        if value < 0 { output.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        // The digits come from the last to the first: a slice that is reversed in place would be copied first.
        var (count, bound) = (1, rest / 10)
        while bound != 0 { (count, bound) = (count + 1, bound / 10) }
        output.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: count))
        var place = output.count
        while rest != 0 {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            place -= 1
            output[place] += UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
    }

    static func write(_ value: Double, into output: inout [UInt8], canonical: Bool) {
        guard value.isFinite else {
            output.append(contentsOf: "null".utf8)
            return
        }
        guard canonical else {
            output.append(contentsOf: value.description.utf8)
            return
        }
        if let integer = value.exactInteger {
            write(integer, into: &output)
        } else {
            writeCanonical(value, into: &output)
        }
    }

    /// Formats the shortest digits as ECMAScript's Number::toString does (RFC 8785, section 3.2.2.3).
    private static func writeCanonical(_ value: Double, into output: inout [UInt8]) {
        if value < 0 { output.append(UInt8(ascii: "-")) }
        var digits: [UInt8] = []
        var point: Int?
        var exponent = 0
        var parts = value.magnitude.description.utf8[...]
        if let mark = parts.firstIndex(of: UInt8(ascii: "e")) {
            exponent = Int(Substring(parts[parts.index(after: mark)...])) ?? 0
            parts = parts[..<mark]
        }
        for byte in parts {
            if byte == UInt8(ascii: ".") { point = digits.count } else { digits.append(byte) }
        }
        // The value is 0.DIGITS × 10^scale.
        var scale = (point ?? digits.count) + exponent
        while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        while digits.count > 1, digits.first == UInt8(ascii: "0") {
            digits.removeFirst()
            scale -= 1
        }
        let zero = UInt8(ascii: "0")
        if digits.count <= scale, scale <= 21 {
            output += digits
            output.append(contentsOf: repeatElement(zero, count: scale - digits.count))
        } else if 0 < scale, scale <= 21 {
            output += digits[..<scale]
            output.append(UInt8(ascii: "."))
            output += digits[scale...]
        } else if -6 < scale, scale <= 0 {
            output.append(contentsOf: "0.".utf8)
            output.append(contentsOf: repeatElement(zero, count: -scale))
            output += digits
        } else {
            output.append(digits[0])
            if digits.count > 1 {
                output.append(UInt8(ascii: "."))
                output += digits[1...]
            }
            output.append(UInt8(ascii: "e"))
            output.append(scale > 0 ? UInt8(ascii: "+") : UInt8(ascii: "-"))
            write(Int64((scale - 1).magnitude), into: &output)
        }
    }
}
