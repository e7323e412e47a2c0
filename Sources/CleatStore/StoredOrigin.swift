/// Says that the store knows what a resource was before Cleat first touched it.
package struct StoredOrigin: Sendable, Hashable {
    /// The resource's name.
    package var resource: String
    /// The adapter that can bring the resource back.
    package var adapter: String
    /// The number of the generation that touched the resource first.
    package var generation: Int64
    /// The bytes of the state, which `origin(of:)` reads.
    package var size: Int64
}
