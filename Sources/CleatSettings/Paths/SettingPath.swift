/// The path of one setting, or of all settings below it, in the tree: `network/interfaces/eth0/mtu`.
///
/// A path has 1 to 16 segments of 1 to 255 bytes and at most 1,024 bytes in all, each as written. It is UTF-8 without
/// control characters and without segments `.` and `..`. Inside a segment `/` is written `~1` and `~` is written `~0`
/// (RFC 6901). Paths are equal, and ordered, by the bytes of their text.
public struct SettingPath: Sendable {
    /// The most bytes that the text of a path may have.
    public static let maximumBytes = 1024
    /// The most segments that a path may have.
    public static let maximumSegments = 16
    /// The most bytes that one segment may have, as written.
    public static let maximumSegmentBytes = 255

    /// The path as written, escapes included.
    public let text: String

    /// Reads a path from its text.
    ///
    /// - Parameter text: segments with slashes between them.
    /// - Throws: the rule that `text` breaks.
    public init(_ text: String) throws(SettingPathError) {
        if let code = Self.brokenRule(text) {
            throw SettingPathError(code, text)
        }
        var native = text
        native.makeContiguousUTF8()
        self.text = native
    }

    /// Makes a path from a text that is known to be valid.
    init(trusted text: String) {
        self.text = text
    }

    /// Makes a path from unescaped segments.
    ///
    /// - Parameter segments: names from the root down; they are escaped as needed.
    /// - Throws: the rule that the path would break.
    public init(segments: [String]) throws(SettingPathError) {
        if segments.contains("") {
            throw SettingPathError(.emptySegment, segments.joined(separator: "/"))
        }
        try self.init(segments.map(Self.escaped).joined(separator: "/"))
    }

    /// The names from the root down, without escapes.
    public var segments: [String] {
        Array(names)
    }

    /// The names from the root down, without escapes, one at a time.
    var names: Names { Names(text: text) }

    /// The names of a path, from the root down.
    struct Names: Sequence, IteratorProtocol {
        private var text: String
        /// The byte at which the next segment begins.
        private var start = 0

        fileprivate init(text: String) {
            self.text = text
            self.text.makeContiguousUTF8()
        }

        /// Continues with the last name.
        fileprivate mutating func skipToLast() {
            start = text.withUTF8 { unsafe ($0.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1 }
        }

        /// True if there are no more names.
        var isAtEnd: Bool { start >= text.utf8.count }

        /// Continues with the next name if a search by its bytes, without making a text of them, finds something.
        ///
        /// - Parameter search: gets the bytes of the name; it is not called for a name with escapes.
        /// - Returns: what was found; nil if nothing was skipped.
        mutating func next<Found>(where search: (UnsafeBufferPointer<UInt8>) -> Found?) -> Found? {
            let start = start
            let (found, end) = text.withUTF8 { bytes in
                let (end, isEscaped) = unsafe Self.end(of: bytes, from: start)
                return unsafe isEscaped ? (nil, end) : (search(UnsafeBufferPointer(rebasing: bytes[start..<end])), end)
            }
            if found != nil { self.start = end + 1 }
            return found
        }

        /// Finds the end of the name that begins at a byte, and whether it has escapes.
        private static func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (end: Int, isEscaped: Bool) {
            var end = start
            var isEscaped = false
            while end < bytes.count, unsafe bytes[end] != UInt8(ascii: "/") {
                if unsafe bytes[end] == UInt8(ascii: "~") { isEscaped = true }
                end += 1
            }
            return (end, isEscaped)
        }

        @inline(never)
        mutating func next() -> String? {
            let (start, count) = (start, text.utf8.count)
            guard start < count else { return nil }
            let (name, end) = text.withUTF8 { bytes in
                let (end, isEscaped) = unsafe Self.end(of: bytes, from: start)
                let name = unsafe String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
                return (isEscaped ? unescaped(name[...]) : name, end)
            }
            self.start = end + 1
            return name
        }
    }

    /// The number of segments, 1 to 16.
    public var count: Int {
        text.utf8.reduce(1) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 }
    }

    /// The last segment, without escapes.
    public var name: String {
        var names = lastName
        return names.next() ?? ""
    }

    /// The last of the names.
    var lastName: Names {
        var names = names
        names.skipToLast()
        return names
    }

