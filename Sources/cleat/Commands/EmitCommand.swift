import ArgumentParser
import CleatAPI
import CleatSettings

/// `cleat emit`.
struct EmitCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "emit",
        abstract: "Publish an event of a program, for hooks and other programs.",
        usage: "cleat emit [<options>] <action> <subject>",
        discussion: """
            The event has the source app, and the user of this command as EMITTER_UID and EMITTER. A hook receives it \
            if its match names the source app and the emitter. A user can emit 200 events at once and 50 a second.

            With --keep, the event is the present state of its subject for that time, for programs that start later and \
            for events with --instance none --after 0; emitted again without a difference, it is kept for the new time. \
            The event expired follows at the end.

            Examples:
              cleat emit button-pressed door/front
              cleat emit level-changed tank/2 --property PERCENT=80 --property STATE=low
              cleat emit opened door/front --keep 1h
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: .init("A property of the event; may be repeated.", valueName: "name=value"))
    var property: [String] = []

    @Option(
        help: .init("Keep the event as the present state of its subject (0s to 1d).", valueName: "duration"),
        transform: DurationText.parse)
    var keep: Int64?

    @Argument(help: "The action: a word of a-z, 0-9 and -.")
    var action: String

    @Argument(help: "The subject: a text that does not begin with /.")
    var subject: String

    func run(in context: CommandContext) throws(CommandError) {
        if keep ?? 0 > 0, options.root != nil, Process.environment(RootService.variable) != nil {
            throw .usage(
                "--keep needs a service that runs on, and the one that --root has started ends with this command",
                remedy: "omit --keep, or start cleatd with --root first")
        }
        let properties = try Assignment.properties(property)
        let reply = try context.session().call(
            EventsInterface.Emit.self,
            .init(action: action, subject: subject, properties: properties.isEmpty ? nil : properties, keep: keep))
        try context.console.show(EmittedView(reply: reply))
    }
}
