extension JSONScanner {
    /// Reads the number at the position.
    mutating func readNumber() throws(JSONFailure) -> JSONValue {
        let start = position
        var negative = false
        if byte(at: start) == UInt8(ascii: "-") || byte(at: start) == UInt8(ascii: "+") {
            negative = byte(at: start) == UInt8(ascii: "-")
            position += 1
        }
        if isJSON5, position < end {
            let next = byte(at: position)
            if next == UInt8(ascii: "I") || next == UInt8(ascii: "N") { throw try notANumber(start) }
            if next == UInt8(ascii: "0"), position + 1 < end, byte(at: position + 1) | 0x20 == UInt8(ascii: "x") {
                return try readHexadecimal(start: start, negative: negative)
            }
        }

        var mantissa: UInt64 = 0
        var isExact = true
        let whole = takeDigits(&mantissa, &isExact)
        if whole.count > 1, byte(at: whole.lowerBound) == UInt8(ascii: "0") {
            throw JSONFailure(
                code: .syntax, offset: start, message: "a number must not begin with 0: remove it, or quote the text")
        }
        if whole.isEmpty, !(isJSON5 && position < end && byte(at: position) == UInt8(ascii: ".")) {
            throw try missingDigit()
        }
        var fraction = position..<position
        var exponent: Int?
        var isInteger = true
        if position < end, byte(at: position) == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            fraction = takeDigits(&mantissa, &isExact)
            if fraction.isEmpty, !isJSON5 || whole.isEmpty { throw try missingDigit() }
        }
        if position < end, byte(at: position) | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            exponent = try takeExponent()
        }
        guard position - start <= limits.numberBytes else {
            throw JSONFailure(
                code: .numberTooLong, offset: start,
                message: "a number is too long; at most \(limits.numberBytes) bytes are allowed")
        }
        if isInteger, isExact {
            if !negative, mantissa <= UInt64(Int64.max) { return .integer(Int64(mantissa)) }
            if negative, mantissa <= Int64.min.magnitude { return .integer(0 &- Int64(truncatingIfNeeded: mantissa)) }
        }
        // If digits and power of ten are both exact doubles, one operation rounds correctly.
        let power = (exponent ?? 0) - fraction.count
        if isExact, mantissa <= 1 << 53, Self.powersOfTen.indices.contains(abs(power)) {
            let digits = negative ? -Double(mantissa) : Double(mantissa)
            return .number(power < 0 ? digits / Self.powersOfTen[-power] : digits * Self.powersOfTen[power])
        }
        return try convert(start: start, negative: negative, whole: whole, fraction: fraction, exponent: exponent ?? 0)
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    private mutating func takeDigits(_ mantissa: inout UInt64, _ isExact: inout Bool) -> Range<Int> {
        let start = position
        while position < end {
            let digit = byte(at: position) &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            let (tenfold, overflow) = mantissa.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit))
            if overflow || carry { isExact = false }
            mantissa = sum
            position += 1
        }
        return start..<position
    }

    /// Reads the exponent; one that is out of range for every double is limited to ±99,999.
    private mutating func takeExponent() throws(JSONFailure) -> Int {
        position += 1
        var negative = false
        if position < end, byte(at: position) == UInt8(ascii: "-") || byte(at: position) == UInt8(ascii: "+") {
            negative = byte(at: position) == UInt8(ascii: "-")
            position += 1
        }
        var value = 0
        let start = position
        while position < end, Self.isDigit(byte(at: position)) {
            value = min(value * 10 + Int(byte(at: position) - UInt8(ascii: "0")), 99_999)
            position += 1
        }
        guard position > start else { throw try missingDigit() }
        return negative ? -value : value
    }

    /// Converts a number with the standard library, from its simplest form.
    private func convert(
        start: Int, negative: Bool, whole: Range<Int>, fraction: Range<Int>, exponent: Int
    ) throws(JSONFailure) -> JSONValue {
        var text = negative ? "-" : ""
        text +=
            whole.isEmpty ? "0" : unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[whole]), as: UTF8.self)
        if !fraction.isEmpty {
            text += "."
            text += unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[fraction]), as: UTF8.self)
        }
        if exponent != 0 { text += "e\(exponent)" }
        guard let value = Double(text), value.isFinite else { throw tooLarge(start) }
        return .number(value)
    }

    private mutating func readHexadecimal(start: Int, negative: Bool) throws(JSONFailure) -> JSONValue {
        position += 2
        var value: UInt64 = 0
        var isExact = true
        let first = position
        while position < end, let digit = Self.hexDigit(byte(at: position)) {
            if value >> 60 != 0 { isExact = false }
            value = value << 4 | UInt64(digit)
            position += 1
        }
        guard position > first else { throw try missingDigit() }
        guard position - start <= limits.numberBytes else {
            throw JSONFailure(
                code: .numberTooLong, offset: start,
                message: "a number is too long; at most \(limits.numberBytes) bytes are allowed")
        }
        if isExact {
            if !negative, value <= UInt64(Int64.max) { return .integer(Int64(value)) }
            if negative, value <= Int64.min.magnitude { return .integer(0 &- Int64(truncatingIfNeeded: value)) }
            return .number(negative ? -Double(value) : Double(value))
        }
        let digits = unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[first..<position]), as: UTF8.self)
        guard let number = Double("0x\(digits)p0"), number.isFinite else { throw tooLarge(start) }
        return .number(negative ? -number : number)
    }

    private func tooLarge(_ start: Int) -> JSONFailure {
        JSONFailure(
            code: .numberOutOfRange, offset: start,
            message: "a number is too large: the largest is about 1.8e308; quote it if it is meant as text")
    }

    private func missingDigit() throws(JSONFailure) -> JSONFailure {
        position < end ? try unexpected("found, expected a digit") : endOfDocument("a digit")
    }

    private func notANumber(_ start: Int) throws(JSONFailure) -> JSONFailure {
        var wordEnd = position
        while wordEnd < end, wordEnd - position < 12, Self.isWordByte(byte(at: wordEnd)) { wordEnd += 1 }
        let word = unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[position..<wordEnd]), as: UTF8.self)
        guard word == "Infinity" || word == "NaN" else { return try unexpectedValue() }
        return JSONFailure(
            code: .numberOutOfRange, offset: start, message: "\(word) cannot be kept: write a finite number or null")
    }
}
