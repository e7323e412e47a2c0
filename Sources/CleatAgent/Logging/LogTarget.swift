package import CleatSettings
package import Logging

extension LogLevel {
    /// The level of swift-log.
    package var level: Logger.Level {
        switch self {
        case .trace: .trace
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}

/// The target of the service's messages.
package enum LogTarget: String, Sendable {
    /// Standard error: a terminal, a file, or the journal.
    case standardError = "stderr"
    /// The system log's socket, `/dev/log`.
    case syslog
}