    /// The path without its last segment; nil if it has only one.
    public var parent: SettingPath? {
        let slash: Int?? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe $0.lastIndex(of: UInt8(ascii: "/"))
        }
        guard let count = slash ?? Array(text.utf8).lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return SettingPath(trusted: String(text[..<text.utf8.index(text.startIndex, offsetBy: count)]))
    }

    /// Returns true if the first name of the path is this one, which needs no escapes.
    package func begins(with name: String) -> Bool {
        guard ByteOrder.starts(text, with: name) else { return false }
        let rest = text.utf8.dropFirst(name.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }

    /// Returns the path of a direct child.
    ///
    /// - Parameter segment: the name of the child, not escaped.
    /// - Returns: the longer path.
    /// - Throws: the rule that the longer path would break.
    public func appending(_ segment: String) throws(SettingPathError) -> SettingPath {
        if segment.isEmpty {
            throw SettingPathError(.emptySegment, text + "/")
        }
        return try SettingPath(text + "/" + Self.escaped(segment))
    }

    /// Returns true if `other` is this path or is below it.
    public func isPrefix(of other: SettingPath) -> Bool {
        guard ByteOrder.starts(other.text, with: text) else { return false }
        let theirs = other.text.utf8
        let end = theirs.index(theirs.startIndex, offsetBy: text.utf8.count)
        return end == theirs.endIndex || theirs[end] == UInt8(ascii: "/")
    }

    /// Returns true if this path is below `other`.
    public func isBelow(_ other: SettingPath) -> Bool {
        self != other && other.isPrefix(of: self)
    }

    /// Returns the path of the first segments.
    ///
    /// - Parameter count: the number of segments, from 1; 0 gives an empty path, which is for messages only.
    /// - Returns: the path above.
    func beginning(_ count: Int) -> SettingPath {
        var end = text.utf8.startIndex
        for (index, part) in text.utf8.split(separator: UInt8(ascii: "/")).enumerated() where index < count {
            end = part.endIndex
        }
        return SettingPath(trusted: String(text[..<end]))
    }

    /// Returns the segment, as written, that begins after `count` bytes: those of a path and its slash.
    func segmentText(belowBytes count: Int) -> Substring {
        let bytes = text.utf8
        guard let start = bytes.index(bytes.startIndex, offsetBy: count, limitedBy: bytes.endIndex) else { return "" }
        let rest = bytes[start...]
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        return text[start..<end]
    }

    /// Returns true if the path consists of a prefix, which ends with a slash or is empty, and one more segment.
    func isMember(ofPrefix prefix: String) -> Bool {
        guard ByteOrder.starts(text, with: prefix) else { return false }
        let length = prefix.utf8.count
        return unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe !bytes[length...].contains(UInt8(ascii: "/"))
        } ?? !text.utf8.dropFirst(length).contains(UInt8(ascii: "/"))
    }

    /// The text that every path below this one begins with, and no other path.
    var prefixText: String { text + "/" }

    /// Writes a name as a segment: `~` as `~0`, `/` as `~1`.
    public static func escaped(_ segment: String) -> String {
        guard segment.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return segment
        }
        var result = ""
        for scalar in segment.unicodeScalars {
            switch scalar {
            case "~": result.append("~0")
            case "/": result.append("~1")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static func unescaped(_ segment: Substring) -> String {
        guard segment.utf8.contains(UInt8(ascii: "~")) else { return String(segment) }
        var result = ""
        var afterTilde = false
        for scalar in segment.unicodeScalars {
            if afterTilde {
                result.append(scalar == "1" ? "/" : "~")
                afterTilde = false
            } else if scalar == "~" {
                afterTilde = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func brokenRule(_ text: String) -> SettingPathError.Code? {
        unsafe text.utf8.withContiguousStorageIfAvailable { unsafe brokenRule($0) } ?? brokenRule(Array(text.utf8))
    }

    private static func brokenRule(_ bytes: [UInt8]) -> SettingPathError.Code? {
        unsafe bytes.withUnsafeBufferPointer { unsafe brokenRule($0) }
    }

    private static func brokenRule(_ bytes: UnsafeBufferPointer<UInt8>) -> SettingPathError.Code? {
        if bytes.isEmpty { return .empty }
        if bytes.count > maximumBytes { return .tooLong }
        if unsafe bytes.first == UInt8(ascii: "/") { return .leadingSlash }
        if unsafe bytes.last == UInt8(ascii: "/") { return .trailingSlash }
        var segments = 1
        var length = 0
        var dots = 0
        var before: UInt8 = 0
        for index in 0..<bytes.count {
            let byte = unsafe bytes[index]
            if before == UInt8(ascii: "~"), byte != UInt8(ascii: "0"), byte != UInt8(ascii: "1") {
                return .invalidEscape
            }
            if byte == UInt8(ascii: "/") {
                if let code = brokenSegmentRule(length: length, dots: dots) { return code }
                segments += 1
                length = 0
                dots = 0
            } else {
                // The control characters are C0, DEL, and C1, which UTF-8 writes as C2 80 … C2 9F.
                if byte < 0x20 || byte == 0x7F || (before == 0xC2 && byte < 0xA0) { return .controlCharacter }
                if byte == UInt8(ascii: ".") { dots += 1 }
                length += 1
            }
            before = byte
        }
        if before == UInt8(ascii: "~") { return .invalidEscape }
        if let code = brokenSegmentRule(length: length, dots: dots) { return code }
        return segments > maximumSegments ? .tooManySegments : nil
    }

    private static func brokenSegmentRule(length: Int, dots: Int) -> SettingPathError.Code? {
        if length == 0 { return .emptySegment }
        if length > maximumSegmentBytes { return .segmentTooLong }
        return length == dots && length <= 2 ? .dotSegment : nil
    }
}

extension SettingPath: Hashable, Comparable {
    /// Compares two paths by their bytes.
    public static func == (left: SettingPath, right: SettingPath) -> Bool {
        ByteOrder.areEqual(left.text, right.text)
    }

    /// Orders two paths by their bytes.
    public static func < (left: SettingPath, right: SettingPath) -> Bool {
        ByteOrder.precedes(left.text, right.text)
    }

    /// Feeds the bytes of the path to a hasher.
    public func hash(into hasher: inout Hasher) {
        let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isDone == nil {
            for byte in text.utf8 { hasher.combine(byte) }
        }
        hasher.combine(0xFF as UInt8)
    }
}

extension SettingPath: CustomStringConvertible {
    /// The path as written.
    public var description: String { text }
}

extension SettingPath: Codable {
    /// Reads a path from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(try container.decode(String.self))
        } catch let error as SettingPathError {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: error.description, underlyingError: error))
        }
    }

    /// Writes the path as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension [SettingPath] {
    /// Returns the paths in their order; the program has this sort once.
    @inline(never)
    package func sortedPaths() -> [SettingPath] { sorted() }
}
