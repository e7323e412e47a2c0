import ArgumentParser

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
