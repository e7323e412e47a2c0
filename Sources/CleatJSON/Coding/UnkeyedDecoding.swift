/// Presents an array to a type's `init(from:)`.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let array: [JSONValue]
    let trail: CodingTrail
    private(set) var currentIndex = 0

    init(array: [JSONValue], trail: CodingTrail) {
        self.array = array
        self.trail = trail
    }

    var codingPath: [any CodingKey] { trail.path }
    var count: Int? { array.count }
    var isAtEnd: Bool { currentIndex >= array.count }

    mutating func decodeNil() throws -> Bool {
        guard try element().value.isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.bool() } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.float() } }
    mutating func decode<T: Decodable & FixedWidthInteger>(_ type: T.Type) throws -> T {
        try take { try $0.integer(type) }
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try take { try $0.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try take { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try take { $0 }
    }

    private func element() throws -> JSONValueDecoder {
        let trail = trail.appending(JSONKey(intValue: currentIndex))
        guard currentIndex < array.count else {
            throw DecodingError.valueNotFound(
                JSONValue.self,
                DecodingError.Context(
                    codingPath: trail.path, debugDescription: "is missing: the array ends after \(array.count)"))
        }
        return JSONValueDecoder(value: array[currentIndex], trail: trail)
    }

    /// Reads the next element; one that could not be read remains the next.
    private mutating func take<T>(_ read: (JSONValueDecoder) throws -> T) throws -> T {
        let result = try read(try element())
        currentIndex += 1
        return result
    }
}
