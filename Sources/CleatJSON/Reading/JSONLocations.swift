/// The places of the keys and values of a document in its text.
///
/// A pointer is the list of keys and indices that leads to a value, as in RFC 6901 before escaping: `["run", "0"]`.
public struct JSONLocations: Sendable {
    private var values: [[String]: JSONPosition] = [:]
    private var keys: [[String]: JSONPosition] = [:]

    /// Makes an empty map.
    init() {}

    /// Records the place of a value or of its key.
    mutating func note(_ pointer: [String], isKey: Bool, at position: JSONPosition) {
        if isKey { keys[pointer] = position } else { values[pointer] = position }
    }

    /// Returns the place where a value begins; nil if the document has no such value.
    public func position(of pointer: [String]) -> JSONPosition? {
        values[pointer]
    }

    /// Returns the place where a value's key begins; nil if there is no such value or it is not a member of an object.
    public func position(ofKey pointer: [String]) -> JSONPosition? {
        keys[pointer]
    }

    /// Returns the place where a value begins; if it is missing, that of the innermost existing value around it.
    public func nearestPosition(to pointer: [String]) -> JSONPosition {
        var pointer = pointer
        while true {
            if let position = values[pointer] { return position }
            if pointer.popLast() == nil { return JSONPosition(line: 1, column: 1) }
        }
    }
}
