import CleatAPI
import CleatJSON
import CleatViews

/// Prints a hook's match and command: the output of `cleat hook test`.
struct HookTestView: TextPresentable, JSONPresentable {
    var reply: HooksInterface.Test.Reply

    func write(to page: inout TextPage) {
        page.line(
            .init(reply.matches ? "matches" : "does not match", reply.matches ? .good : .bad),
            .init("  \(reply.event)", .faint))
        for clause in reply.clauses {
            page.line(
                .init(clause.matches ? "  yes  " : "  no   ", clause.matches ? .good : .bad),
                .init("\(clause.name) ", .name), .init(clause.pattern),
                .init(clause.value.map { "  (\($0))" } ?? "  (the event has none)", .faint))
        }
        page.line(.init(reply.matches && reply.refused == nil ? "would run" : "would not run"))
        page.line(.init("  \(reply.command.joined(separator: " "))"))
        for (name, value) in reply.environment.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            page.line(.init("  \(name)=", .faint), .init(value))
        }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}
