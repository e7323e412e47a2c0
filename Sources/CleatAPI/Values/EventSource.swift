/// The part of the board that an event comes from.
package enum EventSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// A device of the kernel, from its uevents.
    case device
    /// A network link or its addresses.
    case link
    /// A battery or the mains.
    case power
    /// A file in an area.
    case file
    /// A commit of settings.
    case setting
    /// The service itself.
    case agent
}
