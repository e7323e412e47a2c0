import CleatAPI
import CleatJSON

/// Prints the differences between two generations: the output of `cleat diff`.
struct DifferenceView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Diff.Reply

    func write(to page: inout TextPage) {
        page.line(.init("#\(reply.from) -> #\(reply.to)", .strong))
        if reply.changes.isEmpty { page.line(.init("no difference", .faint)) }
        for change in reply.changes {
            if let old = change.old { page.line(.init("- \(change.path) = \(SettingText.text(of: old))", .bad)) }
            if change.old == nil, change.new == nil { page.line(.init("~ \(change.path) (secret)", .strong)) }
            if let new = change.new { page.line(.init("+ \(change.path) = \(SettingText.text(of: new))", .good)) }
        }
        page.omitted(reply.omitted)
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { reply.changes.map { JSONValue(showing: $0) } }
}
