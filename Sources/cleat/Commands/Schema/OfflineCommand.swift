import ArgumentParser

/// A command that needs no service.
protocol OfflineCommand: ParsableCommand {
    /// The form of the output.
    var output: OutputForm { get }
    /// Does the work.
    func run(on console: Console) throws(CommandError)
}

extension OfflineCommand {
    func run() throws {
        try run(on: Console(form: output))
    }
}
