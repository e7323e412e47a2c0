import CleatOrder
package import Logging
import Synchronization

/// Writes the service's messages as single lines: for a terminal, for the journal, or for syslog.
///
/// A message is truncated at ``lineLimit`` bytes, and control characters in it are escaped: many logged texts were read
/// from a device or a file.
package struct AgentLogHandler: LogHandler {
    /// The maximum size of one line in bytes; a pipe writes as many atomically (pipe(7), PIPE_BUF).
    package static let lineLimit = 4_000

    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level {
        get { threshold.level }
        set { threshold.level = newValue }
    }
    private let sink: LogSink
    private let threshold: LogThreshold

    init(sink: LogSink, threshold: LogThreshold) {
        self.sink = sink
        self.threshold = threshold
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = Self.escaped(event.message.description)
        let additions = event.metadata ?? [:]
        if !metadata.isEmpty || !additions.isEmpty {
            for (key, value) in metadata.merging(additions, uniquingKeysWith: { $1 }).ordered(by: { $0.key < $1.key }) {
                line += " \(key)=\(Self.escaped(value.description))"
            }
        }
        sink.write(line, level: event.level)
    }

    /// Escapes characters that could forge a line or control a terminal.
    static func escaped(_ text: String) -> String {
        // Most messages are printable ASCII, which needs nothing of the Unicode tables.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format:
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// The least level that is written; shared by all handlers, so that a setting can change it at run time.
package final class LogThreshold: Sendable {
    private let value: Mutex<Logger.Level>

    /// Creates a threshold with an initial level.
    package init(_ level: Logger.Level) {
        value = Mutex(level)
    }

    /// The least level that is written.
    package var level: Logger.Level {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
