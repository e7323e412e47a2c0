package import CleatAPI

/// An event that the bus has not numbered and timestamped yet.
package struct EventDraft: Sendable, Equatable {
    /// The source of the event.
    package var source: EventSource
    /// The action: what happened to the subject.
    package var action: String
    /// The subject: a devpath, an interface name, a path.
    package var subject: String
    /// The further properties of the event.
    package var properties: PropertyBlock
    /// The id of the transaction or hook run that caused it.
    package var cause: String?
    /// True if the change happened while the service was down.
    package var restored: Bool

    /// Makes a draft from its parts.
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
