package import CleatAPI

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
                program: action.commands.first.flatMap { $0.path(on: system) },
                note: system.isRunning ? nil : "not done: \(Self.elsewhere)")
        case .command(let command):
            var program: String?
            var note: String?
            if !system.isRunning {
                note = "not done: \(Self.elsewhere)"
            } else if !command.hasUse(on: system) {
                note = "not done: \(Self.notRunning(command))"
            } else {
                program = command.path(on: system)
                note = command.missingProgram(on: system)
            }
            return PlannedAction(
                adapter: adapter, kind: command.service == nil ? .command : .service, title: command.title,
                service: command.service, program: program, note: note)
        }
    }
}
