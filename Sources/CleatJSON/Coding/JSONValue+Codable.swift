extension JSONValue {
    /// The most levels that can be encoded, so that a recursive type cannot recurse without end.
    static var maximumCodingDepth: Int { 64 }

    /// Encodes any Swift value.
    ///
    /// Members are in the order in which the type encodes them, which is that of their declaration. The members of a
    /// dictionary are in the order of their keys' bytes. An optional property that is nil is omitted. Integers are
    /// exact: an unsigned one above the largest `Int64` is refused unless it equals a double. Infinity and "not a
    /// number" are refused.
    public init(encoding value: some Encodable) throws(JSONCodingError) {
        try self.init(encoding: value, forms: nil)
    }

    /// Encodes any Swift value with other forms for some types.
    package init(encoding value: some Encodable, forms: (any JSONForms.Type)?) throws(JSONCodingError) {
        do {
            try self.init(encoding: value, trail: CodingTrail(forms: forms))
        } catch {
            throw JSONCodingError(error, at: [])
        }
    }

    init<T: Encodable>(encoding value: T, trail: CodingTrail) throws {
        guard trail.depth <= Self.maximumCodingDepth else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: trail.path,
                    debugDescription:
                        "the value is nested too deep; at most \(Self.maximumCodingDepth) levels are allowed"
                ))
        }
        if let value = value as? JSONValue {
            self = value
        } else if let value = value as? JSONObject {
            self = .object(value)
        } else if let form = try trail.convert({ try $0.encode(value) }) {
            self = form
        } else if let value = value as? any KeyOrderedEncodable, let object = try value.encodeInKeyOrder(trail) {
            self = .object(object)
        } else {
            let encoder = JSONValueEncoder(node: EncodedNode(), trail: trail)
            do {
                try value.encode(to: encoder)
            } catch let error as EncodingError {
                throw error
            } catch {
                throw JSONCodingError(error, at: trail.path)
            }
            self = encoder.node.finish()
        }
    }

    init(finite value: Double, at trail: @autoclosure () -> CodingTrail) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(codingPath: trail().path, debugDescription: "\(value) has no JSON form"))
        }
        self = .number(value)
    }

    /// Encodes the shortest decimal form of the float, not its exact binary fraction: 0.1, not 0.10000000149011612.
    init(finite value: Float, at trail: @autoclosure () -> CodingTrail) throws {
        if let short = Double(value.description), Float(short) == value {
            try self.init(finite: short, at: trail())
        } else {
            try self.init(finite: Double(value), at: trail())
        }
    }

    init(exact value: some BinaryInteger, at trail: @autoclosure () -> CodingTrail) throws {
        if let integer = Int64(exactly: value) {
            self = .integer(integer)
        } else if let power = UInt64(exactly: value), power.trailingZeroBitCount + power.leadingZeroBitCount >= 11 {
            self = .number(Double(power))
        } else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: trail().path,
                    debugDescription: "\(value) cannot be kept exactly; the largest integer is \(Int64.max)"))
        }
    }

    /// Decodes a value of any decodable type.
    ///
    /// Integers are exact: `1.0` can be read as an integer; `1.5` and numbers out of the type's range cannot. Keys that
    /// the type does not read are ignored. An error includes the place as `changes/3/path`.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws(JSONCodingError) -> T {
        try decode(type, forms: nil)
    }

    /// Decodes a value of any decodable type with other forms for some types.
    package func decode<T: Decodable>(_ type: T.Type, forms: (any JSONForms.Type)?) throws(JSONCodingError) -> T {
        do {
            return try JSONValueDecoder(value: self, trail: CodingTrail(forms: forms)).decode(type)
        } catch {
            throw JSONCodingError(error, at: [])
        }
    }
}

extension JSONObject {
    /// Decodes a value of any decodable type, as `JSONValue.decode` does.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws(JSONCodingError) -> T {
        try JSONValue.object(self).decode(type)
    }
}

extension JSONValue: Codable {
    /// Decodes any value; the decoder of this module passes it on unchanged.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JSONValueDecoder {
            self = decoder.value
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode(JSONObject.self))
        }
    }

    /// Encodes the value; the encoder of this module stores it exactly.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let object): try container.encode(object)
        }
    }
}

extension JSONObject: Codable {
    /// Decodes an object with all its members.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JSONValueDecoder {
            self = try decoder.object()
            return
        }
        let container = try decoder.container(keyedBy: JSONKey.self)
        self.init()
        for key in container.allKeys {
            updateValue(try container.decode(JSONValue.self, forKey: key), forKey: key.stringValue)
        }
    }

    /// Encodes all members in order.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? JSONValueEncoder {
            encoder.node.set(.object(self))
            return
        }
        var container = encoder.container(keyedBy: JSONKey.self)
        for (key, value) in self { try container.encode(value, forKey: JSONKey(stringValue: key)) }
    }
}
