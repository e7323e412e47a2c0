/// Says how severe a message must be to be logged.
public enum LogLevel: String, Hashable, Sendable, Codable, CaseIterable {
    /// Everything.
    case trace
    /// What helps to find a fault.
    case debug
    /// What happens.
    case info
    /// What does not happen every day.
    case notice
    /// What may need care.
    case warning
    /// What failed.
    case error
    /// What the service cannot go on after.
    case critical
}
