import ArgumentParser
import CleatAPI

/// The event that a hook is tested with; missing parts are derived from the hook's patterns.
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

    /// Returns the parameters of the call to the service.
    ///
    /// - Throws: a usage error for a property that is not `name=value`.
    func parameters(force: Bool? = nil) throws(CommandError) -> HooksInterface.TestEvent {
        let properties = try Assignment.properties(property)
        return .init(
            name: name, source: source?.rawValue, action: action, subject: subject,
            properties: properties.isEmpty ? nil : properties, force: force)
    }
}
