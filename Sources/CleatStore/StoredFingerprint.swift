/// Holds what a resource was right after the service wrote it, so that it shows later whether somebody else has changed it.
package struct StoredFingerprint: Sendable, Hashable {
    /// The resource's name, 1 to `StoreLimits.resourceBytes` bytes.
    package var resource: String
    /// The adapter that it was written for, 1 to `StoreLimits.wordBytes` bytes.
    package var adapter: String
    /// What stands for what the resource was to be, at most `StoreLimits.wordBytes` bytes.
    package var wanted: String
    /// What stands for what it was, at most `StoreLimits.wordBytes` bytes; empty while it is being written.
    package var found: String

    /// Takes a resource's name, its adapter, what it was to be and what it was.
    package init(resource: String, adapter: String, wanted: String, found: String) {
        self.resource = resource
        self.adapter = adapter
        self.wanted = wanted
        self.found = found
    }
}
