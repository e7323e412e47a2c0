package import CleatJSON

/// Something of the system that is not what the service wrote last.
package struct DriftInfo: Codable, Hashable, Sendable {
    /// A file by its path, or `hostname` for the kernel's.
    package var name: String
    /// How it differs.
    package var state: State
    /// The adapter that it was written for.
    package var adapter: String
    /// A setting that it follows.
    package var setting: String?
    /// What the setting would be for it to be what it is; nil where that cannot be told.
    package var value: JSONValue?
    /// What is the matter, for people.
    package var message: String
    /// What to do about it.
    package var remedy: String

    /// How something differs from what the service wrote.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// Somebody else has changed it.
        case changed
        /// It is not there any more.
        case missing
        /// No setting wants it any more, but it is not what it was before.
        case letGo = "let_go"
        /// It was never made what the settings say.
        case notApplied = "not_applied"
        /// It cannot be looked at.
        case unreadable
    }

    /// Creates one.
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
