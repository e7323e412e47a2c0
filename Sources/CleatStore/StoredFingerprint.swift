/// The fingerprints of a resource right after the service wrote it, which show later if another program has changed it.
package struct StoredFingerprint: Sendable, Hashable {
    /// The resource's name, 1 to `StoreLimits.resourceBytes` bytes.
    package var resource: String
    /// The adapter that it was written for, 1 to `StoreLimits.wordBytes` bytes.
    package var adapter: String
    /// The fingerprint of the intended state of the resource, at most `StoreLimits.wordBytes` bytes.
    package var wanted: String
    /// The fingerprint of its actual state, at most `StoreLimits.wordBytes` bytes; empty while it is being written.
    package var found: String

    /// Creates an entry from a resource's name, its adapter, and the fingerprints of its intended and its actual state.
    package init(resource: String, adapter: String, wanted: String, found: String) {
        self.resource = resource
        self.adapter = adapter
        self.wanted = wanted
        self.found = found
    }
}
