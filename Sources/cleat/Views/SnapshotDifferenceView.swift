import CleatAPI
import CleatJSON
import CleatViews

/// Prints the differences from a snapshot: the output of `cleat snapshot diff`.
struct SnapshotDifferenceView: TextPresentable, JSONPresentable {
    var name: String
    var other: String?
    var reply: SnapshotsInterface.Diff.Reply

    func write(to page: inout TextPage) {
        page.line(.init("\(name) -> \(other ?? "now")", .strong))
        if reply.changes.isEmpty, reply.resources.isEmpty { page.line(.init("no difference", .faint)) }
        for change in reply.changes {
            if let old = change.old { page.line(.init("- \(change.path) = \(SettingText.text(of: old))", .bad)) }
            if change.old == nil, change.new == nil { page.line(.init("~ \(change.path) (secret)", .strong)) }
            if let new = change.new { page.line(.init("+ \(change.path) = \(SettingText.text(of: new))", .good)) }
        }
        page.omitted(reply.omitted)
        for resource in reply.resources {
            switch resource.kind {
            case .changed: page.line(.init("~ \(resource.resource)", .strong))
            case .added: page.line(.init("+ \(resource.resource)", .good))
            case .removed: page.line(.init("- \(resource.resource)", .bad))
            case .unknown: page.line(.init("? \(resource.resource) (cannot be compared)", .faint))
            }
        }
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] {
        reply.changes.map { JSONValue(showing: $0) } + reply.resources.map { JSONValue(showing: $0) }
    }
}
