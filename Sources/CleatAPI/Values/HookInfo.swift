/// Describes a hook and how it has fared since the service started.
package struct HookInfo: Codable, Hashable, Sendable {
    /// The name: that of the file, with a number where a file has several.
    package var name: String
    /// The file that declares it.
    package var file: String
    /// Which events it runs on.
    package var match: HookMatch
    /// The program and its arguments.
    package var run: [String]
    /// The time it may take, in milliseconds.
    package var timeout: Int64
    /// How often it ran.
    package var runs: Int64
    /// How often it failed.
    package var failures: Int64
    /// How many events were merged or cut off by the rate limit.
    package var suppressed: Int64
    /// The last run.
    package var last: HookRun?
    /// What it may write; nil for whatever the service's user may.
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
