import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// Prints the result of a change: the output of `cleat set` and `cleat unset`.
struct CommitView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Set.Reply

    func write(to page: inout TextPage) {
        for change in reply.changes { page.line(change.spans) }
        page.omitted(reply.omitted)
        switch reply.state {
        case .unchanged:
            page.line(.init("nothing changed", .faint))
            page.outcome(reply.results)
        case .checked:
            page.outcome(reply.results)
            page.line(.init("these changes would be accepted; nothing was changed", .faint))
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
            page.outcome(reply.results)
        case .pending:
            page.outcome(reply.results)
            page.onTrial(reply.id, generation: reply.generation, window: reply.window, reply.probes)
        case .reverted:
            page.reverted(reply.id, generation: reply.generation)
        case .confirmed:
            page.line(.init("generation \(reply.generation)", .good), .init(" (id \(reply.id))", .faint))
            page.outcome(reply.results)
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

/// Prints the changes of a text: the output of `cleat apply` and `cleat edit`.
struct ApplicationView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Set.Reply
    /// The withheld settings that the text did not name, and that were kept.
    var kept: [SettingPath] = []

    func write(to page: inout TextPage) {
        CommitView(reply: reply).write(to: &page)
        page.unchanged(kept)
    }

    var json: JSONValue {
        guard var object = JSONValue(showing: reply).objectValue else { return .null }
        if !kept.isEmpty { object["kept"] = .array(kept.map { .string($0.text) }) }
        return .object(object)
    }
}

/// Prints the result of a restore: the output of `cleat snapshot restore`.
struct SnapshotRestoreView: TextPresentable, JSONPresentable {
    var reply: SnapshotsInterface.Restore.Reply
    var broughtFiles: Bool

    func write(to page: inout TextPage) {
        for file in reply.files ?? [] { page.line([TextSpan("would be restored: ")] + file.spans) }
        CommitView(reply: reply.change).write(to: &page)
        for resource in reply.differing {
            page.line(.init("\(resource) differs from the snapshot", .bad))
        }
        if !reply.differing.isEmpty, !broughtFiles {
            page.line(.init("`--files` restores files that do not follow from the settings", .faint))
        }
        if let kept = reply.kept {
            page.line(.init("\(kept) settings and resources are unchanged: the export had omitted them", .faint))
        }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}
