import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// Prints a change on trial: the output of `cleat extend`.
struct TrialView: TextPresentable, JSONPresentable {
    var trial: Trial

    func write(to page: inout TextPage) {
        for change in trial.changes { page.line(change.spans) }
        page.omitted(trial.omitted)
        page.line(.init("generation \(trial.generation) is on trial", .strong), .init(" (id \(trial.id))", .faint))
        guard let remaining = trial.remaining else { return }
        let time = DurationText.text(milliseconds: (remaining + 500) / 1000 * 1000)
        page.line(.init("`cleat confirm \(trial.id)` keeps it within \(time); else it reverts", .faint))
        page.probes(trial.probes)
    }

    var json: JSONValue { JSONValue(showing: trial) }
}

/// Prints the end of a trial: the output of `cleat confirm`, `cleat abort` and `--wait`.
struct TrialEndView: TextPresentable, JSONPresentable {
    var end: TransactionsInterface.End

    func write(to page: inout TextPage) {
        switch end.state {
        case .confirmed:
            page.line(.init("confirmed: generation \(end.generation)", .good), .init(" (id \(end.id))", .faint))
        case .reverted:
            page.line(.init("reverted: generation \(end.generation)", .good), .init(" (id \(end.id))", .faint))
        }
        if let reason = end.reason { page.line(.init(reason, .faint)) }
        page.outcome(end.results)
    }

    var json: JSONValue { JSONValue(showing: end) }
}
