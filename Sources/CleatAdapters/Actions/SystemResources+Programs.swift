internal import CleatSandbox

extension SystemResources {
    /// Tells if there is anything for a command to do: a service that is not running reads its files when it starts.
    func hasUse(of command: ActionCommand) -> Bool {
        guard let needed = command.needs else { return true }
        return (try? kind(at: needed)) != .some(nil)
    }

    /// Returns the path of a command's program; nil where this board has none.
    package func path(ofProgramOf command: ActionCommand) -> String? {
        command.candidates.first { (try? kind(at: $0)) == .regular }
    }

    /// Returns what is missing for a command that would have to run, as a sentence with the remedy, without its full stop;
    /// nil where nothing is missing, or no program is run here.
    func missingProgram(of command: ActionCommand) -> String? {
        guard isRunning, hasUse(of: command), path(ofProgramOf: command) == nil else { return nil }
        return "Could not \(command.title): there is no \(command.candidates.joined(separator: ", ")); install it"
    }
}
