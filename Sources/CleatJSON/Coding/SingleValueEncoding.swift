/// Receives the one value that a type encodes.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let node: EncodedNode
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }

    func encodeNil() throws { node.set(.null) }
    func encode(_ value: Bool) throws { node.set(.bool(value)) }
    func encode(_ value: String) throws { node.set(.string(value)) }
    func encode(_ value: Double) throws { try node.set(JSONValue(finite: value, at: trail)) }
    func encode(_ value: Float) throws { try node.set(JSONValue(finite: value, at: trail)) }
    func encode<T: Encodable & FixedWidthInteger>(_ value: T) throws {
        try node.set(JSONValue(exact: value, at: trail))
    }

    func encode<T: Encodable>(_ value: T) throws {
        node.set(try JSONValue(encoding: value, trail: trail))
    }
}
