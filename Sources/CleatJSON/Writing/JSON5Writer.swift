/// Writes values as JSON5 for people: with comments, a comma after every member, and names without quotes if that is
/// safe.
///
/// The output reads back as an equal value, whatever the keys, strings and comments contain: no text of a comment can
/// end it, and every character that an editor or a terminal interprets is escaped or replaced.
package struct JSON5Writer: Sendable {
    /// The maximum column of comments.
    private static let width = 100
    /// The number of spaces for one level.
    private static let indentation = 4

    private var text = ""

    private init() {}

    /// Writes a document, which ends with a line break.
    package static func write(_ document: JSON5Document) -> String {
        var writer = JSON5Writer()
        if let comment = document.comment { writer.comment(comment, level: 0) }
        writer.node(document.root, level: 0)
        writer.text += "\n"
        return writer.text
    }

    /// Writes a value on one line.
    package static func line(_ value: JSONValue) -> String {
        var writer = JSON5Writer()
        writer.inline(value)
        return writer.text
    }

    /// Writes text as the lines of a comment, each beginning with two slashes.
    package static func comment(_ text: String, indentation: Int) -> String {
        let prefix = String(repeating: " ", count: indentation) + "//"
        return JSON5Comment.lines(text, width: max(20, width - indentation - 3))
            .map { ($0.isEmpty ? prefix : prefix + " " + $0) + "\n" }.joined()
    }

    private mutating func comment(_ comment: String, level: Int) {
        text += Self.comment(comment, indentation: level * Self.indentation)
    }

    private mutating func indent(_ level: Int) {
        text += String(repeating: " ", count: level * Self.indentation)
    }

    private mutating func node(_ node: JSON5Document.Node, level: Int) {
        switch node {
        case .value(let value): self.value(value, level: level)
        case .object(let items): object(items, level: level)
        }
    }

    private mutating func object(_ items: [JSON5Document.Item], level: Int) {
        guard !items.isEmpty else {
            text += "{}"
            return
        }
        text += "{\n"
        for item in items {
            switch item {
            case .comment(let comment): self.comment(comment, level: level + 1)
            case .member(let comment, let key, let value):
                if let comment { self.comment(comment, level: level + 1) }
                indent(level + 1)
                text += Self.key(key) + ": "
                node(value, level: level + 1)
                text += ",\n"
            case .shown(let comment, let key, let value):
                if let comment { self.comment(comment, level: level + 1) }
                indent(level + 1)
                text += "// " + Self.key(key) + ": " + Self.line(value) + ",\n"
            }
        }
        indent(level)
        text += "}"
    }

    private mutating func value(_ value: JSONValue, level: Int) {
        let line = Self.line(value)
        let isLong = line.unicodeScalars.count + level * Self.indentation > Self.width - 20
        switch value {
        case .array(let values) where isLong && !values.isEmpty:
            text += "[\n"
            for value in values {
                indent(level + 1)
                self.value(value, level: level + 1)
                text += ",\n"
            }
            indent(level)
            text += "]"
        case .object(let object) where isLong && !object.isEmpty:
            self.object(
                object.map { .member(comment: nil, key: $0.key, value: .value($0.value)) }, level: level)
        default: text += line
        }
    }

    private mutating func inline(_ value: JSONValue) {
        switch value {
        case .string(let string): text += Self.quoted(string)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += ", " }
                inline(value)
            }
            text += "]"
        case .object(let object):
            text += "{"
            for (index, member) in object.enumerated() {
                text += index > 0 ? ", " : " "
                text += Self.key(member.key) + ": "
                inline(member.value)
            }
            text += object.isEmpty ? "}" : " }"
        default: text += JSONWriter.write(value)
        }
    }

    /// Returns a key as written before the colon: bare if it is a plain ASCII identifier and not a reserved word.
    private static func key(_ key: String) -> String {
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "$")
        }
        let bytes = key.utf8
        guard let first = bytes.first, isLetter(first), !reserved.contains(key),
            bytes.allSatisfy({ isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return quoted(key) }
        return key
    }

    /// The words that older readers do not accept as names.
    private static let reserved: Set<String> = [
        "Infinity", "NaN", "__proto__", "await", "break", "case", "catch", "class", "const", "continue", "debugger",
        "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for", "function", "if",
        "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private",
        "protected", "public", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof",
        "undefined", "var", "void", "while", "with", "yield",
    ]

    /// Returns a string in double quotes, with every character escaped that an editor or a terminal interprets.
    private static func quoted(_ string: String) -> String {
        var bytes: [UInt8] = []
        JSONWriter.write(string, into: &bytes)
        let plain = String(decoding: bytes, as: UTF8.self)
        guard plain.unicodeScalars.contains(where: JSON5Comment.isActedUpon) else { return plain }
        var result = ""
        for scalar in plain.unicodeScalars {
            guard JSON5Comment.isActedUpon(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
        return result
    }
}
