/// Reports one run of a hook.
package struct HookRun: Codable, Hashable, Sendable {
    /// When it started: wall time, RFC 3339 UTC.
    package var time: String
    /// The event that it ran on: `device add /devices/…`.
    package var event: String
    /// How long it took, in milliseconds.
    package var duration: Int64
    /// How it ended.
    package var status: Status
    /// The exit status, the signal's number, or the errno of the refusal.
    package var code: Int
    /// The head of what it printed.
    package var output: String
    /// How much it printed in all, in bytes.
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

    /// How a run of a hook ended.
    package enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        /// The program ended by itself.
        case exited
        /// A signal ended it.
        case signalled
        /// It ran into its timeout, and its process group was killed.
        case timedOut = "timed_out"
        /// It was not started.
        case refused
    }
}
