/// Presents an object to a type's `init(from:)`.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }
    var allKeys: [Key] { object.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool {
        object.index(forKey: key.stringValue) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try member(key).value.isNull
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).float() }
    func decode<T: Decodable & FixedWidthInteger>(_ type: T.Type, forKey key: Key) throws -> T {
        try member(key).integer(type)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try member(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        // A superclass that encoded no value has no member.
        let key = JSONKey.superclass
        return JSONValueDecoder(value: object[key.stringValue] ?? .object(JSONObject()), trail: trail.appending(key))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try member(key)
    }

    private func member(_ key: Key) throws -> JSONValueDecoder {
        guard let value = object[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "is missing"))
        }
        return JSONValueDecoder(value: value, trail: trail.appending(key))
    }
}
