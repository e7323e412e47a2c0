import CleatAPI
import CleatJSON
import CleatSettings

/// Shows a change on trial: what `cleat extend` prints.
struct TrialView: TextPresentable, JSONPresentable {
    var trial: Trial

    func write(to page: inout TextPage) {
        for change in trial.changes { page.line(change.spans) }
        page.omitted(trial.omitted)
        page.line(.init("generation \(trial.generation) is on trial", .strong), .init(" (id \(trial.id))", .faint))
        guard let remaining = trial.remaining else { return }
        let time = DurationText.text(milliseconds: (remaining + 500) / 1000 * 1000)
        page.line(.init("`cleat confirm \(trial.id)` keeps it within \(time); else it is undone", .faint))
    }

    var json: JSONValue { JSONValue(showing: trial) }
}

/// Shows how a trial ended: what `cleat confirm` and `cleat abort` print.
struct TrialEndView: TextPresentable, JSONPresentable {
    var end: TransactionsInterface.End

    func write(to page: inout TextPage) {
        switch end.state {
        case .confirmed:
            page.line(.init("confirmed: generation \(end.generation)", .good), .init(" (id \(end.id))", .faint))
        case .reverted:
            page.line(.init("undone: generation \(end.generation)", .good), .init(" (id \(end.id))", .faint))
        }
        for result in end.results {
            page.line(.init("\(result.adapter): "), .init(result.message, result.state == .failed ? .bad : .plain))
        }
    }

    var json: JSONValue { JSONValue(showing: end) }
}
