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
    func encode(_ value: Int) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: Int8) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: Int16) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: Int32) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: Int64) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: UInt) throws { try node.set(JSONValue(exact: value, at: trail)) }
    func encode(_ value: UInt8) throws { try node.set(JSONValue(exact: value, at: trail)) }
    func encode(_ value: UInt16) throws { try node.set(JSONValue(exact: value, at: trail)) }
    func encode(_ value: UInt32) throws { try node.set(JSONValue(exact: value, at: trail)) }
    func encode(_ value: UInt64) throws { try node.set(JSONValue(exact: value, at: trail)) }

    func encode<T: Encodable>(_ value: T) throws {
        node.set(try JSONValue(encoding: value, trail: trail))
    }
}
