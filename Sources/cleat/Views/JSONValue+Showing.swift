import CleatJSON

extension JSONValue {
    /// The JSON of a value that is shown; all of them can be encoded.
    init(showing value: some Encodable) {
        self = (try? JSONValue(encoding: value)) ?? .null
    }
}
