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
