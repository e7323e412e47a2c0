/// A failure inside the parser with its byte offset; line and column are only counted when it leaves the parser.
struct JSONFailure: Error {
    var code: JSONError.Code
    var offset: Int
    var message: String
}

/// Parses one document without recursion: finished elements and members are on two stacks until their container ends.
///
/// It must not outlive the bytes; every offset is compared with their number before the byte is read.
@safe struct JSONParser: ~Copyable {
    /// An array or object that is not closed yet.
    struct Frame {
        var isObject: Bool
        /// The index in the stack of its first finished element or member.
        var base: Int
        /// The offset of its opening bracket in the text.
        var opener: Int
        /// The key of the current member.
        var key = ""
        /// The number of finished elements.
        var count = 0
        var positions = KeyPositions()
    }

    /// The place of a key or a value.
    struct Mark {
        var pointer: [String]
        var offset: Int
        var isKey: Bool
    }

    let bytes: UnsafeRawBufferPointer
    let end: Int
    let isJSON5: Bool
    let limits: JSONLimits
    var position = 0
    /// The decoded bytes of a string with escapes.
    var scratch: [UInt8] = []
    private var frames: [Frame] = []
    private var elements: [JSONValue] = []
    private var members: [JSONObject.Element] = []
    private var count = 0
    private var marks: [Mark]?
    /// The only values whose places are recorded; nil for all.
    var wanted: Set<[String]>?

    init(_ bytes: UnsafeRawBufferPointer, dialect: JSONDialect, limits: JSONLimits, withLocations: Bool) {
        unsafe self.bytes = bytes
        self.end = bytes.count
        self.isJSON5 = dialect == .json5
        self.limits = limits
        self.marks = withLocations ? [] : nil
    }

