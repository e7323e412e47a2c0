import ArgumentParser
import CleatAPI

/// `cleat events`.
struct EventsCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Follow the events of the board.",
        usage: "cleat events [<options>]",
        discussion: """
            Each event is one line and is written at once. The number before the source is the event's sequence \
            number in this run of the service; --instance and --after continue a list after an event.

            Examples:
              cleat events
              cleat events --source link
              cleat events --source device --action 'add' --subject '*/usb*' --properties
              cleat events --count 1 --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: .init("Only events of this source; may be repeated.", valueName: "source"))
    var source: [EventSource] = []

    @Option(help: .init("Only actions that match this pattern.", valueName: "glob"))
    var action: String?

    @Option(help: .init("Only subjects that match this pattern.", valueName: "glob"))
    var subject: String?

    @Flag(help: "Show the properties of each event.")
    var properties = false

    @Option(help: .init("The run of the service that --after belongs to.", valueName: "id"))
    var instance: String?

    @Option(help: .init("Continue after this event.", valueName: "number"))
    var after: Int64?

    @Option(name: [.customShort("n"), .long], help: .init("End after this number of events.", valueName: "number"))
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
        if (after == nil) != (instance == nil) { throw ValidationError("--after and --instance belong together") }
    }

    var request: any ServiceRequest {
        EventsRequest(
            source: source, action: action, subject: subject, properties: properties, instance: instance, after: after,
            count: count)
    }
}

/// The request of `cleat events`.
struct EventsRequest: ServiceRequest {
    let source: [EventSource]
    let action: String?
    let subject: String?
    let properties: Bool
    let instance: String?
    let after: Int64?
    let count: Int?

    func run(in context: CommandContext) throws(CommandError) {
        var seen = 0
        let parameters = EventsInterface.Subscribe.Parameters(
            sources: source.isEmpty ? nil : source.map(\.rawValue), action: action, subject: subject,
            instance: instance, after: after)
        try context.session().follow(parameters) { (reply) throws(CommandError) in
            try context.console.showItem(EventView(reply: reply, showsProperties: properties))
            if reply.event != nil { seen += 1 }
            return count.map { seen < $0 } ?? true
        }
    }
}

extension EventsRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        source = words.choices("--source")
        action = words.value("--action")
        subject = words.value("--subject")
        properties = words.flag("--properties")
        instance = words.value("--instance")
        after = words.number("--after")
        count = words.positive("--count", "-n")
        if (after == nil) != (instance == nil) { words.leave() }
    }
}

extension EventSource: ExpressibleByArgument {}
