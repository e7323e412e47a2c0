internal import CleatSandbox

/// An action that follows a change of resources.
package enum AdapterAction: Equatable, Sendable {
    /// A program that makes a service, or the system, reload the change.
    case command(ActionCommand)
    /// An operation on a network interface between the programs and after them.
    case interface(InterfaceAction)
    /// The change takes effect at the next boot; the text is the reason, as the end of a sentence.
    ///
    /// Cleat itself does not reboot the board.
    case reboot(String)
}

extension AdapterAction {
    /// The name of the interface that the action is for; nil if there is none.
    package var subject: String? {
        switch self {
        case .command(let command): command.subject
        case .interface(let action): action.name
        case .reboot: nil
        }
    }

    /// The programs that the action may run.
    var commands: [ActionCommand] {
        switch self {
        case .command(let command): [command]
        case .interface(let action): action.commands
        case .reboot: []
        }
    }

    /// True if the action only queries the kernel.
    var isCheck: Bool {
        guard case .interface(let action) = self, case .check = action.kind else { return false }
        return true
    }

    /// Returns the action with the interface's earlier state filled in, if the action restores it.
    ///
    /// - Parameters:
    ///   - origins: the state before Cleat changed it. It may be old, so that a DHCP lease in it is not restored; a
    ///     DHCP client is started instead.
    ///   - captured: the state right before this change.
    /// - Returns: the action; unchanged if it restores nothing.
    package func knowing(origins: [Resource: Memento] = [:], captured: [Memento]) -> AdapterAction {
        guard case .interface(let action) = self, case .giveBack(nil, let leased) = action.kind else { return self }
        let resource = Resource.interface(action.name)
        func back(_ snapshot: InterfaceSnapshot, _ isLeased: Bool) -> AdapterAction {
            .interface(InterfaceAction(action.name, .giveBack(snapshot, leased: isLeased ? leased : nil)))
        }
        if let origin = origins[resource]?.interface {
            return back(origin.withoutLeases, origin.isLeased)
        }
        let present = captured.first { $0.resource == resource }?.interface
        return present.map { back($0, $0.isLeased) } ?? self
    }

    /// Returns true if this action makes another one superfluous: both are equal, or both have the same subject.
    package func supersedes(_ other: AdapterAction) -> Bool {
        self == other || subject != nil && subject == other.subject
    }
}

/// A program that makes a service reload a change.
package struct ActionCommand: Equatable, Sendable {
    /// The command as text for users: `reload systemd-networkd`.
    package var title: String
    /// The service that the program restarts or reloads; nil if there is none.
    package var service: String?
    /// The program: a path, or a name that is looked up in ``searchPath``.
    package var program: String
    /// Its arguments.
    package var arguments: [String]
    /// The sign that the service of the program runs; the command is skipped without it, and always run if it is nil.
    package var needs: RunningSign?
    /// The whole environment of the program.
    package var environment: [String: String]
    /// The interface that the command is for, on which a later command supersedes this one; nil if there is none.
    package var subject: String?
    /// The bytes that the program reads on standard input.
    package var input: [UInt8]?
    /// The longest time that the program may run.
    package var timeLimit: Duration
    /// The end of a line that the program prints if it did nothing and still exited with 0; nil if it prints none.
    package var failureMark: String?
    /// The maximum number of lines of its output that an error quotes: the last ones.
    package var quotedLines = 1
    /// Parts of a line that the program prints if it fails because there is nothing to do.
    package var idleMarks: [String]
    /// True if error messages may quote the output; false if the output may hold a secret.
    package var showsOutput: Bool

    /// Creates a command.
    package init(
        _ title: String, service: String? = nil, program: String, _ arguments: [String] = [], needs: RunningSign? = nil,
        environment: [String: String] = Self.environment, input: [UInt8]? = nil, timeLimit: Duration = .seconds(30),
        showsOutput: Bool = true, subject: String? = nil, failureMark: String? = nil,
        idleMarks: [String] = []
    ) {
        self.title = title
        self.service = service
        self.subject = subject
        self.failureMark = failureMark
        self.idleMarks = idleMarks
        self.program = program
        self.arguments = arguments
        self.needs = needs
        self.environment = environment
        self.input = input
        self.timeLimit = timeLimit
        self.showsOutput = showsOutput
    }

    /// The directories in which programs are looked up, on systems with a merged /usr and on others.
    package static let searchPath = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]

    /// The environment of a program for which no other is given.
    package static let environment = ["PATH": searchPath.joined(separator: ":"), "LC_ALL": "C"]

    /// The paths at which the program may be, in the order of preference.
    private var candidates: [String] {
        program.hasPrefix("/") ? [program] : Self.searchPath.map { "\($0)/\(program)" }
    }

    /// Returns true if the command has anything to do: a service that is not running reads its files when it starts.
    func hasUse(on system: SystemResources) -> Bool {
        (try? needs?.isPresent(on: system)) ?? true
    }

    /// Returns the path of the program; nil if this board has none.
    package func path(on system: SystemResources) -> String? {
        candidates.first { (try? system.kind(at: $0)) == .regular }
    }

    /// Returns an error message if the command would have to run and its program is missing.
    ///
    /// The message is a sentence with the remedy, without its full stop; nil if nothing is missing, or no program is
    /// run here.
    func missingProgram(on system: SystemResources) -> String? {
        guard system.isRunning, hasUse(on: system), path(on: system) == nil else { return nil }
        return "Could not \(title): there is no \(candidates.joined(separator: ", ")); install it"
    }
}
