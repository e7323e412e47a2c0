/// The record of a resource that Cleat manages.
package struct KnownResource: Hashable, Sendable {
    /// The adapter that manages the resource.
    package var adapter: String
    /// The fingerprint of its desired state (``ResourceState/fingerprint``); nil if it was not recorded.
    package var wanted: String?
    /// The fingerprint of the resource right after it was written.
    ///
    /// It is empty during the write, and nil if it was not recorded.
    package var found: String?
    /// True if its state before Cleat changed it is known.
    package var hasOrigin: Bool

    /// Creates a record.
    package init(adapter: String, wanted: String? = nil, found: String? = nil, hasOrigin: Bool) {
        self.adapter = adapter
        self.wanted = wanted
        self.found = found
        self.hasOrigin = hasOrigin
    }
}
