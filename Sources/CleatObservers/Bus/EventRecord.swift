package import CleatAPI
package import CleatIO

/// A numbered event in its compact form, shared by the replay ring, every subscriber's buffer and the queue of hooks.
package final class EventRecord: Sendable {
    /// The event's number; it starts at 1 each time the service starts.
    package let sequence: Int64
    /// The event as it was published.
    package let draft: EventDraft
    /// The time of the event by the wall clock.
    package let time: WallTime
    /// The time of the event by the clock that counts from boot.
    package let bootTime: BootTime
    /// True if the wall clock was synchronised at the time of the event.
    package let synchronised: Bool

    /// The source of the event.
    package var source: EventSource { draft.source }
    /// The action: what happened to the subject.
    package var action: String { draft.action }
    /// The subject: a devpath, an interface name, a path.
    package var subject: String { draft.subject }
    /// The further properties of the event.
    package var properties: PropertyBlock { draft.properties }
    /// True if the change happened while the service was down.
    package var restored: Bool { draft.restored }

    /// Makes a record from its parts.
    package init(sequence: Int64, draft: EventDraft, stamp: EventStamp) {
        self.sequence = sequence
        self.draft = draft
        time = stamp.time
        bootTime = stamp.bootTime
        synchronised = stamp.synchronised
    }

    /// The approximate memory use in bytes.
    package var size: Int {
        160 + draft.subject.utf8.count + draft.properties.bytes.count
    }

    /// Returns the event in the form that is sent to clients.
    package func event(bootID: String) -> Event {
        Event(
            sequence: sequence, source: draft.source, action: draft.action, subject: draft.subject,
            properties: draft.properties.dictionary, time: time.description, bootID: bootID,
            bootTime: bootTime.milliseconds, synchronised: synchronised, cause: draft.cause, restored: draft.restored)
    }
}

/// The time of an event by all clocks that an event records.
package struct EventStamp: Sendable {
    /// The time by the wall clock.
    package var time: WallTime
    /// The time by the clock that counts from boot.
    package var bootTime: BootTime
    /// True if the wall clock is synchronised.
    package var synchronised: Bool

    /// Makes a stamp from its parts.
    package init(time: WallTime, bootTime: BootTime, synchronised: Bool) {
        self.time = time
        self.bootTime = bootTime
        self.synchronised = synchronised
    }

    /// Reads all clocks.
    package static func now() -> EventStamp {
        EventStamp(time: .now(), bootTime: .now(), synchronised: WallTime.clockSynchronised)
    }
}
