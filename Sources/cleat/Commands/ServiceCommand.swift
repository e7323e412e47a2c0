import ArgumentParser
import CleatViews

/// A command that connects to the service.
protocol ServiceCommand: ParsableCommand {
    /// The options of every command.
    var options: GlobalOptions { get }
    /// True if the command prints details, too.
    var isVerbose: Bool { get }
    /// Runs the command.
    func run(in context: CommandContext) throws(CommandError)
}

extension ServiceCommand {
    var isVerbose: Bool { false }

    func run() throws {
        try CommandContext.run(options.board, isVerbose: isVerbose) { (context) throws(CommandError) in
            try run(in: context)
        }
    }
}

/// The work of a command, however its command line was read.
protocol ServiceRequest: Sendable {
    /// Sends the request, and prints the result.
    func run(in context: CommandContext) throws(CommandError)
}

/// A command that only makes a request.
protocol RequestCommand: ServiceCommand {
    /// The request.
    var request: any ServiceRequest { get }
}

extension RequestCommand {
    func run(in context: CommandContext) throws(CommandError) { try request.run(in: context) }
}

/// A command that prints the results of a change.
protocol ChangeCommand: ServiceCommand {
    /// The options for the results.
    var result: ResultOptions { get }
}

extension ChangeCommand {
    var isVerbose: Bool { result.verbose }
}

/// The context of a command: its output, and the service that it connects to.
struct CommandContext {
    let console: Console
    let destination: Destination

    /// Runs a command with its options: here, or below a directory in a process of its own.
    ///
    /// An optional context would be a type that is made at the start of each program, for longer than its words are read.
    static func run(
        _ options: BoardOptions, isVerbose: Bool = false, _ body: (Self) throws(CommandError) -> Void
    ) throws(CommandError) {
        let destination = try options.destination()
        if case .root(let directory) = destination { return try RootService(directory).runCommand() }
        var console = Console(form: options.output)
        console.renderer.isVerbose = isVerbose
        try body(CommandContext(console: console, destination: destination))
    }

    /// Opens a session with the service.
    func session() throws(CommandError) -> Session {
        try Session(destination)
    }

    /// Opens a session that survives restarts of the service and changes of the board's address during a trial.
    ///
    /// - Parameter waits: true if the command waits until the trial has ended.
    /// - Returns: the session.
    /// - Throws: a ``CommandError`` with the reason why it cannot be opened.
    func changeSession(waits: Bool = false) throws(CommandError) -> ChangeSession {
        var way = destination
        // ssh should notice within 15 seconds, not 45, that the board has lost the address of this connection.
        if case .remote(let access) = destination { way = .remote(access.watched) }
        var following = Following()
        following.console = console
        following.home = destination
        following.waits = waits
        return ChangeSession(ReconnectingSession(try Session(way), following))
    }

    /// Opens a session for a change that can be on trial; with `guarding`, a change that would end the connection is
    /// put on trial first, unless `--yes-cut-me-off` is given.
    func changeSession(
        for trial: TrialOptions?, guardedBy guarding: GuardOptions? = nil
    ) throws(CommandError) -> ChangeSession {
        guard let trial else { return ChangeSession(ReconnectingSession(try session())) }
        let session = try changeSession(waits: trial.wait)
        session.board.following.isGuarded = guarding.map { !$0.mayCutOff } ?? false
        return session
    }
}

/// A command that needs no service.
protocol OfflineCommand: ParsableCommand {
    /// The output format.
    var output: OutputForm { get }
    /// Runs the command.
    func run(on console: Console) throws(CommandError)
}

extension OfflineCommand {
    func run() throws {
        try run(on: Console(form: output))
    }
}
