import ArgumentParser
import CleatAPI

/// The event that a hook is tried on: what is left out is taken from the hook's own patterns.
struct HookEventOptions: ParsableArguments {
    @Option(help: "The event's source.")
    var source: EventSource?

    @Option(help: "The event's action.")
    var action: String?

    @Option(help: "The event's subject.")
    var subject: String?

    @Option(help: .init("A property of the event; may be repeated.", valueName: "name=value"))
    var property: [String] = []

    @Argument(help: "The name of the hook.")
    var name: String

    /// What the service is asked.
    ///
    /// - Throws: which property is none.
    func parameters(force: Bool? = nil) throws(CommandError) -> HooksInterface.MadeUpEvent {
        var properties: [String: String] = [:]
        for text in property {
            guard let pair = Assignment(text) else {
                throw .usage("--property \(text) is no name=value", remedy: "write --property NAME=VALUE")
            }
            properties[pair.path] = pair.text
        }
        return .init(
            name: name, source: source?.rawValue, action: action, subject: subject,
            properties: properties.isEmpty ? nil : properties, force: force)
    }
}
