/// Holds what is remembered of a resource that Cleat has taken.
package struct KnownResource: Hashable, Sendable {
    /// The adapter that it was taken for.
    package var adapter: String
    /// What stands for what it was to be (``ResourceState/fingerprint``); nil where that was not remembered.
    package var wanted: String?
    /// What stands for what it was right after it was written; empty while it is being written, nil where that was not
    /// remembered.
    package var found: String?
    /// Whether it is known what it was before.
    package var hasOrigin: Bool

    /// Takes all of it.
    package init(adapter: String, wanted: String? = nil, found: String? = nil, hasOrigin: Bool) {
        self.adapter = adapter
        self.wanted = wanted
        self.found = found
        self.hasOrigin = hasOrigin
    }
}
