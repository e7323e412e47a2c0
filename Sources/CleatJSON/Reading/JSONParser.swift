/// Parses one document without recursion: finished elements and members are on two stacks until their container ends.
///
/// It must not outlive the bytes.
struct JSONParser: ~Copyable {
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

    private var scanner: JSONScanner
    private var frames: [Frame] = []
    private var elements: [JSONValue] = []
    private var members: [JSONObject.Element] = []
    private var count = 0
    private var marks: [Mark]?
    /// The only values whose places are recorded; nil for all.
    var wanted: Set<[String]>?
    /// The member of the top level whose list or object is not read; nil to read all.
    var skipped: String?

    init(_ bytes: UnsafeRawBufferPointer, dialect: JSONDialect, limits: JSONLimits, withLocations: Bool) {
        scanner = unsafe JSONScanner(bytes, dialect: dialect, limits: limits)
        self.marks = withLocations ? [] : nil
    }

    mutating func readDocument() throws(JSONFailure) -> JSONValue {
        guard scanner.end <= scanner.limits.size else {
            throw JSONFailure(
                code: .tooLarge, offset: 0,
                message: "the document has \(scanner.end) bytes; at most \(scanner.limits.size) are allowed"
            )
        }
        if scanner.end >= 3, scanner.byte(at: 0) == 0xef, scanner.byte(at: 1) == 0xbb, scanner.byte(at: 2) == 0xbf {
            throw JSONFailure(
                code: .invalidText, offset: 0, message: "a byte order mark: save the file as UTF-8 without one")
        }
        try scanner.skipBlank()
        while true {
            guard var value = try beginValue() else { continue }
            while true {
                try scanner.skipBlank()
                guard !frames.isEmpty else {
                    guard scanner.position == scanner.end else {
                        throw try scanner.unexpected("after the end of the document")
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
        guard scanner.position < scanner.end else { throw scanner.endOfDocument("a value") }
        count += 1
        guard count <= scanner.limits.values else {
            throw JSONFailure(
                code: .tooManyValues, offset: scanner.position,
                message: "the document has too many values; at most \(scanner.limits.values) are allowed")
        }
        if marks != nil { mark(isKey: false) }
        let first = scanner.byte(at: scanner.position)
        switch first {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            if let skipped, frames.count == 1, frames[0].isObject, frames[0].key.utf8.elementsEqual(skipped.utf8) {
                try scanner.skipContainer()
                return .null
            }
            let isObject = first == UInt8(ascii: "{")
            guard frames.count < scanner.limits.depth else {
                throw JSONFailure(
                    code: .tooDeep, offset: scanner.position,
                    message:
                        "arrays and objects are nested too deep; at most \(scanner.limits.depth) levels are allowed")
            }
            let base = isObject ? members.count : elements.count
            frames.append(Frame(isObject: isObject, base: base, opener: scanner.position))
            scanner.position += 1
            try scanner.skipBlank()
            if scanner.position < scanner.end,
                scanner.byte(at: scanner.position) == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
            {
                scanner.position += 1
                return closeContainer()
            }
            if isObject { try readKey() }
            return nil
        case UInt8(ascii: "\""):
            return .string(try scanner.readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try scanner.readNumber()
        case UInt8(ascii: "t") where scanner.takeWord("true"): return .bool(true)
        case UInt8(ascii: "f") where scanner.takeWord("false"): return .bool(false)
        case UInt8(ascii: "n") where scanner.takeWord("null"): return .null
        case UInt8(ascii: "'") where scanner.isJSON5:
            return .string(try scanner.readString())
        case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "I"), UInt8(ascii: "N"):
            if scanner.isJSON5 { return try scanner.readNumber() }
            throw try scanner.unexpectedValue()
        default:
            throw try scanner.unexpectedValue()
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
        guard scanner.position < scanner.end else {
            throw scanner.endOfDocument(isObject ? "',' or '}'" : "',' or ']'")
        }
        let next = scanner.byte(at: scanner.position)
        if next == UInt8(ascii: ",") {
            scanner.position += 1
            try scanner.skipBlank()
            if scanner.position < scanner.end, scanner.byte(at: scanner.position) == closer {
                guard scanner.isJSON5 else {
                    throw JSONFailure(
                        code: .syntax, offset: scanner.position,
                        message: "a comma before '\(isObject ? "}" : "]")': remove it (only JSON5 allows it)")
                }
            } else {
                if isObject { try readKey() }
                return nil
            }
        } else if next != closer {
            throw try scanner.unexpected(isObject ? "found, expected ',' or '}'" : "found, expected ',' or ']'")
        }
        scanner.position += 1
        return closeContainer()
    }

    private mutating func closeContainer() -> JSONValue {
        let frame = frames.removeLast()
        if frame.isObject {
            let own = Self.takeEnd(of: &members, from: frame.base)
            return .object(JSONObject(members: own, positions: frame.positions))
        }
        return .array(Self.takeEnd(of: &elements, from: frame.base))
    }

    /// Removes the end of a stack; returns it as an array that has no more memory than it needs.
    @inline(__always)
    private static func takeEnd<Element>(of stack: inout [Element], from base: Int) -> [Element] {
        let count = stack.count - base
        let end = unsafe Array<Element>(unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count { unsafe buffer.initializeElement(at: index, to: stack[base + index]) }
            initialized = count
        }
        stack.removeLast(count)
        return end
    }

    /// Reads a key and the colon, and moves to the value.
    private mutating func readKey() throws(JSONFailure) {
        guard scanner.position < scanner.end else { throw scanner.endOfDocument("a key") }
        let start = scanner.position
        let key: String
        switch scanner.byte(at: scanner.position) {
        case UInt8(ascii: "\""):
            key = try scanner.readString()
        case UInt8(ascii: "'") where scanner.isJSON5:
            key = try scanner.readString()
        default:
            guard scanner.isJSON5 else { throw try scanner.unexpected("found, expected a key in double quotes") }
            key = try scanner.readIdentifier()
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
        try scanner.skipBlank()
        guard scanner.position < scanner.end else { throw scanner.endOfDocument("':'") }
        guard scanner.byte(at: scanner.position) == UInt8(ascii: ":") else {
            throw try scanner.unexpected("found, expected ':'")
        }
        scanner.position += 1
        try scanner.skipBlank()
    }

    private mutating func mark(isKey: Bool, at offset: Int? = nil) {
        let pointer = frames.map { $0.isObject ? $0.key : String($0.count) }
        if let wanted, !wanted.contains(pointer) { return }
        marks?.append(Mark(pointer: pointer, offset: offset ?? scanner.position, isKey: isKey))
    }

    /// Converts the marks, which are in the order of the text, to lines and columns.
    func makeLocations() -> JSONLocations {
        var locations = JSONLocations()
        guard let marks else { return locations }
        var counter = JSONLineCounter()
        for mark in marks {
            unsafe counter.advance(to: mark.offset, in: scanner.bytes)
            locations.note(mark.pointer, isKey: mark.isKey, at: counter.position)
        }
        return locations
    }

    /// Converts a failure to an error with line and column.
    func makeError(_ failure: JSONFailure) -> JSONError {
        let position = scanner.place(of: failure.offset)
        var message = failure.message
        if failure.isEnd, let frame = frames.last {
            let container = frame.isObject ? "object" : "array"
            message += "; the \(container) of \(scanner.place(of: frame.opener)) is not closed"
        }
        return JSONError(
            code: failure.code, line: position.line, column: position.column, offset: failure.offset,
            message: message)
    }

    /// Returns a key for a message, as JSON and shortened if it is long.
    private func quoted(_ key: String) -> String {
        JSONWriter.write(.string(key.utf8.count > 200 ? String(key.unicodeScalars.prefix(60)) + "…" : key))
    }
}
