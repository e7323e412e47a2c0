import CleatAPI
import CleatObservers
import CleatOrder

/// The subjects whose newest events did not fit into the queue: their hooks run once it has space, with the state that
/// the subjects have then.
///
/// Only the kind of an event is kept; its properties are read from the observer again.
struct HookOverflow: Sendable {
    /// The newest event of a subject, without its properties.
    struct Entry: Sendable {
        let source: EventSource
        let action: String
        let cause: String?
        let sequence: Int64
    }

    /// The maximum number of entries, and the approximate maximum of their bytes.
    static let limit = (entries: 32_768, bytes: 8 << 20)

    private(set) var entries: [HookQueue.Key: Entry] = [:]
    private var bytes = 0

    var isEmpty: Bool { entries.isEmpty }

    /// The sources of the events, in a fixed order.
    var sources: [EventSource] { Set(entries.values.map(\.source)).ordered { $0.rawValue < $1.rawValue } }

    /// Keeps an event that did not fit into the queue; returns false if there is no space for it here either.
    mutating func add(_ event: EventRecord, to hook: String) -> Bool {
        add(
            HookQueue.Key(hook: hook, subject: event.subject),
            Entry(source: event.source, action: event.action, cause: event.draft.cause, sequence: event.sequence))
    }

    /// Keeps an entry; returns false if there is no space.
    mutating func add(_ key: HookQueue.Key, _ entry: Entry) -> Bool {
        let isNew = entries[key] == nil
        if isNew {
            let size = Self.bytes(of: key)
            guard entries.count < Self.limit.entries, bytes + size <= Self.limit.bytes else { return false }
            bytes += size
        }
        entries[key] = entry
        return true
    }

    /// The events without their properties.
    var events: [PendingHookEvent] {
        entries.map { PendingHookEvent(hook: $0.hook, event: $1.record($0.subject, nil), hasProperties: false) }
    }

    /// Removes a subject, whose event has come into the queue.
    mutating func remove(_ key: HookQueue.Key) {
        guard entries.removeValue(forKey: key) != nil else { return }
        bytes -= Self.bytes(of: key)
        // The memory of many entries is given back.
        if entries.isEmpty { entries = [:] }
    }

    /// Removes the subjects of a hook, and returns them.
    mutating func take(_ hook: String) -> [(key: HookQueue.Key, entry: Entry)] {
        let taken = entries.filter { $0.key.hook == hook }
        for key in taken.keys { remove(key) }
        return taken.map { ($0.key, $0.value) }
    }

    /// Removes the subjects of all hooks but these.
    mutating func removeAll(except hooks: Set<String>) {
        for key in entries.keys where !hooks.contains(key.hook) { remove(key) }
    }

    private static func bytes(of key: HookQueue.Key) -> Int { 128 + key.subject.utf8.count }
}

extension HookOverflow.Entry {
    /// Returns the event with present properties; those of a subject that is gone are not known any more.
    func record(_ subject: String, _ properties: PropertyBlock?) -> EventRecord {
        EventRecord(
            sequence: sequence,
            draft: EventDraft(
                source: source, action: action, subject: subject, properties: properties ?? [:], cause: cause),
            stamp: .now())
    }
}

extension HookFilter {
    /// Returns true if the present properties of a subject do not match any more.
    func excludes(_ present: PropertyBlock) -> Bool {
        properties.contains { property in present[property.name].map { !property.pattern.matches($0) } ?? false }
    }
}
