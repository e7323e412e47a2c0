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
    private static let indent = String(repeating: " ", count: indentation)

    /// The text that was not taken yet.
    private var text = ""
    /// True for each open object that has an item, the outermost first.
    private var objects = [false]

    /// Begins a document, which is an object; the comment is above it.
    package init(comment: String? = nil) {
        if let comment { text = Self.comment(comment, indentation: 0) }
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

    // MARK: Items

    /// Writes a comment of its own, such as the name of an omitted member.
    package mutating func add(comment: String) { begin(comment) }

    /// Writes a member, with the comment above it.
    package mutating func add(_ key: String, _ value: JSONValue, comment: String? = nil) {
        begin(comment)
        indent(objects.count)
        text += Self.key(key)
        text += ": "
        self.value(value, level: objects.count)
        text += ",\n"
    }

    /// Writes a member that is only shown: it is commented out.
    package mutating func show(_ key: String, _ value: JSONValue, comment: String? = nil) {
        begin(comment)
        indent(objects.count)
        text += "// " + Self.key(key) + ": " + Self.line(value) + ",\n"
    }

    /// Begins a member that is an object; ``close()`` ends it.
    package mutating func open(_ key: String) {
        begin(nil)
        indent(objects.count)
        text += Self.key(key) + ": "
        objects.append(false)
    }

    /// Ends the innermost object that is a member.
    package mutating func close() {
        guard objects.count > 1 else { return }
        end()
        text += ",\n"
    }

    /// Ends the document, with a line break.
    package mutating func finish() {
        while objects.count > 1 { close() }
        end()
        text += "\n"
    }

    /// The number of bytes of text that was not taken yet.
    package var count: Int { text.utf8.count }

    /// Takes the text that was not taken yet.
    package mutating func take() -> String {
        defer { text = "" }
        return text
    }

    /// Begins an item of the innermost object, with a comment above it.
    private mutating func begin(_ comment: String?) {
        if objects.last == false {
            text += "{\n"
            objects[objects.count - 1] = true
        }
        if let comment { text += Self.comment(comment, indentation: objects.count * Self.indentation) }
    }

    private mutating func end() {
        guard objects.removeLast() else {
            text += "{}"
            return
        }
        indent(objects.count)
        text += "}"
    }

    private mutating func indent(_ level: Int) {
        for _ in 0..<level { text += Self.indent }
    }

    // MARK: Values

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
            text += "{\n"
            for member in object {
                indent(level + 1)
                text += Self.key(member.key) + ": "
                self.value(member.value, level: level + 1)
                text += ",\n"
            }
            indent(level)
            text += "}"
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
