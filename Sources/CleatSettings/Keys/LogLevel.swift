/// The severity that a message must have to be logged.
public enum LogLevel: String, Hashable, Sendable, Codable, CaseIterable {
    /// All messages.
    case trace
    /// Messages that help to find a fault.
    case debug
    /// Normal operation.
    case info
    /// Normal but unusual events.
    case notice
    /// Conditions that may need attention.
    case warning
    /// Failures.
    case error
    /// Failures after which the service cannot continue.
    case critical
}
