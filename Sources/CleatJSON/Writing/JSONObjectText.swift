/// A value that is written as a JSON object.
package protocol JSONObjectWritable {
    /// Appends the value to a text, as one object.
    func write(to json: inout JSONObjectText)
}

extension JSONObjectWritable {
    /// The value as JSON.
    package var encoded: JSONObjectText {
        var text = JSONObjectText()
        write(to: &text)
        return text
    }
}

/// The text of a JSON object (RFC 8259) that is written member by member, without a tree of values.
///
/// The caller writes each key once, and as many ends as beginnings.
package struct JSONObjectText: Sendable {
    /// The text so far, UTF-8.
    package var bytes: [UInt8]

    /// Creates a text that follows on some bytes.
    package init(after bytes: consuming [UInt8] = []) { self.bytes = bytes }

    /// Begins an object, as the next element of an array if one is open, and after a line break on its own.
    package mutating func begin() {
        separate()
        bytes.append(UInt8(ascii: "{"))
    }

    /// Ends the innermost open object.
    package mutating func end() { bytes.append(UInt8(ascii: "}")) }

    /// Adds a member with a string.
    package mutating func member(_ key: StaticString, _ value: String) {
        self.key(key)
        JSONWriter.write(value, into: &bytes)
    }

    /// Adds a member with an integer.
    package mutating func member(_ key: StaticString, _ value: Int64) {
        self.key(key)
        JSONNumberText.write(value, into: &bytes)
    }

    /// Adds a member with an integer in the size of this machine's words.
    package mutating func member(_ key: StaticString, _ value: Int) { member(key, Int64(value)) }

    /// Adds a member with a boolean.
    package mutating func member(_ key: StaticString, _ value: Bool) {
        self.key(key)
        add(value ? "true" : "false")
    }

    /// Adds a member with any value.
    package mutating func member(_ key: StaticString, _ value: JSONValue) {
        self.key(key)
        JSONWriter.write(value, into: &bytes)
    }

    /// Adds a member with the string of an enumeration.
    package mutating func member(_ key: StaticString, _ value: some RawRepresentable<String>) {
        member(key, value.rawValue)
    }

    /// Adds a member with an array of strings.
    package mutating func member(_ key: StaticString, _ values: [String]) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        for value in values {
            separate()
            JSONWriter.write(value, into: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Adds a member with an object of strings, in the order of their keys' bytes, so that equal values have equal texts.
    package mutating func member(_ key: StaticString, _ values: [String: String]) {
        self.key(key)
        bytes.append(UInt8(ascii: "{"))
        for (name, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            separate()
            JSONWriter.write(name, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            JSONWriter.write(value, into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Adds a member with an object.
    package mutating func member(_ key: StaticString, _ value: some JSONObjectWritable) {
        self.key(key)
        value.write(to: &self)
    }

    /// Adds a member with an array of objects.
    package mutating func member(_ key: StaticString, _ values: [some JSONObjectWritable]) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        for value in values { value.write(to: &self) }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Begins a member.
    ///
    /// - Parameter key: the key, which needs no escaping.
    private mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        add(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a comma unless the next member or element is the first one.
    fileprivate mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    private mutating func add(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension JSONObjectText: ExpressibleByDictionaryLiteral {
    /// Writes pairs with different keys.
    package init(dictionaryLiteral pairs: (String, JSONValue)...) { self = JSONObject(pairs).encoded }
}

extension JSONObject: JSONObjectWritable {
    package func write(to json: inout JSONObjectText) {
        json.separate()
        JSONWriter.write(self, into: &json.bytes)
    }
}
