package import CleatJSON

/// A value that is sent so often that its wire format is implemented by hand.
///
/// The format is the same as that of `Codable`. The `Codable` bridge looks up types at run time: in a process that
/// makes one call, its first value costs more than the call itself.
package protocol WireValue {
    /// The value in its wire format.
    var wire: JSONObject { get }
    /// Reads the value from its wire format.
    init(wire: JSONObject) throws(WireError)
}

/// The error for a member of a message that is missing or of another type.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member.
    package let member: String

    /// The error as one sentence.
    package var description: String { "`\(member)` is missing or of another type" }
}

extension JSONObject {
    /// Reads a string.
    func text(_ key: String) throws(WireError) -> String {
        guard let value = self[key]?.stringValue else { throw WireError(member: key) }
        return value
    }

    /// Reads an integer.
    func number(_ key: String) throws(WireError) -> Int64 {
        guard let value = self[key]?.integerValue else { throw WireError(member: key) }
        return value
    }

    /// Reads a boolean.
    func flag(_ key: String) throws(WireError) -> Bool {
        guard let value = self[key]?.boolValue else { throw WireError(member: key) }
        return value
    }

    /// Reads an object.
    func object(_ key: String) throws(WireError) -> JSONObject {
        guard let value = self[key]?.objectValue else { throw WireError(member: key) }
        return value
    }

    /// Returns a value of any type; null counts as none.
    func value(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    /// Reads a value that may be missing or null, but not of another type.
    func optional<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(WireError) -> Value? {
        guard let value = value(key) else { return nil }
        guard let read = read(value) else { throw WireError(member: key) }
        return read
    }

    /// Reads a list of strings that may be missing or null, but not of another type.
    func optionalTexts(_ key: String) throws(WireError) -> [String]? {
        guard let values = try optional(key, \.arrayValue) else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(values.count)
        for value in values {
            guard let text = value.stringValue else { throw WireError(member: key) }
            texts.append(text)
        }
        return texts
    }

    /// Reads a list of objects.
    func list<Value: WireValue>(_ key: String) throws(WireError) -> [Value] {
        guard let values = self[key]?.arrayValue else { throw WireError(member: key) }
        var list: [Value] = []
        list.reserveCapacity(values.count)
        for value in values {
            guard let object = value.objectValue else { throw WireError(member: key) }
            list.append(try Value(wire: object))
        }
        return list
    }
}
