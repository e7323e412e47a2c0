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
    /// One way to do it.
    package struct Way: Hashable, Sendable {
        /// The program's path.
        package var program: String
        /// Its arguments.
        package var arguments: [String]
        /// A path that must be there for this way to be taken, beside the program: `/run/systemd/system`.
        package var needs: String?

        /// Takes a program and its arguments.
        package init(_ program: String, _ arguments: [String] = [], needs: String? = nil) {
            self.program = program
            self.arguments = arguments
            self.needs = needs
        }
    }

    /// What it does, for people: `reload systemd-networkd`.
    package var title: String
    /// The service that it restarts or reloads; nil where it is none.
    package var service: String?
    /// The ways to do it, of which the first one that this board has is taken.
    package var ways: [Way]
    /// The whole environment of the program.
    package var environment: [String: String]
    /// What it is done to, where one that is done to the same later takes its place: an interface; nil where it is none.
    package var subject: String?
    /// What the program reads on standard input.
    package var input: [UInt8]?
    /// How long the program may run.
    package var timeLimit: Duration
    /// Whether it is an error that no way is there; where it is none, the command is skipped, and that is said.
    package var isRequired: Bool
    /// Whether what it prints is told where it fails; it must not be where it may hold a secret.
    package var tellsOutput: Bool

    /// Takes all of it.
    package init(
        _ title: String, service: String? = nil, ways: [Way], environment: [String: String] = Self.environment,
        input: [UInt8]? = nil, timeLimit: Duration = .seconds(30), isRequired: Bool = false, tellsOutput: Bool = true,
        subject: String? = nil
    ) {
        self.title = title
        self.service = service
        self.subject = subject
        self.ways = ways
        self.environment = environment
        self.input = input
        self.timeLimit = timeLimit
        self.isRequired = isRequired
        self.tellsOutput = tellsOutput
    }

    /// The environment of a program that nothing else was said of.
    package static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]
}
