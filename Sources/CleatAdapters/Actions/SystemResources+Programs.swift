internal import CleatSandbox

extension SystemResources {
    /// The way in which a command is run here; nil where none is.
    func way(of command: ActionCommand) -> ActionCommand.Way? { command.ways.first(where: isThere) }

    /// What a command lacks that must be run, as a sentence with the remedy, without its full stop; nil where nothing is
    /// missing, or no program is run here.
    func missingProgram(of command: ActionCommand) -> String? {
        guard isRunning, command.isRequired, way(of: command) == nil else { return nil }
        return "Could not \(command.title): none of \(command.programs) is here; install one of them"
    }

    private func isThere(_ way: ActionCommand.Way) -> Bool {
        guard (try? kind(at: way.program)) == .regular else { return false }
        guard let needed = way.needs else { return true }
        return (try? kind(at: needed)) != .some(nil)
    }
}

extension ActionCommand {
    /// The programs that do it.
    var programs: String { ways.map(\.program).joined(separator: ", ") }
}
