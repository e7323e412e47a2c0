/// A named number in the service's status.
package struct Counter: Codable, Hashable, Sendable {
    /// The name.
    package var name: String
    /// The number.
    package var value: Int64

    /// Creates a counter.
    package init(name: String, value: Int64) {
        self.name = name
        self.value = value
    }
}
