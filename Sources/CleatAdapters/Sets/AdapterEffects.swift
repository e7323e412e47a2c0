/// Says what a change does to the board, as far as one adapter goes: what a plan shows.
package struct AdapterEffects: Hashable, Sendable {
    /// The adapter's name.
    package let adapter: String
    /// The files and links that are written, or brought back.
    package private(set) var files: [String] = []
    /// The values of the kernel that are set, or brought back.
    package private(set) var values: [String] = []
    /// The services that are reloaded or restarted.
    package private(set) var services: [String] = []
    /// The other commands that run, by their titles.
    package private(set) var commands: [String] = []
    /// Why the board must be rebooted for the change to be in force; empty where it need not.
    package private(set) var reboots: [String] = []

    /// What else will become of the board, as ends of sentences: `change the address of eth0 from … to …`.
    package private(set) var others: [String] = []

    init(_ part: SystemChange.Part) {
        adapter = part.adapter
        others = part.effects
        for resource in part.steps.map(\.resource) {
            switch resource {
            case .file(let path), .link(let path), .line(let path, _): files.append(path)
            case .document: files.append(resource.description)
            case .attribute, .hostName, .interface: values.append(resource.description)
            }
        }
        for action in part.actions {
            switch action {
            case .command(let command):
                if let service = command.service { services.append(service) } else { commands.append(command.title) }
            case .interface(let action): if !action.commands.isEmpty { commands.append(action.title) }
            case .reboot(let reason): reboots.append(reason)
            }
        }
    }
}
