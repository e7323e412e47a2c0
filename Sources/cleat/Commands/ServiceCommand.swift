import ArgumentParser

/// A command that speaks to the service.
protocol ServiceCommand: ParsableCommand {
    /// The options that every command takes.
    var options: GlobalOptions { get }
    /// Does the work.
    func run(in context: CommandContext) throws(CommandError)
}

extension ServiceCommand {
    func run() throws {
        let destination = try options.destination()
        if case .root(let directory) = destination { return try RootService(directory).runCommand() }
        try run(in: CommandContext(console: Console(form: options.output), destination: destination))
    }
}
