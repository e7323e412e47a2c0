/// Reads a document whose members and their order are known, without a tree of values in between.
///
/// It only takes JSON without blanks, as ``JSONObjectText`` writes it, and is for the few documents that come by the
/// thousand. Every method returns false or nil where the text is another one; the caller then has ``JSONReader`` read
/// the whole document. It must not outlive the bytes.
package struct JSONCursor: ~Copyable {
    private var scanner: JSONScanner

    /// Starts at the beginning of a document.
    package init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .standard) {
        scanner = unsafe JSONScanner(bytes, dialect: .json, limits: limits)
    }

    /// True if the whole document was read.
    package var isAtEnd: Bool { scanner.position == scanner.end }

    /// Moves past a text of the document if it is next.
    @inline(__always)
    package mutating func take(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard scanner.end - scanner.position >= length else { return false }
        for index in 0..<length {
            guard unsafe scanner.byte(at: scanner.position + index) == text.utf8Start[index] else { return false }
        }
        scanner.position += length
        return true
    }

    /// Reads a string.
    package mutating func string() -> String? {
        guard scanner.position < scanner.end, scanner.byte(at: scanner.position) == UInt8(ascii: "\"") else {
            return nil
        }
        return try? scanner.readString()
    }

    /// Reads an integer.
    package mutating func integer() -> Int64? {
        guard case .integer(let number)? = value() else { return nil }
        return number
    }

    /// Reads a truth value.
    package mutating func flag() -> Bool? { take("true") ? true : take("false") ? false : nil }

    /// Reads a value; null is none.
    package mutating func value() -> JSONValue? {
        guard scanner.position < scanner.end else { return nil }
        switch scanner.byte(at: scanner.position) {
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try? scanner.readNumber()
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let start = scanner.position
            guard (try? scanner.skipContainer()) != nil else { return nil }
            let text = unsafe UnsafeRawBufferPointer(rebasing: scanner.bytes[start..<scanner.position])
            return try? unsafe JSONReader.read(text, limits: scanner.limits)
        default: return flag().map(JSONValue.bool)
        }
    }
}
