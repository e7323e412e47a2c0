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
        do {
            try self.init(encoding: value, trail: CodingTrail())
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

    init(exact value: some UnsignedInteger, at trail: @autoclosure () -> CodingTrail) throws {
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
}

/// Passes a type's `encode(to:)` its containers.
struct JSONValueEncoder: Encoder {
    let node: EncodedNode
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(KeyedEncoding(node: node, trail: trail))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return UnkeyedEncoding(node: node, trail: trail)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoding(node: node, trail: trail)
    }
}

/// A type without an order of its own that encodes its members in the order of their keys.
protocol KeyOrderedEncodable {
    /// Encodes the members, or returns nil if the keys have no text.
    func encodeInKeyOrder(_ trail: CodingTrail) throws -> JSONObject?
}

extension Dictionary: KeyOrderedEncodable where Key: Encodable, Value: Encodable {
    func encodeInKeyOrder(_ trail: CodingTrail) throws -> JSONObject? {
        var members: [(String, Value)] = []
        members.reserveCapacity(count)
        for (key, value) in self {
            switch key {
            case let key as String: members.append((key, value))
            case let key as Int: members.append((String(key), value))
            case let key as any CodingKeyRepresentable: members.append((key.codingKey.stringValue, value))
            default: return nil
            }
        }
        members.sort { $0.0.hasLowerBytes(than: $1.0) }
        var object = JSONObject()
        object.reserveCapacity(count)
        for (key, value) in members {
            let trail = trail.appending(JSONKey(stringValue: key))
            object.updateValue(try JSONValue(encoding: value, trail: trail), forKey: key)
        }
        return object
    }
}
