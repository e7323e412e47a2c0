/// One run of a hook.
package struct HookRun: Codable, Hashable, Sendable {
    /// The time of the start: wall time, RFC 3339 UTC.
    package var time: String
    /// The event that it ran on: `device add /devices/…`.
    package var event: String
    /// The duration in milliseconds.
    package var duration: Int64
    /// The outcome.
    package var status: Status
    /// The exit status, the signal's number, or the errno of the refusal.
    package var code: Int
    /// The beginning of its output, or the reason why it was not started.
    package var output: String
    /// The size of its whole output, in bytes.
    package var outputBytes: Int64

    /// Creates a report.
    package init(
        time: String, event: String, duration: Int64, status: Status, code: Int, output: String, outputBytes: Int64
    ) {
        self.time = time
        self.event = event
        self.duration = duration
        self.status = status
        self.code = code
        self.output = output
        self.outputBytes = outputBytes
    }

    private enum CodingKeys: String, CodingKey {
        case time
        case event
        case duration
        case status
        case code
        case output
        case outputBytes = "output_bytes"
    }

    /// The outcome of a run of a hook.
    package enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        /// The program exited.
        case exited
        /// The program was killed by a signal.
        case signalled
        /// It exceeded its timeout, and its process group was killed.
        case timedOut = "timed_out"
        /// The program was not started.
        case refused
    }
}
