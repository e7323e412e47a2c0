internal import CleatSandbox

extension SystemResources {
    /// Returns true if a command has anything to do: a service that is not running reads its files when it starts.
    func hasUse(of command: ActionCommand) -> Bool {
        guard let needed = command.needs else { return true }
        return (try? kind(at: needed)) != .some(nil)
    }

    /// Returns the path of a command's program; nil if this board has none.
    package func path(ofProgramOf command: ActionCommand) -> String? {
        command.candidates.first { (try? kind(at: $0)) == .regular }
    }

    /// Returns an error message if a command would have to run and its program is missing.
    ///
    /// The message is a sentence with the remedy, without its full stop; nil if nothing is missing, or no program is
    /// run here.
    func missingProgram(of command: ActionCommand) -> String? {
        guard isRunning, hasUse(of: command), path(ofProgramOf: command) == nil else { return nil }
        return "Could not \(command.title): there is no \(command.candidates.joined(separator: ", ")); install it"
    }
}
