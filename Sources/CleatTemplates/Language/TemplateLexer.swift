import CleatJSON

/// Splits the text of a template into tags and the text between them.
///
/// A line with nothing but blanks and one section tag or comment is removed, with its line end.
struct TemplateLexer {
    private let bytes: [UInt8]
    private var tokens: [TemplateToken] = []
    private var text: [UInt8] = []
    private var place = 0
    private var tags = 0
    /// The position of the byte at `counted`.
    private var position = JSONPosition(line: 1, column: 1)
    private var counted = 0
    private(set) var problems: [TemplateError] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the whole text; errors are added to `problems`.
    mutating func read() -> [TemplateToken] {
        while place < bytes.count, problems.count < TemplateLimits.problems {
            if starts(with: Self.open, at: place) {
                guard readTag() else { break }
            } else {
                text.append(bytes[place])
                place += 1
            }
        }
        flush()
        return tokens
    }

    private mutating func flush() {
        if !text.isEmpty { tokens.append(.text(text)) }
        text = []
    }

    private static let open = Array("{{".utf8)
    private static let close = Array("}}".utf8)
    private static let closeText = Array("\"}}".utf8)

    private func starts(with mark: [UInt8], at place: Int) -> Bool {
        guard place + mark.count <= bytes.count else { return false }
        return bytes[place] == mark[0] && bytes[place..<(place + mark.count)].elementsEqual(mark)
    }

    private func end(_ mark: [UInt8], from start: Int) -> Int? {
        let limit = min(bytes.count, start + TemplateLimits.tagBytes)
        return (start..<max(start, limit)).first { starts(with: mark, at: $0) }
    }

    /// Reads the tag at the current place; returns false if reading must stop.
    private mutating func readTag() -> Bool {
        let position = locate(place)
        tags += 1
        if tags > TemplateLimits.tags {
            problems.append(
                TemplateError(position, "the template has more than \(TemplateLimits.tags) tags; make it smaller"))
            return false
        }
        let inside = place + 2
        let first = inside < bytes.count ? bytes[inside] : 0
        if first == UInt8(ascii: "!") { return readComment(position) }
        if first == UInt8(ascii: "\"") { return readText(position) }
        guard let end = end(Self.close, from: inside) else { return unclosed(position, "}}") }
        let refused: String? =
            switch first {
            case UInt8(ascii: "{"):
                "three braces mean nothing: every value is escaped; for a brace before a tag write {{\"{\"}}"
            case UInt8(ascii: "&"): "every value is escaped; remove the &"
            case UInt8(ascii: ">"): "templates cannot include others; write the text here"
            case UInt8(ascii: "="): "the braces cannot be changed; for braces in the text write {{\"{{\"}}"
            default: nil
            }
        if let refused {
            problems.append(TemplateError(position, refused))
            place = end + 2
            return true
        }
        let kind: TemplateTag.Kind =
            switch first {
            case UInt8(ascii: "#"): .section
            case UInt8(ascii: "^"): .inverted
            case UInt8(ascii: "/"): .close
            default: .variable
            }
        let name = trimmed(bytes[min(kind == .variable ? inside : inside + 1, end)..<end])
        if name.isEmpty {
            problems.append(TemplateError(position, "the tag is empty; write the path of a setting into it"))
            place = end + 2
            return true
        }
        finish(end + 2, standsAlone: kind != .variable)
        flush()
        tokens.append(.tag(TemplateTag(kind: kind, name: name, position: position)))
        return true
    }

    private mutating func readComment(_ position: JSONPosition) -> Bool {
        var end = place + 3
        while end < bytes.count, !starts(with: Self.close, at: end) { end += 1 }
        guard end < bytes.count else { return unclosed(position, "}}") }
        finish(end + 2, standsAlone: true)
        return true
    }

    private mutating func readText(_ position: JSONPosition) -> Bool {
        let start = place + 3
        guard let end = end(Self.closeText, from: start) else { return unclosed(position, "\"}}") }
        text += bytes[start..<end]
        place = end + 3
        return true
    }

    private mutating func unclosed(_ position: JSONPosition, _ mark: String) -> Bool {
        problems.append(
            TemplateError(
                position, "the tag is not closed within \(TemplateLimits.tagBytes) bytes; end it with \(mark)"))
        return false
    }

    /// Continues after a tag, and removes the rest of the line if the tag is alone on it.
    private mutating func finish(_ end: Int, standsAlone: Bool) {
        defer { if place < end { place = end } }
        guard standsAlone else { return }
        var before = place
        while before > 0, Self.isBlank(bytes[before - 1]) { before -= 1 }
        guard before == 0 || bytes[before - 1] == UInt8(ascii: "\n") else { return }
        var after = end
        while after < bytes.count, Self.isBlank(bytes[after]) { after += 1 }
        if after + 1 < bytes.count, bytes[after] == UInt8(ascii: "\r"), bytes[after + 1] == UInt8(ascii: "\n") {
            after += 1
        }
        guard after == bytes.count || bytes[after] == UInt8(ascii: "\n") else { return }
        text.removeLast(min(place - before, text.count))
        place = min(after + 1, bytes.count)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private func trimmed(_ slice: ArraySlice<UInt8>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { Self.isBlank(byte) || byte == 10 || byte == 13 }
        let start = slice.firstIndex { !isSpace($0) } ?? slice.endIndex
        let end = slice.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return String(decoding: slice[start..<end], as: UTF8.self)
    }

    /// Returns the line and column, in Unicode scalars, of a byte at or after the last one that was located.
    private mutating func locate(_ offset: Int) -> JSONPosition {
        var line = position.line
        var column = position.column
        for byte in bytes[counted..<offset] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
        position = JSONPosition(line: line, column: column)
        counted = offset
        return position
    }
}

/// A token of a template's text.
enum TemplateToken: Sendable {
    /// Text, with escapes of tags resolved.
    case text([UInt8])
    /// A tag other than a comment or an escaped text.
    case tag(TemplateTag)
}

/// A tag as it is written in the template.
struct TemplateTag: Sendable {
    enum Kind: Sendable { case variable, section, inverted, close }

    let kind: Kind
    /// The content of the tag, without surrounding white space.
    let name: String
    /// The position of the tag's first byte.
    let position: JSONPosition
}
