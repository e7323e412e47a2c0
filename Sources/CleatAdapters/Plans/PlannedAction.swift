/// An action that a change would cause, for users who plan it.
package struct PlannedAction: Hashable, Sendable {
    /// The kind of action.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A program would run.
        case command
        /// A service would be reloaded, restarted, started or stopped.
        case service
        /// The board must be rebooted.
        case reboot
    }

    /// The adapter that wants the action.
    package let adapter: String
    /// The kind of action.
    package let kind: Kind
    /// The action as text for users.
    package let title: String
    /// The service, if the action is for one.
    package let service: String?
    /// The program that would run; nil if none would.
    package let program: String?
    /// The reason why it would be skipped, or why the board must be rebooted.
    package let note: String?
}

extension ActionRunner {
    /// Describes the effect of running an action; nothing is run.
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
