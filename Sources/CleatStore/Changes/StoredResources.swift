/// The former state of a resource, in bytes that only its adapter understands.
package struct StoredMemento: Sendable, Equatable {
    /// The resource's name, 1 to `StoreLimits.resourceBytes` bytes.
    package var resource: String
    /// The adapter that can restore the resource, 1 to `StoreLimits.wordBytes` bytes.
    package var adapter: String
    /// The former state, at most `StoreLimits.mementoBytes` bytes.
    package var state: [UInt8]

    /// Creates a memento from a resource's name, its adapter and its state.
    package init(resource: String, adapter: String, state: [UInt8]) {
        self.resource = resource
        self.adapter = adapter
        self.state = state
    }
}

/// A resource whose state from before Cleat first touched it is stored.
package struct StoredOrigin: Sendable, Equatable {
    /// The resource's name.
    package var resource: String
    /// The adapter that can restore the resource.
    package var adapter: String
    /// The number of the generation that first touched the resource.
    package var generation: Int64
    /// The size in bytes of the state, which `origin(of:)` reads.
    package var size: Int64
}

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
