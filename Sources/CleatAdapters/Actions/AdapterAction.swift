/// Says what is to be done once resources have changed.
package enum AdapterAction: Hashable, Sendable {
    /// A program that has a service, or the system, take up the change.
    case command(ActionCommand)
    /// What is done to a network interface between the programs and after them.
    case interface(InterfaceAction)
    /// The change is only in force after the next boot; the text says why, as the end of a sentence. Nothing reboots.
    case reboot(String)
}

extension AdapterAction {
    /// What it is done to; nil where it is none.
    package var subject: String? {
        switch self {
        case .command(let command): command.subject
        case .interface(let action): action.name
        case .reboot: nil
        }
    }

    /// The programs that it may run.
    var commands: [ActionCommand] {
        switch self {
        case .command(let command): [command]
        case .interface(let action): action.commands
        case .reboot: []
        }
    }

    /// Whether it only asks the kernel.
    var isCheck: Bool {
        guard case .interface(let action) = self, case .check = action.kind else { return false }
        return true
    }

    /// The same action with what its interface was, where that comes back.
    ///
    /// - Parameters:
    ///   - origins: what it was before Cleat touched it, which may be long ago: what a DHCP client gave then is not given
    ///     again, a client is started.
    ///   - captured: what it was right before this change.
    /// - Returns: the action; itself where nothing of it comes back.
    package func knowing(origins: [Resource: Memento] = [:], captured: [Memento]) -> AdapterAction {
        guard case .interface(let action) = self, case .giveBack(nil, let leased) = action.kind else { return self }
        let resource = Resource.interface(action.name)
        func back(_ snapshot: InterfaceSnapshot, _ isLeased: Bool) -> AdapterAction {
            .interface(InterfaceAction(action.name, .giveBack(snapshot, leased: isLeased ? leased : nil)))
        }
        if let origin = SystemResources.snapshot(in: origins[resource]) {
            return back(origin.withoutLeases, origin.isLeased)
        }
        let present = SystemResources.snapshot(in: captured.first { $0.resource == resource })
        return present.map { back($0, $0.isLeased) } ?? self
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
    /// How a line ends that the program prints where it has done nothing and still ends with 0; nil where it prints none.
    package var failureMark: String?
    /// Whether what it prints is told where it fails; it must not be where it may hold a secret.
    package var tellsOutput: Bool

    /// Takes all of it.
    package init(
        _ title: String, service: String? = nil, program: String, _ arguments: [String] = [], needs: String? = nil,
        environment: [String: String] = Self.environment, input: [UInt8]? = nil, timeLimit: Duration = .seconds(30),
        tellsOutput: Bool = true, subject: String? = nil, failureMark: String? = nil
    ) {
        self.title = title
        self.service = service
        self.subject = subject
        self.failureMark = failureMark
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
