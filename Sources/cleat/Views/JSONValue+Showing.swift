import CleatJSON

extension JSONValue {
    /// Encodes a value as JSON; null if that fails, which no view's value does.
    init(showing value: some Encodable) {
        self = (try? JSONValue(encoding: value)) ?? .null
    }
}
