/// Says that a resource of the system is not the same in two states.
package struct ResourceDifference: Codable, Hashable, Sendable {
    /// How a resource differs.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// It is something else.
        case changed
        /// Only the second state has it.
        case added
        /// Only the first state has it.
        case removed
        /// It was left out of the export that a snapshot came from, so that it cannot be told.
        case unknown
    }

    /// The resource: `file:/etc/hostname`.
    package var resource: String
    /// How it differs.
    package var kind: Kind

    /// Creates a difference.
    package init(resource: String, kind: Kind) {
        self.resource = resource
        self.kind = kind
    }
}
