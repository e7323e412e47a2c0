package import CleatAPI
public import CleatSettings

/// An event of the board, such as a link that comes up; see ``Cleat/events(from:action:subject:)``.
public struct BoardEvent: Hashable, Sendable {
    /// The part of the board that an event comes from.
    ///
    /// Later releases may have further sources, so a `switch` needs a default.
    public struct Source: Hashable, Sendable, CustomStringConvertible {
        /// The source's name.
        public let description: String

        init(_ description: String) { self.description = description }

        /// A device of the kernel, from its uevents.
        public static let device = Source(EventSource.device.rawValue)
        /// A network link or its addresses.
        public static let link = Source(EventSource.link.rawValue)
        /// A file in an area.
        public static let file = Source(EventSource.file.rawValue)
        /// A commit of settings.
        public static let setting = Source(EventSource.setting.rawValue)
        /// The service itself.
        public static let agent = Source(EventSource.agent.rawValue)
        /// A program, which has emitted the event: ``Cleat/emit(_:subject:_:keepingFor:)``.
        public static let app = Source(EventSource.app.rawValue)
        /// A power supply: a battery or a line; see ``Cleat/power``.
        public static let power = Source(EventSource.power.rawValue)
    }

    /// The part of the board that it comes from.
    public let source: Source
    /// The action, such as `add`, `change` or `up`; `present` for the state at the begin of a sequence.
    public let action: String
    /// The subject: a devpath, an interface name, the path of a setting.
    public let subject: String
    /// Further properties from the source.
    ///
    /// For an event of a program, `EMITTER_UID` and `EMITTER` name its user.
    public let properties: [String: String]
    /// The time, which is right only if the board's clock was set; nil if the service sent none.
    public let time: Timestamp?
    /// The change or hook that caused the event; nil if none is known.
    public let cause: String?
    /// True if it happened while the service was not running.
    public let isRestored: Bool
    /// The number of events that were dropped before this one, because they were not read in time.
    public internal(set) var missed: Int

    /// Creates an event from its wire format, and the number of those that were dropped before it.
    package init(_ event: Event, missed: Int) {
        source = Source(event.source.rawValue)
        action = event.action
        subject = event.subject
        properties = event.properties
        time = Timestamp(event.time)
        cause = event.cause
        isRestored = event.restored
        self.missed = missed
    }
}

/// The events that a sequence gets.
package struct EventQuery: Sendable {
    /// The events.
    package var filter: EventFilter
    /// True if the present state comes first, and again after a restart of the service.
    package var hasPresent = true
}

/// The receiver of a subscription's events.
package struct EventSink: Sendable {
    /// Takes an event; nil each time that the subscription is in force, from when on no event is missed.
    package let take: @Sendable (BoardEvent?) -> Void
    /// Takes the error that ends the subscription.
    package let fail: @Sendable (CleatError) -> Void
}

/// A subscription to events, which ends when the last reference to it is released.
package final class EventFollowing: Sendable {
    private let end: @Sendable () -> Void

    /// Creates a subscription from the function that ends it.
    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}
