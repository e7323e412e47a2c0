import ArgumentParser
import CleatAPI

/// `cleat hook pause`.
struct HookPauseCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Keep a hook from running, until it is resumed.",
        usage: "cleat hook pause [<options>] <name>",
        discussion: """
            Its events wait, at most one for each subject. The pause ends with `cleat hook resume`, with a reload after \
            the hook's file has changed, or with a restart of the service. Only root and the service's own user may do this.

            Examples:
              cleat hook pause usb-stick
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The name of the hook.")
    var name: String

    func run(in context: CommandContext) throws(CommandError) {
        _ = try context.session().call(HooksInterface.Pause.self, .init(name: name))
        try context.console.show(HookPauseView(name: name, isPaused: true))
    }
}

/// `cleat hook resume`.
struct HookResumeCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let a paused hook run again.",
        usage: "cleat hook resume [<options>] <name>",
        discussion: """
            It runs on the present states of the subjects that had events meanwhile. The service pauses a hook whose own \
            runs trigger it again through what its program changes in the kernel: correct the program first. Only root \
            and the service's own user may do this.

            Examples:
              cleat hook resume usb-stick
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The name of the hook.")
    var name: String

    func run(in context: CommandContext) throws(CommandError) {
        _ = try context.session().call(HooksInterface.Resume.self, .init(name: name))
        try context.console.show(HookPauseView(name: name, isPaused: false))
    }
}
