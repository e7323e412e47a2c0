/// Presents one value as a whole to a type's `init(from:)`.
struct SingleValueDecoding: SingleValueDecodingContainer {
    let decoder: JSONValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool {
        decoder.value.isNull
    }

    func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }
    func decode(_ type: String.Type) throws -> String { try decoder.string() }
    func decode(_ type: Double.Type) throws -> Double { try decoder.double() }
    func decode(_ type: Float.Type) throws -> Float { try decoder.float() }
    func decode<T: Decodable & FixedWidthInteger>(_ type: T.Type) throws -> T { try decoder.integer(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decoder.decode(type)
    }
}
