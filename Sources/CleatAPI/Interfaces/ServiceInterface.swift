/// The service itself: `dev.cleat.Service`.
package enum ServiceInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Service"

    /// Tells how the service is.
    package enum Status: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Service.Status"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The version of the service.
            package var version: String
            /// The id of this run of the service.
            package var instance: String
            /// The process id.
            package var pid: Int
            /// The user that it runs as.
            package var uid: Int
            /// When it started: wall time, RFC 3339 UTC.
            package var started: String
            /// How long it runs, in milliseconds.
            package var uptime: Int64
            /// The store's id.
            package var store: String
            /// The last generation.
            package var generation: Int64
            /// Where the state is kept.
            package var stateDirectory: String
            /// The directory that stands for `/`, if not the machine's own.
            package var root: String?
            /// How many settings are stored.
            package var settings: Int
            /// The stored paths that are not in force.
            package var inactive: [String]
            /// The backend that device events come from.
            package var deviceSource: String
            /// How many clients are connected.
            package var connections: Int
            /// Private memory, in bytes.
            package var memoryPrivate: Int64?
            /// Proportional memory, in bytes.
            package var memoryPSS: Int64?
            /// How many threads there are.
            package var threads: Int
            /// How many hooks are in force.
            package var hooks: Int
            /// How many hook files are not in force.
            package var hookProblems: Int
            /// Why the configuration file is not in force.
            package var configProblem: String?
            /// What the store had to do when it was opened.
            package var storeNotes: [String]
            /// Whether the system follows the settings.
            package var applying: Bool
            /// What was counted since the start.
            package var counters: [Counter]
            /// The version of the kernel's Landlock, which keeps hooks to their write paths; 0 where there is none.
            package var landlockABI: Int?
            /// How files that arrive in the inbox are heard of.
            package var inbox: String?
            /// What keeps part of the inbox from being followed.
            package var inboxProblem: String?
            /// Which areas of files could not be opened, and why.
            package var fileProblems: [String]?
            /// How many things are not as they should be; `dev.cleat.Settings.Doctor` tells them.
            package var findings: Int?
            /// The change on trial, if there is one.
            package var trial: TrialSummary?
            /// The names of the commands in `probes.d`.
            package var probes: [String]?
            /// Which files of `probes.d` are not in force, and why.
            package var probeProblems: [String]?

            /// Creates the reply.
            package init(
                version: String, instance: String, pid: Int, uid: Int, started: String, uptime: Int64, store: String,
                generation: Int64, stateDirectory: String, root: String? = nil, settings: Int,
                inactive: [String] = [], deviceSource: String, connections: Int, memoryPrivate: Int64? = nil,
                memoryPSS: Int64? = nil, threads: Int, hooks: Int, hookProblems: Int, configProblem: String? = nil,
                storeNotes: [String] = [], applying: Bool, counters: [Counter] = [], landlockABI: Int? = nil,
                inbox: String? = nil, inboxProblem: String? = nil,
                fileProblems: [String]? = nil, findings: Int? = nil, trial: TrialSummary? = nil,
                probes: [String]? = nil,
                probeProblems: [String]? = nil
            ) {
                self.version = version
                self.instance = instance
                self.pid = pid
                self.uid = uid
                self.started = started
                self.uptime = uptime
                self.store = store
                self.generation = generation
                self.stateDirectory = stateDirectory
                self.root = root
                self.settings = settings
                self.inactive = inactive
                self.deviceSource = deviceSource
                self.connections = connections
                self.memoryPrivate = memoryPrivate
                self.memoryPSS = memoryPSS
                self.threads = threads
                self.hooks = hooks
                self.hookProblems = hookProblems
                self.configProblem = configProblem
                self.storeNotes = storeNotes
                self.applying = applying
                self.counters = counters
                self.landlockABI = landlockABI
                self.inbox = inbox
                self.inboxProblem = inboxProblem
                self.fileProblems = fileProblems
                self.findings = findings
                self.trial = trial
                self.probes = probes
                self.probeProblems = probeProblems
            }

            private enum CodingKeys: String, CodingKey {
                case version
                case instance
                case pid
                case uid
                case started
                case uptime
                case store
                case generation
                case stateDirectory = "state_directory"
                case root
                case settings
                case inactive
                case deviceSource = "device_source"
                case connections
                case memoryPrivate = "memory_private"
                case memoryPSS = "memory_pss"
                case threads
                case hooks
                case hookProblems = "hook_problems"
                case configProblem = "config_problem"
                case storeNotes = "store_notes"
                case applying
                case counters
                case landlockABI = "landlock_abi"
                case inbox
                case inboxProblem = "inbox_problem"
                case fileProblems = "file_problems"
                case findings
                case trial
                case probes
                case probeProblems = "probe_problems"
            }
        }
    }
}
