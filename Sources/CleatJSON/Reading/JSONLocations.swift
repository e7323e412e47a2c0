/// A place in a document, as editors count.
public struct JSONPosition: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1; lines end with LF, CR LF or CR.
    public var line: Int
    /// The column in Unicode scalars, from 1.
    public var column: Int

    /// Makes a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position as `line 3, column 7`.
    public var description: String { "line \(line), column \(column)" }
}

/// The places of the keys and values of a document in its text.
///
/// A pointer is the list of keys and indices that leads to a value, as in RFC 6901 before escaping: `["run", "0"]`.
public struct JSONLocations: Sendable {
    // Nil while there are none: an empty dictionary would make its type at the start of every program.
    private var values: [[String]: JSONPosition]?
    private var keys: [[String]: JSONPosition]?

    /// Makes an empty map.
    init() {}

    /// Records the place of a value or of its key.
    mutating func note(_ pointer: [String], isKey: Bool, at position: JSONPosition) {
        if isKey { keys = keys ?? [:] } else { values = values ?? [:] }
        if isKey { keys?[pointer] = position } else { values?[pointer] = position }
    }

    /// Returns the place where a value begins; nil if the document has no such value.
    public func position(of pointer: [String]) -> JSONPosition? {
        values?[pointer]
    }

    /// Returns the place where a value's key begins; nil if there is no such value or it is not a member of an object.
    public func position(ofKey pointer: [String]) -> JSONPosition? {
        keys?[pointer]
    }

    /// Returns the place where a value begins; if it is missing, that of the innermost existing value around it.
    public func nearestPosition(to pointer: [String]) -> JSONPosition {
        var pointer = pointer
        while true {
            if let position = values?[pointer] { return position }
            if pointer.popLast() == nil { return JSONPosition(line: 1, column: 1) }
        }
    }
}

/// Counts lines and columns while a text is read.
struct JSONLineCounter {
    private var offset = 0
    private(set) var position = JSONPosition(line: 1, column: 1)

    /// Advances to an offset that is not before the last one.
    mutating func advance(to target: Int, in bytes: UnsafeRawBufferPointer) {
        let target = min(target, bytes.count)
        while offset < target {
            let byte = unsafe bytes[offset]
            let endsLine =
                byte == 0x0a
                || byte == 0x0d && !(unsafe offset + 1 < bytes.count && bytes[offset + 1] == 0x0a)
            if endsLine {
                position.line += 1
                position.column = 1
            } else if byte & 0xc0 != 0x80 {
                position.column += 1
            }
            offset += 1
        }
    }
}
