/// A resource of the system that differs between two states.
package struct ResourceDifference: Codable, Hashable, Sendable {
    /// The kind of difference of a resource.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The two states have different contents.
        case changed
        /// Only the second state has the resource.
        case added
        /// Only the first state has the resource.
        case removed
        /// The difference is not known: an imported snapshot omits the resource, it cannot be read, or it may hold a
        /// secret.
        case unknown
    }

    /// The resource: `file:/etc/hostname`.
    package var resource: String
    /// The kind of difference.
    package var kind: Kind

    /// Creates a difference.
    package init(resource: String, kind: Kind) {
        self.resource = resource
        self.kind = kind
    }
}
