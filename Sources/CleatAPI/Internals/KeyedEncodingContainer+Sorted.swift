/// A coding key with any string.
private struct PropertyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension KeyedEncodingContainer {
    /// Encodes properties in the order of their keys' bytes, so that equal values have equal encodings.
    mutating func encodeSorted(_ properties: [String: String], forKey key: Key) throws {
        var nested = nestedContainer(keyedBy: PropertyKey.self, forKey: key)
        let sorted = properties.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (name, value) in sorted {
            try nested.encode(value, forKey: PropertyKey(stringValue: name))
        }
    }
}
