import CleatJSON

extension TemplateContext {
    /// Writes a value in the form that its context requires.
    ///
    /// - Parameters:
    ///   - value: the value; nil or null if there is none.
    ///   - output: the text that the value is appended to.
    /// - Returns: the reason why the context cannot hold the value, as the end of a sentence that begins with the
    ///   setting; nil if it was written.
    func write(_ value: JSONValue?, into output: inout [UInt8]) -> String? {
        if self == .jsonName {
            guard case .string? = value else {
                return value == nil || value == .null
                    ? "has no value where the name of a member is required; set it, or write a section around the tag"
                    : "is not a text, and only a text can be the name of a member in JSON; write a text before the colon"
            }
        }
        if self == .json || self == .jsonName {
            JSONWriter.write(value ?? .null, into: &output)
            return nil
        }
        switch value {
        case nil, .null?: return writeNothing(into: &output)
        case .array?: return "is a list; write a section around {{.}}"
        case .object?: return "is an object; write a section around the names of its members"
        case .string(let text)?: return write(text, into: &output)
        case .bool(let flag)?: JSONWriter.write(.bool(flag), into: &output)
        case .integer(let number)?: JSONWriter.write(.integer(number), into: &output)
        case .number(let number)?: JSONWriter.write(.number(number), into: &output)
        }
        return nil
    }

    private func writeNothing(into output: inout [UInt8]) -> String? {
        switch self {
        case .word, .iniName: return "has no value where a word is required; set it, or write a section around the tag"
        case .shell: output += "''".utf8
        case .line, .iniValue, .iniQuoted, .xml, .json, .jsonName: break
        }
        return nil
    }

    private func write(_ text: String, into output: inout [UInt8]) -> String? {
        if let refusal = refusal(of: text) { return refusal }
        switch self {
        case .shell:
            output.append(UInt8(ascii: "'"))
            for byte in text.utf8 {
                if byte == UInt8(ascii: "'") { output += "'\\''".utf8 } else { output.append(byte) }
            }
            output.append(UInt8(ascii: "'"))
        case .xml: for byte in text.utf8 { Self.writeXML(byte, into: &output) }
        default: output += text.utf8
        }
        return nil
    }

    private static func writeXML(_ byte: UInt8, into output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "&"): output += "&amp;".utf8
        case UInt8(ascii: "<"): output += "&lt;".utf8
        case UInt8(ascii: ">"): output += "&gt;".utf8
        case UInt8(ascii: "\""): output += "&quot;".utf8
        case UInt8(ascii: "'"): output += "&#39;".utf8
        // An XML reader would replace them with blanks in an attribute.
        case 9, 10, 13: output += "&#\(byte);".utf8
        default: output.append(byte)
        }
    }

    /// Returns the reason why a text is not allowed in this context; nil if it is.
    private func refusal(of text: String) -> String? {
        switch self {
        case .word, .iniName:
            if text.utf8.isEmpty { return "is empty where a word is required; write a section around the tag" }
            if let other = text.unicodeScalars.first(where: { !Self.isOfWord($0) }) {
                return
                    "holds \(Self.name(of: other)); only ASCII letters, digits and _ - . : / @ + , % are allowed there"
            }
        case .line: return Self.control(in: text)
        case .iniValue: return Self.control(in: text) ?? Self.edges(of: text)
        case .iniQuoted:
            if let refusal = Self.control(in: text) { return refusal }
            for scalar in text.unicodeScalars where "\"'\\".unicodeScalars.contains(scalar) {
                return "holds \(Self.name(of: scalar)), which quotes of an INI file cannot hold"
            }
            // Some readers search for comments before they parse quotes.
            return Self.comment(in: Array(text.utf8), before: 0)
        case .shell: if text.utf8.contains(0) { return "holds a NUL character, which a shell cannot hold" }
        case .xml:
            for scalar in text.unicodeScalars where !Self.isOfXML(scalar) {
                return "holds \(Self.name(of: scalar)), which XML cannot hold"
            }
        case .json, .jsonName: break
        }
        return nil
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", ":", "/", "@", "+", ",", "%": true
        default: false
        }
    }

    private static func isOfXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10, 13, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }

    /// Refuses control characters, and the line and paragraph separators of Unicode.
    private static func control(in text: String) -> String? {
        for scalar in text.unicodeScalars {
            let value = scalar.value
            if value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029 {
                return "holds \(name(of: scalar)), which a line of the file cannot hold"
            }
        }
        return nil
    }

    /// Refuses text that readers of INI files take for comments, quotes, blanks to trim, or a continued line.
    private static func edges(of text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last else { return nil }
        let blank = UInt8(ascii: " ")
        if first == blank || last == blank { return "begins or ends with a blank, which an INI file would lose" }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            return "begins with a quote, which an INI file would take for its own"
        }
        if last == UInt8(ascii: "\\") { return "ends with a backslash, which would join it to the next line" }
        return comment(in: bytes, before: blank)
    }

    /// Refuses text that readers of INI files may take for the start of a comment; `before` is the byte before the
    /// text.
    private static func comment(in bytes: [UInt8], before: UInt8) -> String? {
        var before = before
        for byte in bytes {
            if before == UInt8(ascii: " "), byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") {
                return "holds “\(byte == UInt8(ascii: "#") ? "#" : ";")” where an INI file would take it for a comment"
            }
            before = byte
        }
        return nil
    }

    /// Returns the name of a character for a message; other characters may be part of a secret, and are not shown.
    private static func name(of scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0: "a NUL character"
        case 9: "a tab"
        case 10: "a line break"
        case 13: "a carriage return"
        case 0x20: "a blank"
        case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029: "a control character"
        case 0x22: "a double quote"
        case 0x27: "a single quote"
        case 0x5C: "a backslash"
        default: "another character"
        }
    }
}
