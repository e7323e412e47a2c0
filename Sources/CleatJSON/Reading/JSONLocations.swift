/// Knows where the keys and values of a document stand in its text.
///
/// A pointer is the list of keys and indices that leads to a value, as in RFC 6901 before escaping: `["run", "0"]`.
public struct JSONLocations: Sendable {
    private var values: [[String]: JSONPosition] = [:]
    private var keys: [[String]: JSONPosition] = [:]

    /// Makes an empty map.
    init() {}

    /// Notes the place of a value or of its key.
    mutating func note(_ pointer: [String], isKey: Bool, at position: JSONPosition) {
        if isKey { keys[pointer] = position } else { values[pointer] = position }
    }

    /// Where a value begins, or nil where the document has no such value.
    public func position(of pointer: [String]) -> JSONPosition? {
        values[pointer]
    }

    /// Where the key of a value begins, or nil where the document has no such value or it is no member of an object.
    public func position(ofKey pointer: [String]) -> JSONPosition? {
        keys[pointer]
    }

    /// Where a value begins, or the innermost value of the document around the place where it is missing.
    public func nearestPosition(to pointer: [String]) -> JSONPosition {
        var pointer = pointer
        while true {
            if let position = values[pointer] { return position }
            if pointer.popLast() == nil { return JSONPosition(line: 1, column: 1) }
        }
    }
}
