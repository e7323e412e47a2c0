package import CleatJSON

/// A resource of the system that differs from its last written state.
package struct DriftInfo: Codable, Hashable, Sendable {
    /// The name of the resource: a file by its path, or `hostname` for that of the kernel.
    package var name: String
    /// The kind of difference.
    package var state: State
    /// The adapter that the resource was written for.
    package var adapter: String
    /// A setting that the resource follows.
    package var setting: String?
    /// The value of the setting that would produce the present state; nil if there is none, or not all users may read
    /// the resource.
    package var value: JSONValue?
    /// The difference as text for users.
    package var message: String
    /// The remedy.
    package var remedy: String

    /// The kind of difference from the last written state.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// The resource was edited outside Cleat.
        case changed
        /// The resource does not exist any more.
        case missing
        /// No setting claims the resource any more, but its former state is not restored.
        case letGo = "let_go"
        /// The settings were not applied to the resource.
        case notApplied = "not_applied"
        /// The resource cannot be read.
        case unreadable
    }

    /// Creates a description.
    package init(
        name: String, state: State, adapter: String, setting: String? = nil, value: JSONValue? = nil, message: String,
        remedy: String
    ) {
        self.name = name
        self.state = state
        self.adapter = adapter
        self.setting = setting
        self.value = value
        self.message = message
        self.remedy = remedy
    }
}
