/// A resource that is not what was last written.
package struct Drift: Hashable, Sendable {
    /// How it differs.
    package enum Kind: Hashable, Sendable {
        /// It is something else, with this fingerprint.
        case changed(String)
        /// It cannot be looked at.
        case unreadable(ResourceError)
    }

    /// The resource.
    package let resource: Resource
    /// How it differs.
    package let kind: Kind
}
