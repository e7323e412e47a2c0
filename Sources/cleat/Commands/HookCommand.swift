import ArgumentParser

/// `cleat hook`.
struct HookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hook",
        abstract: "Look at hooks and try them.",
        discussion: """
            Examples:
              cleat hook list
              cleat hook test usb-stick --action add --subject /devices/made/up
              cleat hook run usb-stick
            """,
        subcommands: [HookListCommand.self, HookTestCommand.self, HookRunCommand.self])
}
