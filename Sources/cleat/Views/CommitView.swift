import CleatAPI
import CleatJSON
import CleatSettings

/// Prints the result of a change: the output of `cleat set` and `cleat unset`.
struct CommitView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Set.Reply

    func write(to page: inout TextPage) {
        for change in reply.changes { page.line(change.spans) }
        page.omitted(reply.omitted)
        switch reply.state {
        case .unchanged:
            page.line(.init("nothing changed", .faint))
            writeNotes(to: &page)
        case .checked:
            writeNotes(to: &page)
            page.line(.init("these changes would be taken; nothing was changed", .faint))
        case .repeated where reply.volatile == true:
            page.line(.init("already done, of volatile values (id \(reply.id))", .faint))
        case .repeated:
            page.line(.init("already done as generation \(reply.generation) (id \(reply.id))", .faint))
        case .confirmed where reply.volatile == true:
            // Neither value of a secret is in the reply: it counts as set, unless another layer is in force there.
            let isSet =
                reply.changes.isEmpty
                || reply.changes.contains { $0.new != nil || $0.old == nil && $0.inForce == nil }
            page.line(
                .init(isSet ? "in force until the next boot" : "no longer in force", .good),
                .init(" (id \(reply.id)); no generation was made", .faint))
            writeResults(to: &page)
        case .pending:
            writeResults(to: &page)
            page.onTrial(reply.id, generation: reply.generation, window: reply.window, reply.probes)
        case .reverted:
            page.undone(reply.id, generation: reply.generation)
        case .confirmed:
            page.line(.init("generation \(reply.generation)", .good), .init(" (id \(reply.id))", .faint))
            writeResults(to: &page)
        }
    }

    private func writeResults(to page: inout TextPage) {
        page.results(reply.results.filter { $0.state != .notApplied })
        writeNotes(to: &page)
    }

    private func writeNotes(to page: inout TextPage) {
        for result in reply.results where result.state == .notApplied {
            page.line(.init(result.message, .faint))
        }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}

extension ChangeRecord {
    /// The change as one line.
    var spans: [TextSpan] {
        // The change of a secret has neither value.
        let name = [TextSpan(path, .name), TextSpan(": ")]
        if old == nil, new == nil { return name + [TextSpan("(secret)", .faint)] + present }
        let former =
            before.map { [$0.valueSpan, TextSpan(" (\($0.origin.shownName))", .faint)] }
            ?? [TextSpan(SettingText.text(of: old, missing: "unset"))]
        return name + former + [
            TextSpan(" -> ", .faint), TextSpan(SettingText.text(of: new, missing: "unset"), .strong),
        ] + present
    }

    /// The value that another layer has in force at the path.
    private var present: [TextSpan] {
        guard let inForce else { return [] }
        return [TextSpan("; in force: "), inForce.valueSpan, TextSpan(" (\(inForce.origin.shownName))", .faint)]
    }
}

extension TextPage {
    /// Writes that a change is on trial, and the ways to confirm it.
    mutating func onTrial(_ id: String, generation: Int64, window: Int64?, _ probes: [ProbeReport]?) {
        line(.init("generation \(generation) is on trial", .strong), .init(" (id \(id))", .faint))
        let time = window.map { " within \(DurationText.text(milliseconds: $0))" } ?? ""
        line(.init("`cleat confirm \(id)` keeps it\(time); else it is undone", .faint))
        self.probes(probes)
    }

    /// Writes that a change was on trial and was undone.
    mutating func undone(_ id: String, generation: Int64) {
        line(.init("was generation \(generation), on trial, and was undone (id \(id))", .bad))
    }

    /// Writes the number of changes that did not fit into a reply.
    mutating func omitted(_ count: Int?, indent: String = "") {
        guard let count, count > 0 else { return }
        line(.init("\(indent)and \(count) more changes, too many for one answer", .faint))
    }
}
