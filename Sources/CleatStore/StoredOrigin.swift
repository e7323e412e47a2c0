/// A resource whose state from before Cleat first touched it is stored.
package struct StoredOrigin: Sendable, Hashable {
    /// The resource's name.
    package var resource: String
    /// The adapter that can restore the resource.
    package var adapter: String
    /// The number of the generation that first touched the resource.
    package var generation: Int64
    /// The size in bytes of the state, which `origin(of:)` reads.
    package var size: Int64
}
