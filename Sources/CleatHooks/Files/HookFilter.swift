package import CleatAPI
package import CleatObservers

/// The filter of the events that a hook runs on: every pattern that is set has to match.
package struct HookFilter: Sendable, Equatable {
    /// The pattern for the source; nil for all.
    package var source: HookPattern?
    /// The pattern for the action; nil for all.
    package var action: HookPattern?
    /// The pattern for the subject; nil for all.
    package var subject: HookPattern?
    /// Patterns for properties, sorted by name; a property that the event lacks matches none.
    package var properties: [Property]

    /// A property's name with the pattern for its value.
    package struct Property: Sendable, Equatable {
        /// The property's name.
        package var name: String
        /// The pattern for its value.
        package var pattern: HookPattern

        /// Creates a pair.
        package init(name: String, pattern: HookPattern) {
            self.name = name
            self.pattern = pattern
        }
    }

    /// Creates a filter.
    package init(
        source: HookPattern? = nil, action: HookPattern? = nil, subject: HookPattern? = nil, properties: [Property] = []
    ) {
        self.source = source
        self.action = action
        self.subject = subject
        self.properties = properties
    }

    /// Returns true if the event matches.
    ///
    /// An event of a program matches only a filter that names the source `app` and the emitter.
    package func matches(_ event: EventRecord) -> Bool {
        if event.source == .app, !namesApps || !namesEmitter { return false }
        if let source, !source.matches(event.source.rawValue) { return false }
        if let action, !action.matches(event.action) { return false }
        if let subject, !subject.matches(event.subject) { return false }
        return properties.allSatisfy { property in
            event.properties[property.name].map { property.pattern.matches($0) } ?? false
        }
    }

    /// True if the pattern for the source names `app`: one that matches any source does not.
    var namesApps: Bool { source?.words.contains(EventSource.app.rawValue) ?? false }

    /// True if a pattern names the emitters of events of programs, by their user ids or names.
    var namesEmitter: Bool {
        properties.contains {
            ($0.name == AppEvent.uidProperty || $0.name == AppEvent.userProperty) && $0.pattern.isLiteral
        }
    }

    /// Returns, for each pattern, whether the event matches it.
    package func clauses(for event: Event) -> [HookClause] {
        var clauses: [HookClause] = []
        func add(_ name: String, _ pattern: HookPattern?, _ value: String?) {
            guard let pattern else { return }
            clauses.append(
                HookClause(
                    name: name, pattern: pattern.text, value: value,
                    matches: value.map { pattern.matches($0) } ?? false))
        }
        if event.source == .app, !namesApps {
            // Such an event matches only a filter that names its source.
            let pattern = source?.text ?? "*"
            clauses.append(HookClause(name: "source", pattern: pattern, value: event.source.rawValue, matches: false))
        } else {
            add("source", source, event.source.rawValue)
        }
        add("action", action, event.action)
        add("subject", subject, event.subject)
        for property in properties {
            add("properties.\(property.name)", property.pattern, event.properties[property.name])
        }
        return clauses
    }

    /// The filter as it is sent to clients.
    package var wire: HookMatch {
        HookMatch(
            source: source?.text, action: action?.text, subject: subject?.text,
            properties: Dictionary(
                properties.map { ($0.name, $0.pattern.text) }, uniquingKeysWith: { first, _ in first }))
    }
}
