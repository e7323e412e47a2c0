package import CleatAPI
package import CleatIO

/// A numbered event in its compact form, shared by the replay ring and every subscriber's buffer.
package final class EventRecord: Sendable {
    /// The event's number, from 1 at each start of the service.
    package let sequence: Int64
    /// What was published.
    package let draft: EventDraft
    /// When, by the wall clock.
    package let time: WallTime
    /// When, by the clock that runs since boot.
    package let bootTime: BootTime
    /// Whether the wall clock was synchronised then.
    package let synchronised: Bool

    init(sequence: Int64, draft: EventDraft, stamp: EventStamp) {
        self.sequence = sequence
        self.draft = draft
        time = stamp.time
        bootTime = stamp.bootTime
        synchronised = stamp.synchronised
    }

    /// About how many bytes it takes in memory.
    var size: Int {
        160 + draft.subject.utf8.count + draft.properties.bytes.count
    }

    /// The event in the form in which it crosses the wire.
    package func event(bootID: String) -> Event {
        Event(
            sequence: sequence, source: draft.source, action: draft.action, subject: draft.subject,
            properties: draft.properties.dictionary, time: time.description, bootID: bootID,
            bootTime: bootTime.milliseconds, synchronised: synchronised, cause: draft.cause, restored: draft.restored)
    }
}

/// When something happened, by all clocks that matter.
package struct EventStamp: Sendable {
    /// The wall clock.
    package var time: WallTime
    /// The clock that runs since boot.
    package var bootTime: BootTime
    /// Whether the wall clock is synchronised.
    package var synchronised: Bool

    /// Makes a stamp of its parts.
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
