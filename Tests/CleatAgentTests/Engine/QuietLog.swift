import Logging

extension Logger {
    /// A log that writes nothing.
    static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
