import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// Prints the plan of a change, or the result of a rehearsal: the output of `cleat plan`.
struct PlanView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Set.Reply
    /// The withheld settings that the file does not name, and that are kept.
    var kept: [SettingPath] = []

    /// True if a resource differs from its state before a rehearsal.
    var differs: Bool { reply.rehearsal?.contains { $0.state == .differs } ?? false }

    func write(to page: inout TextPage) {
        for change in reply.changes { page.line(change.spans) }
        page.omitted(reply.omitted)
        page.unchanged(kept)
        if reply.state == .unchanged {
            page.line(.init("nothing would change", .faint))
            for note in (reply.plan?.notes ?? []) + reply.results.map(\.message) { page.line(.init(note, .faint)) }
        } else if let rehearsal = reply.rehearsal {
            write(rehearsal, to: &page)
        } else if let plan = reply.plan {
            write(plan, to: &page)
            page.line(.init("nothing was changed", .faint))
        } else {
            // The id is that of an earlier change.
            CommitView(reply: reply).write(to: &page)
        }
    }

    private func write(_ plan: ChangePlan, to page: inout TextPage) {
        for step in plan.steps { step.write(to: &page) }
        if let omitted = plan.omitted {
            page.line(.init("and \(omitted) more changes of the system, too many for one reply", .faint))
        }
        if plan.steps.isEmpty { page.line(.init("nothing of the system would change", .faint)) }
        for action in plan.actions where action.kind != .reboot { action.write(to: &page) }
        for note in plan.notes { page.line(.init(note, .faint)) }
        let reboots = plan.actions.filter { $0.kind == .reboot }
        for action in reboots { page.line(.init("reboot: "), .init("needed, because \(action.note ?? "")", .bad)) }
        if reboots.isEmpty { page.line(.init("reboot: not needed")) }
        let style: TextStyle = plan.connection == .cut ? .bad : plan.connection == .unknown ? .strong : .plain
        page.line(
            .init("your connection: "), .init(plan.connection.shownName, style), .init(" (\(plan.reason))", .faint))
    }

    private func write(_ rehearsal: [RehearsedStep], to page: inout TextPage) {
        page.outcome(reply.results)
        for step in rehearsal {
            page.line(
                .init(step.resource, .name), .init(": "),
                .init(step.message, step.state == .differs ? .bad : .plain))
        }
        if reply.state == .checked {
            page.line(.init("nothing of the system would change: there is nothing to rehearse", .faint))
        } else if differs {
            page.line(.init("rehearsed and reverted, but not everything was restored", .bad))
        } else {
            page.line(.init("rehearsed and reverted: everything was restored", .good))
        }
    }

    var json: JSONValue {
        guard var object = JSONValue(showing: reply).objectValue else { return .null }
        if !kept.isEmpty { object["kept"] = .array(kept.map { .string($0.text) }) }
        return .object(object)
    }
}

extension ChangePlan.Connection {
    /// The connection's state in words.
    fileprivate var shownName: String {
        switch self {
        case .kept: "stays"
        case .cut: "ends"
        case .unknown: "unknown"
        }
    }
}

extension PlannedStep {
    /// Writes the lines of the step.
    fileprivate func write(to page: inout TextPage) {
        let verb =
            switch action {
            case .create: "create "
            case .change: "change "
            case .remove: "remove "
            case .unchanged: "unchanged: "
            case .skipped: "skip "
            }
        var spans = [TextSpan(verb), TextSpan(resource, .name)]
        if before != nil || after != nil {
            spans += [TextSpan(": ")]
            if let before { spans += [TextSpan(before), TextSpan(" -> ", .faint)] }
            spans.append(TextSpan(after ?? "nothing", .strong))
        }
        page.line(spans)
        if let note { page.line(.init("  \(note)", .faint)) }
        for line in (diff ?? "").split(separator: "\n", omittingEmptySubsequences: true) {
            let style: TextStyle = line.hasPrefix("+") ? .good : line.hasPrefix("-") ? .bad : .plain
            page.line(.init("  "), .init(String(line), style))
        }
    }
}

extension PlannedAction {
    /// Writes the line of the action, and its note.
    fileprivate func write(to page: inout TextPage) {
        var spans = [TextSpan("\(program == nil ? "" : "then ")\(title)")]
        if let program { spans.append(TextSpan(" (\(program))", .faint)) }
        page.line(spans)
        if let note { page.line(.init("  \(note)", .faint)) }
    }
}
