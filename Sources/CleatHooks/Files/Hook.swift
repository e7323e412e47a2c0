/// Declares what runs on which events, as one file in `hooks.d` says.
package struct Hook: Sendable, Hashable {
    /// The file's name without `.json5`.
    package var name: String
    /// The file, for messages.
    package var file: String
    /// What it is for, in its author's words.
    package var comment: String?
    /// Which events it runs on.
    package var filter: HookFilter
    /// The program's absolute path and its arguments.
    package var command: [String]
    /// How long a run may take, in milliseconds; after it the process group is killed.
    package var timeout: Int64
    /// When a run starts, and how often.
    package var pace: HookPace
    /// What it may write; nil for whatever the service's user may.
    package var sandbox: HookSandbox?

    /// The program's absolute path.
    package var program: String { command.first ?? "" }

    /// Creates a hook.
    package init(
        name: String, file: String, comment: String? = nil, filter: HookFilter, command: [String],
        timeout: Int64 = HookLimits.timeout, pace: HookPace = HookPace(), sandbox: HookSandbox? = nil
    ) {
        self.name = name
        self.file = file
        self.comment = comment
        self.filter = filter
        self.command = command
        self.timeout = timeout
        self.pace = pace
        self.sandbox = sandbox
    }
}

/// Says when the runs of a hook start and how often; times are in milliseconds.
package struct HookPace: Sendable, Hashable {
    /// How long a subject has to be quiet before a run starts; 0 starts at once.
    package var debounce: Int64
    /// How long events can put a run off in all.
    package var debounceLimit: Int64
    /// How many runs one subject gets without a pause.
    package var burst: Int64
    /// How many runs a second one subject gets in the long run.
    package var perSecond: Int64
    /// How many runs of the hook go on at the same time; nil leaves it to the service.
    package var concurrency: Int?

    /// Creates a pace.
    package init(
        debounce: Int64 = 0, debounceLimit: Int64? = nil, burst: Int64 = HookLimits.burst,
        perSecond: Int64 = HookLimits.perSecond, concurrency: Int? = nil
    ) {
        self.debounce = debounce
        self.debounceLimit = debounceLimit ?? min(debounce &* 10, HookLimits.longestTimeout)
        self.burst = burst
        self.perSecond = perSecond
        self.concurrency = concurrency
    }
}

/// Holds the limits of hook files and their defaults; times are in milliseconds.
package enum HookLimits {
    /// The largest hook file, in bytes.
    package static let fileBytes = 64 * 1024
    /// The largest number of bytes in all hook files.
    package static let allFilesBytes = 512 * 1024
    /// The largest number of hooks.
    package static let hooks = 256
    /// Files and directories with problems, after which no more are looked at.
    package static let problems = 256
    /// The largest number of bytes that all names in a directory of hooks may have.
    package static let directoryBytes = 128 * 1024
    /// The largest number of arguments, the program included.
    package static let arguments = 64
    /// The longest argument, in bytes.
    package static let argumentBytes = 4096
    /// The largest number of places that a hook can name to write to.
    package static let writePaths = 64
    /// The longest path of such a place, in bytes.
    package static let writePathBytes = 4095
    /// The longest name of a hook, in bytes.
    package static let nameBytes = 64
    /// The largest number of property patterns in one hook.
    package static let properties = 32
    /// How long a run may take where the file does not say.
    package static let timeout: Int64 = 30_000
    /// The longest time that a file can ask for.
    package static let longestTimeout: Int64 = 3_600_000
    /// How many runs one subject gets without a pause where the file does not say.
    package static let burst: Int64 = 30
    /// How many runs a second one subject gets in the long run where the file does not say.
    package static let perSecond: Int64 = 5
    /// The largest rate that a file can ask for.
    package static let highestRate: Int64 = 10_000
    /// The largest number of runs at the same time that a file can ask for.
    package static let concurrency = 64
    /// The largest number of bytes of a hook's environment.
    package static let environmentBytes = 64 * 1024
    /// The largest number of bytes of output that a run keeps.
    package static let outputBytes = 64 * 1024
    /// The largest number of bytes of output that the list of hooks shows of the last run.
    package static let listedOutputBytes = 512
}
