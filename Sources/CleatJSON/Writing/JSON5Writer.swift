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

    /// The bytes of the text that was not taken yet.
    private var text: [UInt8] = []
    /// True for each open object that has an item, the outermost first.
    private var objects = [false]

    /// Begins a document, which is an object; the comment is above it.
    package init(comment: String? = nil) {
        if let comment { write(Self.comment(comment, indentation: 0)) }
    }

    /// Writes a value on one line.
    package static func line(_ value: JSONValue) -> String {
        var writer = JSON5Writer()
        writer.inline(value)
        return writer.take()
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
        write(key: key)
        self.value(value, level: objects.count)
        write(",\n")
    }

    /// Writes a member that is only shown: it is commented out.
    package mutating func show(_ key: String, _ value: JSONValue, comment: String? = nil) {
        begin(comment)
        indent(objects.count)
        write("// ")
        write(key: key)
        inline(value)
        write(",\n")
    }

    /// Begins a member that is an object; ``close()`` ends it.
    package mutating func open(_ key: String) {
        begin(nil)
        indent(objects.count)
        write(key: key)
        objects.append(false)
    }

    /// Ends the innermost object that is a member.
    package mutating func close() {
        guard objects.count > 1 else { return }
        end()
        write(",\n")
    }

    /// Ends the document, with a line break.
    package mutating func finish() {
        while objects.count > 1 { close() }
        end()
        write("\n")
    }

    /// The number of bytes of text that was not taken yet.
    package var count: Int { text.count }

    /// Takes the text that was not taken yet.
    package mutating func take() -> String {
        defer { text.removeAll(keepingCapacity: true) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Begins an item of the innermost object, with a comment above it.
    private mutating func begin(_ comment: String?) {
        if objects.last == false {
            write("{\n")
            objects[objects.count - 1] = true
        }
        if let comment { write(Self.comment(comment, indentation: objects.count * Self.indentation)) }
    }

    private mutating func end() {
        guard objects.removeLast() else { return write("{}") }
        indent(objects.count)
        write("}")
    }

    private mutating func indent(_ level: Int) {
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: level * Self.indentation))
    }

    private mutating func write(_ string: String) { text += string.utf8 }

    // MARK: Values

    private mutating func value(_ value: JSONValue, level: Int) {
        let start = text.count
        inline(value)
        guard isLong(from: start, level: level) else { return }
        switch value {
        case .array(let values) where !values.isEmpty:
            text.removeLast(text.count - start)
            write("[\n")
            for value in values {
                indent(level + 1)
                self.value(value, level: level + 1)
                write(",\n")
            }
            indent(level)
            write("]")
        case .object(let object) where !object.isEmpty:
            text.removeLast(text.count - start)
            write("{\n")
            for member in object {
                indent(level + 1)
                write(key: member.key)
                self.value(member.value, level: level + 1)
                write(",\n")
            }
            indent(level)
            write("}")
        default: break
        }
    }

    /// Returns true if the text from a place on is too long for one line.
    private func isLong(from start: Int, level: Int) -> Bool {
        let width = Self.width - 20 - level * Self.indentation
        guard text.count - start > width else { return false }
        return text[start...].count { $0 & 0b1100_0000 != 0b1000_0000 } > width
    }

    private mutating func inline(_ value: JSONValue) {
        switch value {
        case .string(let string): write(quoted: string)
        case .array(let values):
            write("[")
            for (index, value) in values.enumerated() {
                if index > 0 { write(", ") }
                inline(value)
            }
            write("]")
        case .object(let object):
            write("{")
            for (index, member) in object.enumerated() {
                write(index > 0 ? ", " : " ")
                write(key: member.key)
                inline(member.value)
            }
            write(object.isEmpty ? "}" : " }")
        default: JSONWriter.write(value, into: &text)
        }
    }

    /// Writes a key and the colon behind it: bare if it is a plain ASCII identifier and not a reserved word.
    private mutating func write(key: String) {
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "$")
        }
        let bytes = key.utf8
        if let first = bytes.first, isLetter(first), !Self.reserved.contains(key),
            bytes.allSatisfy({ isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        {
            write(key)
        } else {
            write(quoted: key)
        }
        write(": ")
    }

    /// The words that older readers do not accept as names.
    private static let reserved: Set<String> = [
        "Infinity", "NaN", "__proto__", "await", "break", "case", "catch", "class", "const", "continue", "debugger",
        "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for", "function", "if",
        "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private",
        "protected", "public", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof",
        "undefined", "var", "void", "while", "with", "yield",
    ]

    /// Writes a string in double quotes, with every character escaped that an editor or a terminal interprets.
    private mutating func write(quoted string: String) {
        // The most common case needs none of the Unicode scalars.
        if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return JSONWriter.write(string, into: &text) }
        for scalar in JSONWriter.write(.string(string)).unicodeScalars {
            guard JSON5Comment.isActedUpon(scalar) else {
                text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                write("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
            }
        }
    }
}
