import CleatJSON

/// Compares numbers without losing the last digits of 64-bit integers.
enum Ordering {
    static func precedes(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.integer(let left), .number(let right)): compare(left, right) < 0
        case (.number(let left), .integer(let right)): compare(right, left) > 0
        case (.number(let left), .number(let right)): left < right
        default: false
        }
    }

    private static func compare(_ integer: Int64, _ number: Double) -> Int {
        if number >= 0x1p63 { return -1 }
        if number < -0x1p63 { return 1 }
        let whole = number.rounded(.down)
        guard let floor = Int64(exactly: whole) else { return 0 }
        if integer != floor { return integer < floor ? -1 : 1 }
        return whole < number ? -1 : 0
    }

    /// Returns true if a number is a multiple of another one, by the decimal digits of both: 0.3 is one of 0.1.
    static func isMultiple(_ value: JSONValue, of divisor: JSONValue) -> Bool {
        guard let value = Decimal(value), let divisor = Decimal(divisor), divisor.digits != 0 else { return false }
        return value.isMultiple(of: divisor)
    }

    /// A number as `digits` × 10^`exponent`, without its sign.
    struct Decimal {
        let digits: UInt64
        let exponent: Int

        init?(_ value: JSONValue) {
            switch value {
            case .integer(let integer): (digits, exponent) = (integer.magnitude, 0)
            case .number(let number):
                // The shortest digits that read back as the same double are most likely those that were written.
                guard number.isFinite, let parts = Self.parts(of: number.magnitude.description) else { return nil }
                (digits, exponent) = parts
            default: return nil
            }
        }

        private static func parts(of text: String) -> (digits: UInt64, exponent: Int)? {
            var digits: UInt64 = 0
            var exponent = 0
            var isFraction = false
            var rest = text.utf8[...]
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: ".") {
                    isFraction = true
                } else if byte == UInt8(ascii: "e") {
                    guard let power = Int(Substring(rest)) else { return nil }
                    exponent += power
                    break
                } else {
                    // A zero at the end of the fraction changes nothing and could overflow.
                    if isFraction, byte == UInt8(ascii: "0"), rest.allSatisfy({ $0 == UInt8(ascii: "0") }) { continue }
                    let (tenfold, overflow) = digits.multipliedReportingOverflow(by: 10)
                    let (sum, carry) = tenfold.addingReportingOverflow(UInt64(byte &- UInt8(ascii: "0")))
                    if overflow || carry { return nil }
                    digits = sum
                    if isFraction { exponent -= 1 }
                }
            }
            return (digits, exponent)
        }

        func isMultiple(of divisor: Decimal) -> Bool {
            if digits == 0 { return true }
            let power = exponent - divisor.exponent
            if power >= 0 {
                // digits × 10^power modulo the divisor's digits, by squaring.
                let modulus = divisor.digits
                var remainder = digits % modulus
                var base = 10 % modulus
                var rest = power
                while rest > 0 {
                    if rest & 1 == 1 { remainder = Self.product(remainder, base, modulo: modulus) }
                    base = Self.product(base, base, modulo: modulus)
                    rest >>= 1
                }
                return remainder == 0
            }
            var product = divisor.digits
            for _ in 0..<(-power) {
                let (tenfold, overflow) = product.multipliedReportingOverflow(by: 10)
                if overflow { return false }
                product = tenfold
            }
            return digits % product == 0
        }

        private static func product(_ left: UInt64, _ right: UInt64, modulo modulus: UInt64) -> UInt64 {
            modulus.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
        }
    }
}
