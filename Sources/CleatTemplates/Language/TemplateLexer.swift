import CleatJSON

/// Splits the text of a template into tags and the text between them.
///
/// A line with nothing but blanks and one section tag or comment is removed, with its line end.
struct TemplateLexer {
    private let bytes: [UInt8]
    /// The template's own text so far: escapes of tags are resolved, comments are removed.
    private(set) var text: [UInt8] = []
    private(set) var problems: [TemplateError] = []
    private var place = 0
    private var tags = 0
    /// The number of bytes of `text` before the last tag.
    private var fixed = 0
    /// The position of the byte at `counted`.
    private var position = JSONPosition(line: 1, column: 1)
    private var counted = 0
    /// True if the rest cannot be read.
    private var isLost = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        text.reserveCapacity(bytes.count)
    }

    private static let brace = UInt8(ascii: "{")

    /// Reads up to the end of the next tag; nil at the end of the text.
    ///
    /// Errors are added to `problems`.
    mutating func next() -> TemplateTag? {
        while !isLost, problems.count < TemplateLimits.problems, let start = nextBraces() {
            text += bytes[place..<start]
            place = start
            if let tag = readTag() { return tag }
        }
        if !isLost, problems.count < TemplateLimits.problems {
            text += bytes[place...]
            place = bytes.count
        }
        return nil
    }

    /// Returns the place of the next two braces.
    private func nextBraces() -> Int? {
        let bytes = bytes.span
        var start = place
        while start + 1 < bytes.count {
            if bytes[start] == Self.brace, bytes[start + 1] == Self.brace { return start }
            start += 1
        }
        return nil
    }

    /// Returns the place of two closing braces, or of a quote before them, within the limit of a tag.
    private func end(quoted: Bool, from start: Int, limit: Int) -> Int? {
        let length = quoted ? 3 : 2
        let first = UInt8(ascii: quoted ? "\"" : "}")
        let bytes = bytes.span
        let end = min(limit, bytes.count - length + 1)
        var place = start
        while place < end {
            if bytes[place] == first, bytes[place + 1] == UInt8(ascii: "}"),
                bytes[place + length - 1] == UInt8(ascii: "}")
            {
                return place
            }
            place += 1
        }
        return nil
    }

    private func end(quoted: Bool, from start: Int) -> Int? {
        end(quoted: quoted, from: start, limit: start + TemplateLimits.tagBytes)
    }

    /// Reads the tag at the current place; nil if it is a comment, an escaped text, or an error.
    private mutating func readTag() -> TemplateTag? {
        let position = locate(place)
        tags += 1
        if tags > TemplateLimits.tags {
            problems.append(
                TemplateError(position, "the template has more than \(TemplateLimits.tags) tags; make it smaller"))
            isLost = true
            return nil
        }
        let inside = place + 2
        let first = inside < bytes.count ? bytes[inside] : 0
        if first == UInt8(ascii: "!") {
            readComment(position)
            return nil
        }
        if first == UInt8(ascii: "\"") {
            readText(position)
            return nil
        }
        guard let end = end(quoted: false, from: inside) else {
            refuseUnclosed(position, "}}")
            return nil
        }
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
            return nil
        }
        let kind: TemplateTag.Kind =
            switch first {
            case UInt8(ascii: "#"): .section
            case UInt8(ascii: "^"): .inverted
            case UInt8(ascii: "/"): .close
            default: .variable
            }
        let name = trimmed(kind == .variable ? inside : inside + 1, end)
        if name.isEmpty {
            problems.append(TemplateError(position, "the tag is empty; write the path of a setting into it"))
            place = end + 2
            return nil
        }
        finish(end + 2, standsAlone: kind != .variable)
        fixed = text.count
        return TemplateTag(kind: kind, name: TemplateTag.Name(bytes: name), position: position, textEnd: fixed)
    }

    private mutating func readComment(_ position: JSONPosition) {
        guard let end = end(quoted: false, from: place + 3, limit: bytes.count) else {
            return refuseUnclosed(position, "}}")
        }
        finish(end + 2, standsAlone: true)
    }

    private mutating func readText(_ position: JSONPosition) {
        let start = place + 3
        guard let end = end(quoted: true, from: start) else { return refuseUnclosed(position, "\"}}") }
        text += bytes[start..<end]
        place = end + 3
    }

    private mutating func refuseUnclosed(_ position: JSONPosition, _ mark: String) {
        problems.append(
            TemplateError(
                position, "the tag is not closed within \(TemplateLimits.tagBytes) bytes; end it with \(mark)"))
        isLost = true
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
        text.removeLast(min(place - before, text.count - fixed))
        place = min(after + 1, bytes.count)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Returns the bytes of a range without the white space at both ends.
    private func trimmed(_ start: Int, _ end: Int) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { Self.isBlank(byte) || byte == 10 || byte == 13 }
        var (start, end) = (start, end)
        while start < end, isSpace(bytes[start]) { start += 1 }
        while start < end, isSpace(bytes[end - 1]) { end -= 1 }
        return bytes[start..<end]
    }

    /// Returns the line and column, in Unicode scalars, of a byte at or after the last one that was located.
    private mutating func locate(_ offset: Int) -> JSONPosition {
        var (line, column) = (position.line, position.column)
        // A copy, so that the position can be set at the end.
        let text = bytes
        let bytes = text.span
        for index in counted..<offset {
            if bytes[index] == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if bytes[index] & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
        position = JSONPosition(line: line, column: column)
        counted = offset
        return position
    }
}

/// A tag as it is written in the template.
struct TemplateTag: Sendable {
    enum Kind: Sendable { case variable, section, inverted, close }

    let kind: Kind
    /// The content of the tag, without surrounding white space.
    let name: Name
    /// The position of the tag's first byte.
    let position: JSONPosition
    /// The number of bytes of the template's own text before it.
    let textEnd: Int
}

extension TemplateTag {
    /// The content of a tag, by its bytes.
    struct Name: Sendable, Hashable {
        let bytes: ArraySlice<UInt8>

        /// The name as text.
        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The name for messages: printable, and shortened.
        var shown: String {
            let scalars = text.unicodeScalars
            let printable = scalars.prefix(64).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }
            return printable.joined() + (scalars.count > 64 ? "…" : "")
        }

        /// Returns the name without a prefix; nil if it does not begin with it.
        func withoutPrefix(_ prefix: String) -> Name? {
            bytes.starts(with: prefix.utf8) ? Name(bytes: bytes.dropFirst(prefix.utf8.count)) : nil
        }

        static func == (name: Name, text: StaticString) -> Bool {
            unsafe name.bytes.elementsEqual(
                UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        static func == (left: Name, right: Name) -> Bool {
            let (left, right) = (left.bytes.span, right.bytes.span)
            return left.count == right.count && left.indices.allSatisfy { left[$0] == right[$0] }
        }

        func hash(into hasher: inout Hasher) {
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }
}
