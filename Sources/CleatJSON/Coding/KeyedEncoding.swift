/// Receives the members that a type encodes.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodedNode
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }

    func encodeNil(forKey key: Key) throws { node.set(.null, forKey: key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) throws { node.set(.bool(value), forKey: key.stringValue) }
    func encode(_ value: String, forKey key: Key) throws { node.set(.string(value), forKey: key.stringValue) }
    func encode(_ value: Double, forKey key: Key) throws {
        try node.set(JSONValue(finite: value, at: trail.appending(key)), forKey: key.stringValue)
    }
    func encode(_ value: Float, forKey key: Key) throws {
        try node.set(JSONValue(finite: value, at: trail.appending(key)), forKey: key.stringValue)
    }
    func encode<T: Encodable & FixedWidthInteger>(_ value: T, forKey key: Key) throws {
        try node.set(JSONValue(exact: value, at: trail.appending(key)), forKey: key.stringValue)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        node.set(try JSONValue(encoding: value, trail: trail.appending(key)), forKey: key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder(JSONKey.superclass)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoder(key)
    }

    private func encoder(_ key: some CodingKey) -> JSONValueEncoder {
        JSONValueEncoder(node: node.child(forKey: key.stringValue), trail: trail.appending(key))
    }
}
