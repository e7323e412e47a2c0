/// Writes values as JSON text.
///
/// The output reads back as an equal value. Numbers have the fewest digits that read back as the same double. JSON has
/// no infinity and no "not a number": in values from code they are written as `null` (the reader and the encoder refuse
/// them).
public enum JSONWriter {
    /// The layout of the text.
    public enum Style: Sendable, Hashable {
        /// No white space, members in the object's own order; `1.0` is written as `1.0`.
        case compact
        /// Two spaces for each level, one member or element a line, members in the object's own order, no last line
        /// break.
        case pretty
        /// No white space, members in the order of their keys' UTF-8 bytes, numbers as in RFC 8785 except that every
        /// integer within 64 bits has all its digits: equal values have equal text.
        case canonical
    }

    /// Writes a value as text.
    public static func write(_ value: JSONValue, style: Style = .compact) -> String {
        String(decoding: bytes(of: value, style: style), as: UTF8.self)
    }

    /// Writes a value as UTF-8 bytes.
    public static func bytes(of value: JSONValue, style: Style = .compact) -> [UInt8] {
        var output: [UInt8] = []
        write(value, into: &output, style: style)
        return output
    }

    /// Appends a value to a buffer of UTF-8 bytes.
    public static func write(_ value: JSONValue, into output: inout [UInt8], style: Style = .compact) {
        write(value, into: &output, style: style, level: 0)
    }

    /// Appends an object to a buffer of UTF-8 bytes.
    public static func write(_ object: JSONObject, into output: inout [UInt8], style: Style = .compact) {
        write(object, into: &output, style: style, level: 0)
    }

    /// Appends a quoted string to a buffer of UTF-8 bytes.
    public static func write(_ string: String, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        let done: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            var runStart = 0
            for index in 0..<bytes.count {
                let byte = unsafe bytes[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                if index > runStart { unsafe output.append(contentsOf: bytes[runStart..<index]) }
                writeEscape(byte, into: &output)
                runStart = index + 1
            }
            if runStart == 0 {
                unsafe output.append(contentsOf: bytes)
            } else if runStart < bytes.count {
                unsafe output.append(contentsOf: bytes[runStart...])
            }
        }
        if done == nil {
            for byte in string.utf8 {
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    writeEscape(byte, into: &output)
                } else {
                    output.append(byte)
                }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func write(_ value: JSONValue, into output: inout [UInt8], style: Style, level: Int) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): JSONNumberText.write(value, into: &output)
        case .number(let value): JSONNumberText.write(value, into: &output, canonical: style == .canonical)
        case .string(let value): write(value, into: &output)
        case .array(let values): write(values, into: &output, style: style, level: level)
        case .object(let object): write(object, into: &output, style: style, level: level)
        }
    }

    private static func write(_ values: [JSONValue], into output: inout [UInt8], style: Style, level: Int) {
        output.append(UInt8(ascii: "["))
        var isFirst = true
        for value in values {
            separate(&isFirst, into: &output, style: style, level: level + 1)
            write(value, into: &output, style: style, level: level + 1)
        }
        if !isFirst { breakLine(into: &output, style: style, level: level) }
        output.append(UInt8(ascii: "]"))
    }

    private static func write(_ object: JSONObject, into output: inout [UInt8], style: Style, level: Int) {
        let members = style == .canonical ? object.sortedByKey() : object.members
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in members {
            separate(&isFirst, into: &output, style: style, level: level + 1)
            write(key, into: &output)
            output.append(UInt8(ascii: ":"))
            if style == .pretty { output.append(UInt8(ascii: " ")) }
            write(value, into: &output, style: style, level: level + 1)
        }
        if !isFirst { breakLine(into: &output, style: style, level: level) }
        output.append(UInt8(ascii: "}"))
    }

    private static func separate(_ isFirst: inout Bool, into output: inout [UInt8], style: Style, level: Int) {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        breakLine(into: &output, style: style, level: level)
    }

    private static func breakLine(into output: inout [UInt8], style: Style, level: Int) {
        guard style == .pretty else { return }
        output.append(0x0a)
        output.append(contentsOf: repeatElement(0x20, count: level * 2))
    }

    private static func writeEscape(_ byte: UInt8, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0a: output.append(UInt8(ascii: "n"))
        case 0x0c: output.append(UInt8(ascii: "f"))
        case 0x0d: output.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            output.append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
            let digit = byte & 0x0f
            output.append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
        default: output.append(byte)
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String {
        JSONWriter.write(self, style: .compact)
    }

    /// The value as canonical JSON: equal values have equal text.
    public var canonicalText: String {
        JSONWriter.write(self, style: .canonical)
    }
}

extension JSONObject: CustomStringConvertible {
    /// The object as compact JSON.
    public var description: String {
        JSONWriter.write(.object(self), style: .compact)
    }
}
