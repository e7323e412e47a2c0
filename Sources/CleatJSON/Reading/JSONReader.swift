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
        if let scalar = unsafe plainScalar(bytes, limits) { return scalar }
        return try unsafe parse(bytes, dialect: dialect, limits: limits, withLocations: false).get().value
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
        let scalar = text.withUTF8 { bytes in
            unsafe plainScalar(UnsafeRawBufferPointer(bytes), limits)
        }
        if let scalar { return scalar }
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

    /// Reads a document that is a truth value, an integer of at most 18 digits, or a short text of ASCII without
    /// escapes; nil for any other one.
    ///
    /// Such documents are the values of most settings, and a parser takes longer to set up than to read them.
    private static func plainScalar(_ bytes: UnsafeRawBufferPointer, _ limits: JSONLimits) -> JSONValue? {
        guard let first = unsafe bytes.first,
            bytes.count <= min(64, limits.size, limits.stringBytes, limits.numberBytes),
            limits.values > 0
        else { return nil }
        switch first {
        case UInt8(ascii: "t"): return unsafe bytes.elementsEqual("true".utf8) ? .bool(true) : nil
        case UInt8(ascii: "f"): return unsafe bytes.elementsEqual("false".utf8) ? .bool(false) : nil
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            guard bytes.count <= 18 else { return nil }
            var number: Int64 = 0
            for index in 0..<bytes.count {
                let byte = unsafe bytes[index]
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return .integer(number)
        case UInt8(ascii: "\""):
            guard bytes.count >= 2, unsafe bytes[bytes.count - 1] == UInt8(ascii: "\"") else { return nil }
            for index in 1..<(bytes.count - 1) {
                let byte = unsafe bytes[index]
                guard (0x20..<0x80).contains(byte), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else {
                    return nil
                }
            }
            return unsafe .string(
                String(decoding: UnsafeRawBufferPointer(rebasing: bytes[1..<(bytes.count - 1)]), as: UTF8.self))
        default: return nil
        }
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
