package import CleatAPI

/// What a subscriber wants to hear of; an empty filter lets everything through.
package struct EventFilter: Sendable, Hashable {
    /// The sources that are let through; nil for all.
    package var sources: Set<EventSource>?
    /// What the action must match.
    package var action: Glob?
    /// What the subject must match.
    package var subject: Glob?

    /// Makes a filter of its parts.
    package init(sources: Set<EventSource>? = nil, action: Glob? = nil, subject: Glob? = nil) {
        self.sources = sources
        self.action = action
        self.subject = subject
    }

    /// Lets everything through.
    package static let all = EventFilter()

    /// Says whether an event with these marks is let through.
    package func matches(source: EventSource, action: String, subject: String) -> Bool {
        if let sources, !sources.contains(source) { return false }
        if let glob = self.action, !glob.matches(action) { return false }
        if let glob = self.subject, !glob.matches(subject) { return false }
        return true
    }
}