    /// Returns the byte at an offset that the caller has compared with `end`.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        unsafe bytes[offset]
    }

    mutating func readDocument() throws(JSONFailure) -> JSONValue {
        guard end <= limits.size else {
            throw JSONFailure(
                code: .tooLarge, offset: 0, message: "the document has \(end) bytes; at most \(limits.size) are allowed"
            )
        }
        if end >= 3, byte(at: 0) == 0xef, byte(at: 1) == 0xbb, byte(at: 2) == 0xbf {
            throw JSONFailure(
                code: .invalidText, offset: 0, message: "a byte order mark: save the file as UTF-8 without one")
        }
        try skipBlank()
        while true {
            guard var value = try beginValue() else { continue }
            while true {
                try skipBlank()
                guard !frames.isEmpty else {
                    guard position == end else {
                        throw try unexpected("after the end of the document")
                    }
                    return value
                }
                guard let container = try endValue(value) else { break }
                value = container
            }
        }
    }

    /// Reads a scalar or an empty container, or opens a container and moves to its first value.
    private mutating func beginValue() throws(JSONFailure) -> JSONValue? {
        guard position < end else { throw endOfDocument("a value") }
        count += 1
        guard count <= limits.values else {
            throw JSONFailure(
                code: .tooManyValues, offset: position,
                message: "the document has too many values; at most \(limits.values) are allowed")
        }
        if marks != nil { mark(isKey: false) }
        let first = byte(at: position)
        switch first {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let isObject = first == UInt8(ascii: "{")
            guard frames.count < limits.depth else {
                throw JSONFailure(
                    code: .tooDeep, offset: position,
                    message: "arrays and objects are nested too deep; at most \(limits.depth) levels are allowed")
            }
            let base = isObject ? members.count : elements.count
            frames.append(Frame(isObject: isObject, base: base, opener: position))
            position += 1
            try skipBlank()
            if position < end, byte(at: position) == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                position += 1
                return closeContainer()
            }
            if isObject { try readKey() }
            return nil
        case UInt8(ascii: "\""):
            return .string(try readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try readNumber()
        case UInt8(ascii: "t") where takeWord("true"): return .bool(true)
        case UInt8(ascii: "f") where takeWord("false"): return .bool(false)
        case UInt8(ascii: "n") where takeWord("null"): return .null
        case UInt8(ascii: "'") where isJSON5:
            return .string(try readString())
        case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "I"), UInt8(ascii: "N"):
            if isJSON5 { return try readNumber() }
            throw try unexpectedValue()
        default:
            throw try unexpectedValue()
        }
    }

    /// Adds a finished value to its container; returns the container if it ends as well.
    private mutating func endValue(_ value: JSONValue) throws(JSONFailure) -> JSONValue? {
        let top = frames.count - 1
        let isObject = frames[top].isObject
        if isObject {
            members.append((frames[top].key, value))
        } else {
            elements.append(value)
        }
        frames[top].count += 1
        let closer = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        guard position < end else { throw endOfDocument(isObject ? "',' or '}'" : "',' or ']'") }
        let next = byte(at: position)
        if next == UInt8(ascii: ",") {
            position += 1
            try skipBlank()
            if position < end, byte(at: position) == closer {
                guard isJSON5 else {
                    throw JSONFailure(
                        code: .syntax, offset: position,
                        message: "a comma before '\(isObject ? "}" : "]")': remove it (only JSON5 allows it)")
                }
            } else {
                if isObject { try readKey() }
                return nil
            }
        } else if next != closer {
            throw try unexpected(isObject ? "where ',' or '}' must stand" : "where ',' or ']' must stand")
        }
        position += 1
        return closeContainer()
    }

    private mutating func closeContainer() -> JSONValue {
        let frame = frames.removeLast()
        if frame.isObject {
            let own = Array(members[frame.base...])
            members.removeSubrange(frame.base...)
            return .object(JSONObject(members: own, positions: frame.positions))
        }
        let own = Array(elements[frame.base...])
        elements.removeSubrange(frame.base...)
        return .array(own)
    }

    /// Reads a key and the colon, and moves to the value.
    private mutating func readKey() throws(JSONFailure) {
        guard position < end else { throw endOfDocument("a key") }
        let start = position
        let key: String
        switch byte(at: position) {
        case UInt8(ascii: "\""):
            key = try readString()
        case UInt8(ascii: "'") where isJSON5:
            key = try readString()
        default:
            guard isJSON5 else { throw try unexpected("where a key in double quotes must stand") }
            key = try readIdentifier()
        }
        let top = frames.count - 1
        let base = frames[top].base
        guard frames[top].positions.position(of: key, in: members, from: base) == nil else {
            throw JSONFailure(
                code: .duplicateKey, offset: start, message: "the object has the key \(quoted(key)) twice: remove one")
        }
        frames[top].positions.add(key, in: members, from: base)
        frames[top].key = key
        if marks != nil { mark(isKey: true, at: start) }
        try skipBlank()
        guard position < end else { throw endOfDocument("':'") }
        guard byte(at: position) == UInt8(ascii: ":") else { throw try unexpected("where ':' must stand") }
        position += 1
        try skipBlank()
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard end - position >= length else { return false }
        for index in 0..<length {
            guard unsafe bytes[position + index] == word.utf8Start[index] else { return false }
        }
        // A longer word is not this word.
        if position + length < end, Self.isWordByte(byte(at: position + length)) { return false }
        position += length
        return true
    }

    private mutating func mark(isKey: Bool, at offset: Int? = nil) {
        let pointer = frames.map { $0.isObject ? $0.key : String($0.count) }
        if let wanted, !wanted.contains(pointer) { return }
        marks?.append(Mark(pointer: pointer, offset: offset ?? position, isKey: isKey))
    }

    /// Converts the marks, which are in the order of the text, to lines and columns.
    func makeLocations() -> JSONLocations {
        var locations = JSONLocations()
        var counter = JSONLineCounter()
        for mark in marks ?? [] {
            unsafe counter.advance(to: mark.offset, in: bytes)
            locations.note(mark.pointer, isKey: mark.isKey, at: counter.position)
        }
        return locations
    }

    /// Converts a failure to an error with line and column.
    func makeError(_ failure: JSONFailure) -> JSONError {
        let position = self.place(of: failure.offset)
        return JSONError(
            code: failure.code, line: position.line, column: position.column, offset: failure.offset,
            message: failure.message)
    }

    /// Returns the line and column of a byte.
    func place(of offset: Int) -> JSONPosition {
        var counter = JSONLineCounter()
        unsafe counter.advance(to: offset, in: bytes)
        return counter.position
    }

    /// Returns the failure of a document that ends too early.
    func endOfDocument(_ expected: String) -> JSONFailure {
        var message = "the document ends where \(expected) must stand"
        if let frame = frames.last {
            message += "; the \(frame.isObject ? "object" : "array") of \(place(of: frame.opener)) is not closed"
        } else if position == 0 {
            message = "the document is empty"
        }
        return JSONFailure(code: .unexpectedEnd, offset: position, message: message)
    }
}
