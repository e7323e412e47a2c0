/// Presents one JSON value to a type's `init(from:)`.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedDecoding(object: try object(), trail: trail))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedDecoding(array: try array(), trail: trail)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueDecoding(decoder: self)
    }

    /// Decodes the value as a whole; errors that the type itself throws get the place.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if type == JSONValue.self, let value = value as? T { return value }
        if type == JSONObject.self, let object = try object() as? T { return object }
        if let found = try trail.convert({ try $0.decode(type, from: value) }) { return found }
        do {
            return try T(from: self)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw JSONCodingError(error, at: codingPath)
        }
    }

    func object() throws -> JSONObject {
        guard case .object(let object) = value else { throw mismatch(JSONObject.self, "an object") }
        return object
    }

    func array() throws -> [JSONValue] {
        guard case .array(let array) = value else { throw mismatch([JSONValue].self, "an array") }
        return array
    }

    func bool() throws -> Bool {
        guard case .bool(let bool) = value else { throw mismatch(Bool.self, "true or false") }
        return bool
    }

    func string() throws -> String {
        guard case .string(let string) = value else { throw mismatch(String.self, "a string") }
        return string
    }

    func double() throws -> Double {
        guard let double = value.doubleValue else { throw mismatch(Double.self, "a number") }
        return double
    }

    func float() throws -> Float {
        let double = try double()
        let float = Float(double)
        guard float.isFinite else { throw outOfRange("a number up to \(Float.greatestFiniteMagnitude)") }
        return float
    }

    func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        switch value {
        case .integer(let integer):
            if let exact = T(exactly: integer) { return exact }
            throw outOfRange("an integer from \(T.min) to \(T.max)")
        case .number(let number):
            if let integer = number.exactInteger {
                if let exact = T(exactly: integer) { return exact }
            } else if number >= 0x1p63, number < 0x1p64 {
                if let exact = T(exactly: UInt64(number)) { return exact }
            } else if number.magnitude < 0x1p53 {
                throw mismatch(type, "an integer")
            }
            throw outOfRange("an integer from \(T.min) to \(T.max)")
        default: throw mismatch(type, "an integer")
        }
    }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: describe(expected))
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func outOfRange(_ expected: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: describe(expected)))
    }

    private func describe(_ expected: String) -> String {
        let found =
            switch value {
            case .object: "an object"
            case .array: "an array"
            case .string(let string) where string.utf8.count > 60: "a string"
            default: value.description
            }
        return "expected \(expected), found \(found)"
    }
}
