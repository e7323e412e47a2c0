import CleatAPI
import CleatJSON
import CleatViews

/// Prints one event: an item of the output of `cleat events`.
struct EventView: TextPresentable, JSONPresentable {
    var reply: EventsInterface.Subscribe.Reply
    /// True to include the event's properties in text output.
    var showsProperties: Bool

    func write(to page: inout TextPage) {
        if let lost = reply.lost, lost > 0 { page.line(.init("(\(lost) events were lost)", .bad)) }
        guard let event = reply.event else { return }
        var spans = [
            TextSpan(event.synchronised ? event.time : "\(event.time)?", .faint), TextSpan("  \(event.sequence)  "),
            TextSpan(event.source.rawValue), TextSpan(" "), TextSpan(event.action, .strong), TextSpan(" "),
            TextSpan(event.subject, .name),
        ]
        if event.restored { spans.append(TextSpan("  (while the service was down)", .faint)) }
        if let cause = event.cause { spans.append(TextSpan("  (because of \(cause))", .faint)) }
        page.line(spans)
        guard showsProperties else { return }
        for (key, value) in event.properties.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            page.line(.init("    \(key)=", .faint), .init(value))
        }
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] {
        // The first reply only confirms the subscription.
        reply.event == nil && reply.lost == nil ? [] : [json]
    }
}
