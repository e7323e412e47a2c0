/// An event of the board, with its source and its time.
///
/// The order of events is that of ``sequence`` within one instance of the service, never that of a clock.
package struct Event: Codable, Hashable, Sendable {
    /// The number of the event, from 1 at each start of the service.
    package var sequence: Int64
    /// The part of the board that it comes from.
    package var source: EventSource
    /// The action, such as `add`, `change`, `up` or `present`.
    package var action: String
    /// The subject: a devpath, an interface name, a setting path.
    package var subject: String
    /// Further properties from the source; sorted by key on the wire.
    package var properties: [String: String]
    /// The wall time, RFC 3339 UTC.
    package var time: String
    /// The boot that the event belongs to.
    package var bootID: String
    /// CLOCK_BOOTTIME, milliseconds.
    package var bootTime: Int64
    /// True if the clock was synchronised.
    package var synchronised: Bool
    /// The transaction or event that led to this one.
    package var cause: String?
    /// True if it happened while the service was not running.
    package var restored: Bool

    /// Creates an event.
    package init(
        sequence: Int64, source: EventSource, action: String, subject: String, properties: [String: String] = [:],
        time: String, bootID: String, bootTime: Int64, synchronised: Bool, cause: String? = nil,
        restored: Bool = false
    ) {
        self.sequence = sequence
        self.source = source
        self.action = action
        self.subject = subject
        self.properties = properties
        self.time = time
        self.bootID = bootID
        self.bootTime = bootTime
        self.synchronised = synchronised
        self.cause = cause
        self.restored = restored
    }

    private enum CodingKeys: String, CodingKey {
        case sequence
        case source
        case action
        case subject
        case properties
        case time
        case bootID = "boot_id"
        case bootTime = "boot_time"
        case synchronised
        case cause
        case restored
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(source, forKey: .source)
        try container.encode(action, forKey: .action)
        try container.encode(subject, forKey: .subject)
        try container.encodeSorted(properties, forKey: .properties)
        try container.encode(time, forKey: .time)
        try container.encode(bootID, forKey: .bootID)
        try container.encode(bootTime, forKey: .bootTime)
        try container.encode(synchronised, forKey: .synchronised)
        try container.encodeIfPresent(cause, forKey: .cause)
        try container.encode(restored, forKey: .restored)
    }
}
