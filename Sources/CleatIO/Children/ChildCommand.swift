package import SystemPackage

/// What a child process is to run, and within which bounds.
package struct ChildCommand: Sendable {
    /// What is executed.
    package enum Program: Sendable, Hashable {
        /// A file by its path; a relative one counts from the child's working directory.
        case path(FilePath)
        /// An open file, so that what was checked is what runs. `name` becomes the first argument.
        ///
        /// Not for scripts: their interpreter could not open the descriptor, which is closed by then.
        case descriptor(FileDescriptor, name: String)

        /// The path or the name.
        package var name: String {
            switch self {
            case .path(let path): path.string
            case .descriptor(_, let name): name
            }
        }
    }

    /// Who the child becomes.
    package struct User: Sendable, Hashable {
        /// The user's number.
        package var uid: UInt32
        /// The first group's number.
        package var gid: UInt32
        /// All supplementary groups; the service's own are given up.
        package var groups: [UInt32]

        /// Makes a user.
        package init(uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
            self.uid = uid
            self.gid = gid
            self.groups = groups
        }
    }

    /// What is executed.
    package var program: Program
    /// The arguments behind the program's name.
    package var arguments: [String]
    /// The whole environment; nothing of the service's own is added.
    package var environment: [String: String]
    /// The working directory; nil for the service's own.
    package var workingDirectory: FilePath?
    /// What the child reads on standard input; nil for `/dev/null`.
    package var input: [UInt8]?
    /// How many bytes of standard output and error, merged, are kept; the rest is read and counted.
    package var outputLimit: Int
    /// Whether the last bytes are kept where there are more, and not the first.
    package var keepsLast: Bool
    /// How long it may run; nil for as long as it likes.
    package var timeout: Duration?
    /// How long it has between SIGTERM, at the time limit, and SIGKILL.
    package var killGrace: Duration
    /// The limits that are set in the child.
    package var limits: [ResourceLimit]
    /// Whether it and its children are kept from gaining privileges (set-user-id programs, file capabilities).
    package var noNewPrivileges: Bool
    /// What it may write; nil for whatever its user may.
    ///
    /// Implies ``noNewPrivileges``.
    package var writeAccess: WriteAccess?
    /// Who it becomes; nil for whom the service runs as.
    package var user: User?

    /// Makes a command with an empty environment.
    package init(
        program: Program, arguments: [String] = [], environment: [String: String] = [:],
        workingDirectory: FilePath? = nil, input: [UInt8]? = nil, outputLimit: Int = 64 * 1024,
        keepsLast: Bool = false, timeout: Duration? = .seconds(30), killGrace: Duration = .milliseconds(500),
        limits: [ResourceLimit] = [],
        noNewPrivileges: Bool = false, writeAccess: WriteAccess? = nil, user: User? = nil
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.input = input
        self.outputLimit = outputLimit
        self.keepsLast = keepsLast
        self.timeout = timeout
        self.killGrace = killGrace
        self.limits = limits
        self.noNewPrivileges = noNewPrivileges
        self.writeAccess = writeAccess
        self.user = user
    }

    /// Makes a command that executes a file by its path, with an empty environment.
    package init(_ path: String, _ arguments: [String] = []) {
        self.init(program: .path(FilePath(path)), arguments: arguments)
    }
}
