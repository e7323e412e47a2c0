/// Receives the elements that a type encodes.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let node: EncodedNode
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }
    var count: Int { node.count }

    func encodeNil() throws { node.append(.null) }
    func encode(_ value: Bool) throws { node.append(.bool(value)) }
    func encode(_ value: String) throws { node.append(.string(value)) }
    func encode(_ value: Double) throws { try node.append(JSONValue(finite: value, at: here)) }
    func encode(_ value: Float) throws { try node.append(JSONValue(finite: value, at: here)) }
    func encode<T: Encodable & FixedWidthInteger>(_ value: T) throws {
        try node.append(JSONValue(exact: value, at: here))
    }

    func encode<T: Encodable>(_ value: T) throws {
        node.append(try JSONValue(encoding: value, trail: here))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder()
    }

    private var here: CodingTrail { trail.appending(JSONKey(intValue: node.count)) }

    private func encoder() -> JSONValueEncoder {
        let trail = here
        return JSONValueEncoder(node: node.appendChild(), trail: trail)
    }
}
