package import CleatAPI

/// An event before the bus has numbered and dated it.
package struct EventDraft: Sendable, Hashable {
    /// Where it comes from.
    package var source: EventSource
    /// What happened.
    package var action: String
    /// What it happened to: a devpath, an interface name, a path.
    package var subject: String
    /// What else is known of it.
    package var properties: PropertyBlock
    /// The id of the transaction or hook run that caused it.
    package var cause: String?
    /// Whether it happened while the service was down.
    package var restored: Bool

    /// Makes a draft of its parts.
    package init(
        source: EventSource, action: String, subject: String, properties: PropertyBlock = [:], cause: String? = nil,
        restored: Bool = false
    ) {
        self.source = source
        self.action = action
        self.subject = subject
        self.properties = properties
        self.cause = cause
        self.restored = restored
    }
}
