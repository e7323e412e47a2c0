import CleatJSON

/// Estimates the size of values for limits.
enum SettingSize {
    /// Returns the approximate bytes of a value as compact JSON, without escapes.
    static func of(_ value: JSONValue) -> Int {
        switch value {
        case .null, .bool: 4
        case .integer(let value): value.magnitude < 10_000 ? 4 : 20
        case .number: 16
        case .string(let text): text.utf8.count + 2
        case .array(let values): values.reduce(2) { $0 + of($1) + 1 }
        case .object(let object): object.reduce(2) { $0 + $1.key.utf8.count + 4 + of($1.value) }
        }
    }
}
