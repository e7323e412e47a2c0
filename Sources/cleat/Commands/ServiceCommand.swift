import ArgumentParser

/// A command that connects to the service.
protocol ServiceCommand: ParsableCommand {
    /// The options of every command.
    var options: GlobalOptions { get }
    /// Runs the command.
    func run(in context: CommandContext) throws(CommandError)
}

extension ServiceCommand {
    func run() throws {
        let destination = try options.destination()
        if case .root(let directory) = destination { return try RootService(directory).runCommand() }
        try run(in: CommandContext(console: Console(form: options.output), destination: destination))
    }
}
