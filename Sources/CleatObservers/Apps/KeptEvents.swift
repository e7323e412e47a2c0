internal import CleatIO
import CleatOrder

/// The events that programs keep: each is the present state of its subject and user, for a time.
struct KeptEvents: Sendable {
    /// The action of the event that is published at the end of a kept one's time.
    static let expired = "expired"
    /// The property with the action of a kept event, when it is listed as present.
    static let actionProperty = "KEPT_ACTION"
    /// The largest number of kept events of one user.
    static let perUser = 16
    /// The largest number of all kept events.
    static let limit = 64
    /// The longest time that an event is kept, in milliseconds: a day.
    static let longest: Int64 = 86_400_000

    /// A subject of one user.
    struct Subject: Hashable {
        let uid: UInt32
        let name: String
    }

    /// A kept event.
    struct Entry {
        let record: EventRecord
        /// The instant at which it expires.
        var end: BootTime
    }

    private var entries: [Subject: Entry] = [:]

    var count: Int { entries.count }

    /// The instant at which the next event expires; nil if there is none.
    var next: BootTime? { entries.values.map(\.end).min() }

    /// The events in order of their subjects, then of their numbers.
    var all: [EventRecord] {
        entries.values.map(\.record).ordered {
            $0.subject == $1.subject
                ? $0.sequence < $1.sequence : $0.subject.utf8.lexicographicallyPrecedes($1.subject.utf8)
        }
    }

    subscript(subject: Subject) -> Entry? {
        get { entries[subject] }
        set { entries[subject] = newValue }
    }

    /// Returns the problem that keeps an event from being kept, with the remedy; nil if there is none.
    func problem(of subject: Subject, keep: Int64?) -> String? {
        guard let keep else { return nil }
        guard (0...Self.longest).contains(keep) else {
            return "an event is kept for 0 to \(Self.longest) ms, not \(keep); emit it again before it expires"
        }
        guard keep > 0, entries[subject] == nil else { return nil }
        if entries.keys.filter({ $0.uid == subject.uid }).count >= Self.perUser {
            return "uid \(subject.uid) keeps \(Self.perUser) events already; remove one with a time of 0"
        }
        if entries.count >= Self.limit {
            return "the programs of this board keep \(Self.limit) events already; emit it without keeping it"
        }
        return nil
    }

    /// Keeps an event longer, if it is equal to the one to be published.
    ///
    /// - Returns: The number of the kept event; nil if there is none, or it differs.
    mutating func extend(_ subject: Subject, like draft: EventDraft, until end: BootTime) -> Int64? {
        guard let entry = entries[subject], entry.record.action == draft.action,
            entry.record.properties == draft.properties
        else { return nil }
        entries[subject]?.end = end
        return entry.record.sequence
    }

    /// Removes and returns the events whose time has ended.
    mutating func takeExpired(_ now: BootTime) -> [Entry] {
        let ended = entries.filter { $0.value.end <= now }
        for subject in ended.keys { entries[subject] = nil }
        return ended.values.ordered { $0.record.sequence < $1.record.sequence }
    }
}
