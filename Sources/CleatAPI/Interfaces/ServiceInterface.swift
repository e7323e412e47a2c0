/// The service itself: `dev.cleat.Service`.
package enum ServiceInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Service"

    /// Reports the status of the service.
    package enum Status: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Service.Status"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The version of the service.
            package var version: String
            /// The id of this run of the service.
            package var instance: String
            /// The process id.
            package var pid: Int
            /// The user id that it runs as.
            package var uid: Int
            /// The time of the start: wall time, RFC 3339 UTC.
            package var started: String
            /// The time since the start, in milliseconds.
            package var uptime: Int64
            /// The store's id.
            package var store: String
            /// The last generation.
            package var generation: Int64
            /// The directory of the service's state.
            package var stateDirectory: String
            /// The directory that is used as `/`; nil for the machine's own.
            package var root: String?
            /// The number of committed settings.
            package var settings: Int
            /// The stored paths that are not in force.
            package var inactive: [String]
            /// The backend that device events come from.
            package var deviceSource: String
            /// The number of connected clients.
            package var connections: Int
            /// The private memory, in bytes; nil if it is not known.
            package var memoryPrivate: Int64?
            /// The proportional memory (PSS), in bytes; nil if it is not known.
            package var memoryPSS: Int64?
            /// The number of threads.
            package var threads: Int
            /// The number of hooks in force.
            package var hooks: Int
            /// The number of problems in hook files that are not in force.
            package var hookProblems: Int
            /// The reason why the configuration file is not in force; nil if it is.
            package var configProblem: String?
            /// Notes on losses and repairs when the store was opened.
            package var storeNotes: [String]
            /// True if the service applies settings to the system.
            package var applying: Bool
            /// The counters since the start.
            package var counters: [Counter]
            /// The ABI version of the kernel's Landlock, which restricts hooks to their write paths; 0 if there is
            /// none.
            package var landlockABI: Int?
            /// The state of the observer of the inbox, as text.
            package var inbox: String?
            /// The reason why a part of the inbox is not watched; nil if there is none.
            package var inboxProblem: String?
            /// The areas of files that could not be opened, with the reasons; nil if there are none.
            package var fileProblems: [String]?
            /// The number of findings; `dev.cleat.Settings.Doctor` lists them.
            package var findings: Int?
            /// The change on trial; nil if there is none.
            package var trial: TrialSummary?
            /// The names of the commands in `probes.d`; nil if there are none.
            package var probes: [String]?
            /// The files of `probes.d` that are not in force, with the reasons; nil if there are none.
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
