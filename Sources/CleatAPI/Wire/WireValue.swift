package import CleatJSON
package import CleatSettings

/// A value that is sent over the wire as a JSON object.
///
/// The conformances are generated from the interface descriptions. They do not use `Codable`, which looks up types at run
/// time: in a process that makes one call, its first value costs more than the call itself.
package protocol WireValue: Equatable, Sendable, JSONObjectWritable {
    /// Reads the value from its wire format; unknown members are ignored.
    init(wire: JSONObject) throws(WireError)
    /// Writes the members, without the beginning and the end of the object.
    func writeMembers(to json: inout JSONObjectText)
}

extension WireValue {
    package func write(to json: inout JSONObjectText) {
        json.begin()
        writeMembers(to: &json)
        json.end()
    }

    /// The value as a tree, for output that changes or arranges it.
    package var wire: JSONObject {
        // A text that was just written has no errors, and a value that is here already needs no limits.
        (try? JSONReader.read(encoded.bytes, limits: .unlimited))?.objectValue ?? JSONObject()
    }
}

/// The layers that a value can come from, from the lowest to the highest, by their names on the wire.
package typealias SettingLayer = ResolvedSetting.Origin

/// The parameters or the reply of a method that has none.
package struct EmptyValue: WireValue {
    /// Creates the value.
    package init() {}

    package func writeMembers(to json: inout JSONObjectText) {}

    package init(wire: JSONObject) throws(WireError) {}
}

/// The error for a member of a message that is missing, of another type, or out of its range.
package struct WireError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path of the member: `changes[3].path`.
    package let member: String

    /// The error as one sentence.
    package var description: String { "`\(member)` is missing or of another type" }
}

// The generated decoders read members with these functions; each throws for a member that is missing or of another type.
// The `optional` ones return nil for a member that is missing or null.
extension JSONObject {
    private func required<Value>(_ member: @autoclosure () -> String, _ value: Value?) throws(WireError) -> Value {
        guard let value else { throw WireError(member: member()) }
        return value
    }

    /// Reads a string.
    func text(_ key: String) throws(WireError) -> String { try required(key, self[key]?.stringValue) }

    /// Reads a string that may be missing.
    func optionalText(_ key: String) throws(WireError) -> String? { value(key) == nil ? nil : try text(key) }

    /// Reads an integer of a range.
    func number(_ key: String, in range: ClosedRange<Int64> = .min ... .max) throws(WireError) -> Int64 {
        let number = try required(key, self[key]?.integerValue)
        return try required(key, range.contains(number) ? number : nil)
    }

    /// Reads an integer of a range that may be missing.
    func optionalNumber(_ key: String, in range: ClosedRange<Int64> = .min ... .max) throws(WireError) -> Int64? {
        value(key) == nil ? nil : try number(key, in: range)
    }

    /// Reads an integer of a range, in the size of this machine's words.
    func integer(_ key: String, in range: ClosedRange<Int64> = .min ... .max) throws(WireError) -> Int {
        try required(key, Int(exactly: try number(key, in: range)))
    }

    /// Reads an integer of a range that may be missing, in the size of this machine's words.
    func optionalInteger(_ key: String, in range: ClosedRange<Int64> = .min ... .max) throws(WireError) -> Int? {
        value(key) == nil ? nil : try integer(key, in: range)
    }

    /// Reads a boolean.
    func flag(_ key: String) throws(WireError) -> Bool { try required(key, self[key]?.boolValue) }

    /// Reads a boolean that may be missing.
    func optionalFlag(_ key: String) throws(WireError) -> Bool? { value(key) == nil ? nil : try flag(key) }

    /// Reads a value of any type, null included.
    func anyValue(_ key: String) throws(WireError) -> JSONValue { try required(key, self[key]) }

    /// Returns a value of any type; null counts as missing.
    func value(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    /// Reads an enumeration of strings.
    func choice<Choice: RawRepresentable<String>>(_ key: String) throws(WireError) -> Choice {
        try required(key, Choice(rawValue: try text(key)))
    }

    /// Reads an enumeration of strings that may be missing.
    func optionalChoice<Choice: RawRepresentable<String>>(_ key: String) throws(WireError) -> Choice? {
        value(key) == nil ? nil : try choice(key)
    }

    /// Reads a list of strings.
    func texts(_ key: String) throws(WireError) -> [String] {
        let values = try required(key, self[key]?.arrayValue)
        var texts: [String] = []
        texts.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            texts.append(try required("\(key)[\(index)]", value.stringValue))
        }
        return texts
    }

    /// Reads a list of strings that may be missing.
    func optionalTexts(_ key: String) throws(WireError) -> [String]? { value(key) == nil ? nil : try texts(key) }

    /// Reads an object of strings.
    func properties(_ key: String) throws(WireError) -> [String: String] {
        let object = try required(key, self[key]?.objectValue)
        var properties: [String: String] = [:]
        properties.reserveCapacity(object.count)
        for (name, value) in object { properties[name] = try required("\(key).\(name)", value.stringValue) }
        return properties
    }

    /// Reads an object of strings that may be missing.
    func optionalProperties(_ key: String) throws(WireError) -> [String: String]? {
        value(key) == nil ? nil : try properties(key)
    }

    /// Reads a structure.
    func structure<Value: WireValue>(_ key: String) throws(WireError) -> Value {
        let object = try required(key, self[key]?.objectValue)
        do throws(WireError) {
            return try Value(wire: object)
        } catch {
            throw WireError(member: "\(key).\(error.member)")
        }
    }

    /// Reads a structure that may be missing.
    func optionalStructure<Value: WireValue>(_ key: String) throws(WireError) -> Value? {
        value(key) == nil ? nil : try structure(key)
    }

    /// Reads a list of structures.
    func list<Value: WireValue>(_ key: String) throws(WireError) -> [Value] {
        let values = try required(key, self[key]?.arrayValue)
        var list: [Value] = []
        list.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            let object = try required("\(key)[\(index)]", value.objectValue)
            do throws(WireError) {
                list.append(try Value(wire: object))
            } catch {
                throw WireError(member: "\(key)[\(index)].\(error.member)")
            }
        }
        return list
    }

    /// Reads a list of structures that may be missing.
    func optionalList<Value: WireValue>(_ key: String) throws(WireError) -> [Value]? {
        value(key) == nil ? nil : try list(key)
    }
}

extension GenerationRef: WireValue {
    package func writeMembers(to json: inout JSONObjectText) {
        json.member("store", store)
        json.member("generation", generation)
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(store: try wire.text("store"), generation: try wire.number("generation"))
    }
}
