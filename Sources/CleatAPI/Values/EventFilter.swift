/// The events that a subscriber receives; an empty filter matches every event.
package struct EventFilter: Sendable, Equatable {
    /// The sources that match; nil for all.
    package var sources: Set<EventSource>?
    /// The pattern for the action; nil for all.
    package var action: Glob?
    /// The pattern for the subject; nil for all.
    package var subject: Glob?

    /// Makes a filter from its parts.
    package init(sources: Set<EventSource>? = nil, action: Glob? = nil, subject: Glob? = nil) {
        self.sources = sources
        self.action = action
        self.subject = subject
    }

    /// The filter that matches every event.
    package static let all = EventFilter()

    /// Returns true if an event with these properties matches.
    package func matches(source: EventSource, action: String, subject: String) -> Bool {
        if let sources, !sources.contains(source) { return false }
        if let glob = self.action, !glob.matches(action) { return false }
        if let glob = self.subject, !glob.matches(subject) { return false }
        return true
    }
}
