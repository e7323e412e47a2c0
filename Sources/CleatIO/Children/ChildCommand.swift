package import SystemPackage

/// The program that a child process runs, its surroundings and its limits.
package struct ChildCommand: Sendable {
    /// The program to execute.
    package enum Program: Sendable, Hashable {
        /// A file given by its path; a relative path is resolved in the child's working directory.
        case path(FilePath)
        /// An open file, so that the file that was checked is the one that runs; `name` becomes the first argument.
        ///
        /// It cannot be a script: the descriptor is closed before the interpreter could open it.
        case descriptor(FileDescriptor, name: String)

        /// The path or the name.
        package var name: String {
            switch self {
            case .path(let path): path.string
            case .descriptor(_, let name): name
            }
        }
    }

    /// The user and groups that the child switches to.
    package struct User: Sendable, Hashable {
        /// The user ID.
        package var uid: UInt32
        /// The primary group ID.
        package var gid: UInt32
        /// All supplementary groups; the service's own groups are dropped.
        package var groups: [UInt32]

        /// Makes a user.
        package init(uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
            self.uid = uid
            self.gid = gid
            self.groups = groups
        }
    }

    /// The program to execute.
    package var program: Program
    /// The arguments after the program's name.
    package var arguments: [String]
    /// The whole environment; the service's own variables are not inherited.
    package var environment: [String: String]
    /// The working directory; nil for the service's own.
    package var workingDirectory: FilePath?
    /// The bytes of standard input; nil for `/dev/null`.
    package var input: [UInt8]?
    /// The number of bytes of standard output and error, merged, that are kept; the rest is read and counted.
    package var outputLimit: Int
    /// True if the last bytes of a longer output are kept instead of the first.
    package var keepsLast: Bool
    /// The time limit; nil for none.
    package var timeout: Duration?
    /// The time between SIGTERM, sent at the time limit, and SIGKILL.
    package var killGrace: Duration
    /// The time that the processes of the group have to leave it after the child has ended by itself. setsid(2)
    ///
    /// Then they are killed; the caller does not wait for that.
    /// A daemon leaves the group shortly after its parent, the child, has ended: without this time it may be killed in
    /// between.
    package var detachGrace = Duration.zero
    /// The limits that are set in the child.
    package var limits: [ResourceLimit]
    /// True if the child and its descendants cannot gain privileges (set-user-id programs, file capabilities).
    package var noNewPrivileges: Bool
    /// The places that the child may write; nil for no restriction beyond its user's permissions.
    ///
    /// Setting it implies ``noNewPrivileges``.
    package var writeAccess: WriteAccess?
    /// The user that the child switches to; nil for the service's user.
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

/// A limit on what a child process may use. `setrlimit(2)`
package struct ResourceLimit: Sendable, Hashable {
    /// The value that means no limit.
    package static let unlimited = UInt64.max

    /// The resource that is limited.
    package let resource: LimitedResource
    /// The limit in force.
    package let soft: UInt64
    /// The ceiling up to which the child may raise the soft limit.
    package let hard: UInt64

    /// Sets both limits to one value.
    package init(_ resource: LimitedResource, _ value: UInt64) { self.init(resource, soft: value, hard: value) }

    /// Sets a limit.
    package init(_ resource: LimitedResource, soft: UInt64, hard: UInt64) {
        self.resource = resource
        self.soft = soft
        self.hard = hard
    }
}
