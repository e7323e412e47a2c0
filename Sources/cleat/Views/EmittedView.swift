import CleatAPI
import CleatJSON
import CleatViews

/// Prints the number of an emitted event: the output of `cleat emit`.
struct EmittedView: TextPresentable, JSONPresentable {
    var reply: EventsInterface.Emit.Reply

    func write(to page: inout TextPage) {
        page.line(.init("emitted event \(reply.sequence)", .good))
    }

    var json: JSONValue { JSONValue(showing: reply) }
}
