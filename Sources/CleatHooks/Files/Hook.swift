/// One hook: a program that runs on events, declared by one file in `hooks.d`.
package struct Hook: Sendable, Equatable {
    /// The file's name without `.json5`.
    package var name: String
    /// The path of the file, for messages.
    package var file: String
    /// The author's comment on the hook's purpose.
    package var comment: String?
    /// The filter of the events that it runs on.
    package var filter: HookFilter
    /// The program's absolute path and its arguments.
    package var command: [String]
    /// The time limit of a run, in milliseconds; when it expires, the process group is killed.
    package var timeout: Int64
    /// The time and the rate at which runs start.
    package var pace: HookPace
    /// The places that it may write; nil for no restriction beyond the permissions of the service's user.
    package var sandbox: HookSandbox?
    /// The user, limits, directory and environment of its process.
    package var process: HookProcess

    /// The program's absolute path.
    package var program: String { command.first ?? "" }

    /// Creates a hook.
    package init(
        name: String, file: String, comment: String? = nil, filter: HookFilter, command: [String],
        timeout: Int64 = HookLimits.timeout, pace: HookPace = HookPace(), sandbox: HookSandbox? = nil,
        process: HookProcess = HookProcess()
    ) {
        self.name = name
        self.file = file
        self.comment = comment
        self.filter = filter
        self.command = command
        self.timeout = timeout
        self.pace = pace
        self.sandbox = sandbox
        self.process = process
    }
}

/// The debouncing and the rate of a hook's runs; times are in milliseconds.
package struct HookPace: Sendable, Equatable {
    /// The time that a subject has to be quiet before a run starts; 0 starts at once.
    package var debounce: Int64
    /// The longest time by which events can delay a run in all.
    package var debounceLimit: Int64
    /// The number of runs that one subject can have without a pause.
    package var burst: Int64
    /// The number of runs per second that one subject can have in the long run.
    package var perSecond: Int64
    /// The largest number of runs of the hook at the same time; nil for the service's own limit.
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

/// The limits of hook files and their defaults; times are in milliseconds.
package enum HookLimits {
    /// The largest size of a hook file, in bytes.
    package static let fileBytes = 64 * 1024
    /// The largest number of bytes in all hook files.
    package static let allFilesBytes = 512 * 1024
    /// The largest number of hooks.
    package static let hooks = 256
    /// The largest number of files and directories with problems; no further files are read after it.
    package static let problems = 256
    /// The largest total length of all names in a directory of hooks, in bytes.
    package static let directoryBytes = 128 * 1024
    /// The largest number of arguments, including the program.
    package static let arguments = 64
    /// The longest argument, in bytes.
    package static let argumentBytes = 4096
    /// The largest number of places that a hook's `writePaths` can have.
    package static let writePaths = 64
    /// The longest path of such a place, in bytes.
    package static let writePathBytes = 4095
    /// The longest name of a hook, in bytes.
    package static let nameBytes = 64
    /// The largest number of property patterns in one hook.
    package static let properties = 32
    /// The default time limit of a run.
    package static let timeout: Int64 = 30_000
    /// The longest time that a file can set.
    package static let longestTimeout: Int64 = 3_600_000
    /// The default number of runs that one subject can have without a pause.
    package static let burst: Int64 = 30
    /// The default number of runs per second that one subject can have in the long run.
    package static let perSecond: Int64 = 5
    /// The largest rate that a file can set.
    package static let highestRate: Int64 = 10_000
    /// The largest number of runs at the same time that a file can set.
    package static let concurrency = 64
    /// The largest number of open files and of processes that a file can set.
    package static let highestCount: Int64 = 1 << 20
    /// The largest number of bytes of a hook's environment.
    package static let environmentBytes = 64 * 1024
    /// The largest number of bytes of output that a run keeps.
    package static let outputBytes = 64 * 1024
    /// The largest number of bytes of output that the list of hooks shows of the last run.
    package static let listedOutputBytes = 512
}
