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
