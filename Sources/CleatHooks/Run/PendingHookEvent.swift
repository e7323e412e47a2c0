package import CleatObservers

/// An event that a hook has not acted on yet: it waits, or its run has not ended.
package struct PendingHookEvent: Sendable {
    /// The hook's name.
    package let hook: String
    /// The event.
    package let event: EventRecord
    /// False if the event did not fit, so that only its subject is known.
    package let hasProperties: Bool

    /// Creates one.
    package init(hook: String, event: EventRecord, hasProperties: Bool = true) {
        self.hook = hook
        self.event = event
        self.hasProperties = hasProperties
    }
}
