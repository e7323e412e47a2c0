/// The former state of a resource, in bytes that only its adapter understands.
package struct StoredMemento: Sendable, Hashable {
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
