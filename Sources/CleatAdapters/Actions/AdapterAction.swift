/// Says what is to be done once resources have changed.
package enum AdapterAction: Hashable, Sendable {
    /// A program that has a service, or the system, take up the change.
    case command(ActionCommand)
    /// The change is only in force after the next boot; the text says why, as the end of a sentence. Nothing reboots.
    case reboot(String)
}

extension AdapterAction {
    /// What it is done to; nil where it is none.
    package var subject: String? {
        if case .command(let command) = self { command.subject } else { nil }
    }

    /// Whether another one need not, or must not, be done any more once this one is.
    package func supersedes(_ other: AdapterAction) -> Bool {
        self == other || subject != nil && subject == other.subject
    }
}

/// A program that has a service take up a change.
package struct ActionCommand: Hashable, Sendable {
    /// What it does, for people: `reload systemd-networkd`.
    package var title: String
    /// The service that it restarts or reloads; nil where it is none.
    package var service: String?
    /// The program: a path, or a name that is looked up in ``searchPath``.
    package var program: String
    /// Its arguments.
    package var arguments: [String]
    /// A path that is there while the service runs that the program speaks to: `/run/systemd/system`.
    ///
    /// Without it there is nothing to do; nil where the program is always run.
    package var needs: String?
    /// The whole environment of the program.
    package var environment: [String: String]
    /// What it is done to, where one that is done to the same later takes its place: an interface; nil where it is none.
    package var subject: String?
    /// What the program reads on standard input.
    package var input: [UInt8]?
    /// How long the program may run.
    package var timeLimit: Duration
    /// Whether what it prints is told where it fails; it must not be where it may hold a secret.
    package var tellsOutput: Bool

    /// Takes all of it.
    package init(
        _ title: String, service: String? = nil, program: String, _ arguments: [String] = [], needs: String? = nil,
        environment: [String: String] = Self.environment, input: [UInt8]? = nil, timeLimit: Duration = .seconds(30),
        tellsOutput: Bool = true, subject: String? = nil
    ) {
        self.title = title
        self.service = service
        self.subject = subject
        self.program = program
        self.arguments = arguments
        self.needs = needs
        self.environment = environment
        self.input = input
        self.timeLimit = timeLimit
        self.tellsOutput = tellsOutput
    }

    /// The directories in which programs are looked up, on systems with a merged /usr and on others.
    package static let searchPath = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]

    /// The environment of a program that nothing else was said of.
    package static let environment = ["PATH": searchPath.joined(separator: ":"), "LC_ALL": "C"]

    /// The paths at which the program may be, the first one first.
    var candidates: [String] { program.hasPrefix("/") ? [program] : Self.searchPath.map { "\($0)/\(program)" } }
}
