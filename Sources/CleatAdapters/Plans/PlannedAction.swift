/// Says what would be done once resources have changed, for people who plan a change.
package struct PlannedAction: Hashable, Sendable {
    /// What would be done.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A program runs.
        case command
        /// A service is reloaded, restarted, started or stopped.
        case service
        /// The board must be rebooted.
        case reboot
    }

    /// The adapter that asks for it.
    package let adapter: String
    /// What would be done.
    package let kind: Kind
    /// The same for people.
    package let title: String
    /// The service, where it is one.
    package let service: String?
    /// The program that would run; nil where none would.
    package let program: String?
    /// Why it would not be done, or why the board must be rebooted.
    package let note: String?
}

extension ActionRunner {
    /// Says what running an action would come to; nothing is run.
    package func outlook(_ action: AdapterAction, of adapter: String) -> PlannedAction {
        switch action {
        case .reboot(let reason):
            return PlannedAction(
                adapter: adapter, kind: .reboot, title: "reboot", service: nil, program: nil, note: reason)
        case .interface(let action):
            return PlannedAction(
                adapter: adapter, kind: .command, title: action.title, service: nil,
                program: action.commands.first.flatMap { system.path(ofProgramOf: $0) },
                note: system.isRunning ? nil : "not done: \(Self.elsewhere)")
        case .command(let command):
            var program: String?
            var note: String?
            if !system.isRunning {
                note = "not done: \(Self.elsewhere)"
            } else if !system.hasUse(of: command) {
                note = "not done: \(Self.notRunning(command))"
            } else {
                program = system.path(ofProgramOf: command)
                note = system.missingProgram(of: command)
            }
            return PlannedAction(
                adapter: adapter, kind: command.service == nil ? .command : .service, title: command.title,
                service: command.service, program: program, note: note)
        }
    }
}
