/// Checks texts against the rules of host names: RFC 1123, and IDNA 2008 (RFC 5891, RFC 5892) for other scripts.
enum DomainText {
    /// Returns true if a text is a host name in ASCII; labels that begin with `xn--` must decode to valid ones.
    static func isHostname(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            isPlain(label) && isValidEncoding(label)
        }
    }

    /// Returns true if a text is a host name with labels in any script.
    static func isInternational(_ text: String) -> Bool {
        guard (1...1024).contains(text.utf8.count) else { return false }
        let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
        var length = -1
        for label in text.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: dots.contains) {
            let scalars = Array(label)
            let bytes = String(String.UnicodeScalarView(label)).utf8[...]
            if scalars.allSatisfy(\.isASCII) {
                guard isPlain(bytes), isValidEncoding(bytes) else { return false }
                length += bytes.count + 1
            } else {
                guard InternationalLabel.isValid(scalars), let encoded = Punycode.encodedLength(scalars), encoded <= 59
                else { return false }
                length += encoded + 5
            }
        }
        return length <= 253
    }

    private static func isPlain(_ label: Substring.UTF8View) -> Bool {
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isValidEncoding(_ label: Substring.UTF8View) -> Bool {
        let prefix = label.prefix(4).map { $0 | 0x20 }
        guard prefix.count == 4, prefix[2...].elementsEqual([0x2D, 0x2D]) else { return true }
        guard prefix[0] == UInt8(ascii: "x"), prefix[1] == UInt8(ascii: "n") else { return true }
        guard let scalars = Punycode.decode(label.dropFirst(4)), !scalars.allSatisfy(\.isASCII) else { return false }
        return InternationalLabel.isValid(scalars)
    }
}

/// Reads and measures Punycode, the ASCII form of labels in other scripts (RFC 3492).
enum Punycode {
    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }

    private static func threshold(_ place: Int, _ bias: Int) -> Int {
        min(max(place - bias, 1), 26)
    }

    /// Decodes a label without its prefix; returns nil if it is not valid Punycode.
    static func decode(_ text: Substring.UTF8View) -> [Unicode.Scalar]? {
        guard text.count <= 63 else { return nil }
        let mark = text.lastIndex(of: UInt8(ascii: "-"))
        var result = mark.map { text[..<$0].map(Unicode.Scalar.init) } ?? []
        var rest = mark.map { text[text.index(after: $0)...] } ?? text
        var code = 128
        var place = 0
        var bias = 72
        while !rest.isEmpty {
            let start = place
            var weight = 1
            var position = 36
            while true {
                guard let byte = rest.popFirst() else { return nil }
                let digit: Int
                switch byte | 0x20 {
                case _ where ASCII.isDigit(byte): digit = Int(byte) - 0x30 + 26
                case 0x61...0x7A: digit = Int(byte | 0x20) - 0x61
                default: return nil
                }
                place += digit * weight
                guard place <= 0x7FFF_FFFF else { return nil }
                let limit = threshold(position, bias)
                if digit < limit { break }
                weight *= 36 - limit
                guard weight <= 0x7FFF_FFFF else { return nil }
                position += 36
            }
            bias = adapted(place - start, result.count + 1, isFirst: start == 0)
            code += place / (result.count + 1)
            place %= result.count + 1
            guard let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value) else { return nil }
            result.insert(scalar, at: place)
            place += 1
        }
        return result
    }

    /// Returns the number of bytes of the encoded form without its prefix; nil if the label is far too long.
    static func encodedLength(_ scalars: [Unicode.Scalar]) -> Int? {
        guard scalars.count <= 63 else { return nil }
        let basic = scalars.count(where: \.isASCII)
        var length = basic + (basic > 0 ? 1 : 0)
        var handled = basic
        var code: UInt32 = 128
        var delta = 0
        var bias = 72
        while handled < scalars.count {
            guard let next = scalars.lazy.map(\.value).filter({ $0 >= code }).min() else { return nil }
            delta += Int(next - code) * (handled + 1)
            code = next
            for scalar in scalars {
                if scalar.value < code { delta += 1 }
                guard scalar.value == code else { continue }
                var rest = delta
                var position = 36
                while true {
                    length += 1
                    let limit = threshold(position, bias)
                    if rest < limit { break }
                    rest = (rest - limit) / (36 - limit)
                    position += 36
                }
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return length
    }
}
