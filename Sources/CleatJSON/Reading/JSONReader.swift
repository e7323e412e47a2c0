/// The grammar of a document.
public enum JSONDialect: Sendable, Hashable {
    /// JSON as in RFC 8259, without extensions.
    case json
    /// JSON5: comments, trailing commas, unquoted keys, single quotes, hexadecimal numbers, line continuations.
    ///
    /// `Infinity` and `NaN` are refused, since no other format can represent them.
    case json5
}

/// Reads documents of JSON and JSON5 to values.
///
/// Bytes must be valid UTF-8 without a byte order mark. The reader refuses a duplicate key of an object (compared after
/// unescaping), an escape of half a surrogate pair and a number too large for a double. An integer literal within 64
/// bits is kept exactly (`-0` is the integer 0); one outside becomes a double. Reading does not recurse.
public enum JSONReader {
    /// Reads a document.
    public static func read(
        _ bytes: UnsafeRawBufferPointer, dialect: JSONDialect = .json, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONValue {
        try unsafe parse(bytes, dialect: dialect, limits: limits, withLocations: false).get().value
    }

    /// Reads a document.
    public static func read(
        _ bytes: [UInt8], dialect: JSONDialect = .json, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONValue {
        let result = unsafe bytes.withUnsafeBytes {
            unsafe parse($0, dialect: dialect, limits: limits, withLocations: false)
        }
        return try result.get().value
    }

    /// Reads a document.
    public static func read(
        _ bytes: ArraySlice<UInt8>, dialect: JSONDialect = .json, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONValue {
        let result = unsafe bytes.withUnsafeBytes {
            unsafe parse($0, dialect: dialect, limits: limits, withLocations: false)
        }
        return try result.get().value
    }

    /// Reads a document.
    public static func read(
        _ text: String, dialect: JSONDialect = .json, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONValue {
        var text = text
        let result = text.withUTF8 {
            unsafe parse(UnsafeRawBufferPointer($0), dialect: dialect, limits: limits, withLocations: false)
        }
        return try result.get().value
    }

    /// Reads a document and records the places of all keys and values, for errors that name line and column.
    public static func readWithLocations(
        _ bytes: [UInt8], dialect: JSONDialect = .json, limits: JSONLimits = .standard
    ) throws(JSONError) -> (value: JSONValue, locations: JSONLocations) {
        let result = unsafe bytes.withUnsafeBytes {
            unsafe parse($0, dialect: dialect, limits: limits, withLocations: true)
        }
        return try result.get()
    }

    /// Reads a document and records the places of all keys and values, for errors that name line and column.
    public static func readWithLocations(
        _ text: String, dialect: JSONDialect = .json, limits: JSONLimits = .standard
    ) throws(JSONError) -> (value: JSONValue, locations: JSONLocations) {
        try readWithLocations(Array(text.utf8), dialect: dialect, limits: limits)
    }

    /// Reads a document and records the places of some values and of the values around them.
    package static func locate(
        _ pointers: [[String]], in bytes: [UInt8], dialect: JSONDialect = .json, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONLocations {
        var wanted: Set<[String]> = []
        for pointer in pointers {
            var pointer = pointer
            while wanted.insert(pointer).inserted, pointer.popLast() != nil {}
        }
        let result = unsafe bytes.withUnsafeBytes {
            unsafe parse($0, dialect: dialect, limits: limits, withLocations: true, wanted: wanted)
        }
        return try result.get().locations
    }

    /// Reads a document of JSON without one member of its top level.
    ///
    /// A list or an object there is passed over, and may have faults inside.
    package static func read(
        _ bytes: [UInt8], without key: String, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONValue {
        let result = unsafe bytes.withUnsafeBytes {
            unsafe parse($0, dialect: .json, limits: limits, withLocations: false, skipped: key)
        }
        var value = try result.get().value
        if case .object(var members) = value {
            members.removeValue(forKey: key)
            value = .object(members)
        }
        return value
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer, dialect: JSONDialect, limits: JSONLimits, withLocations: Bool,
        wanted: Set<[String]>? = nil, skipped: String? = nil
    ) -> Result<(value: JSONValue, locations: JSONLocations), JSONError> {
        var parser = unsafe JSONParser(bytes, dialect: dialect, limits: limits, withLocations: withLocations)
        parser.wanted = wanted
        parser.skipped = skipped
        do {
            let value = try parser.readDocument()
            return .success((value, parser.makeLocations()))
        } catch {
            return .failure(parser.makeError(error))
        }
    }
}
