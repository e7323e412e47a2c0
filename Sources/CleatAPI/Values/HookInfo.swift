/// A hook, with its runs since the service started.
package struct HookInfo: Codable, Hashable, Sendable {
    /// The name: that of the file, with a number if the file has several hooks.
    package var name: String
    /// The file that declares it.
    package var file: String
    /// The events that it runs on.
    package var match: HookMatch
    /// The program and its arguments.
    package var run: [String]
    /// The timeout in milliseconds.
    package var timeout: Int64
    /// The number of runs, including those that could not be started.
    package var runs: Int64
    /// The number of runs that failed.
    package var failures: Int64
    /// The number of matching events without a run of their own: merged, rate-limited, dropped from a full queue, or
    /// caused by the hook itself.
    package var suppressed: Int64
    /// The last run; nil if there was none.
    package var last: HookRun?
    /// The sandbox; nil if the hook may write everything that the service's user may.
    package var sandbox: HookSandboxInfo?

    /// Creates a description.
    package init(
        name: String, file: String, match: HookMatch, run: [String], timeout: Int64, runs: Int64 = 0,
        failures: Int64 = 0, suppressed: Int64 = 0, last: HookRun? = nil, sandbox: HookSandboxInfo? = nil
    ) {
        self.name = name
        self.file = file
        self.match = match
        self.run = run
        self.timeout = timeout
        self.runs = runs
        self.failures = failures
        self.suppressed = suppressed
        self.last = last
        self.sandbox = sandbox
    }
}
