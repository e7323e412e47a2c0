import CleatAPI
import CleatJSON
import CleatSettings

/// Prints a change on trial: the output of `cleat extend`.
struct TrialView: TextPresentable, JSONPresentable {
    var trial: Trial

    func write(to page: inout TextPage) {
        for change in trial.changes { page.line(change.spans) }
        page.omitted(trial.omitted)
        page.line(.init("generation \(trial.generation) is on trial", .strong), .init(" (id \(trial.id))", .faint))
        guard let remaining = trial.remaining else { return }
        let time = DurationText.text(milliseconds: (remaining + 500) / 1000 * 1000)
        page.line(.init("`cleat confirm \(trial.id)` keeps it within \(time); else it is undone", .faint))
        page.probes(trial.probes)
    }

    var json: JSONValue { JSONValue(showing: trial) }
}

extension TextPage {
    /// Writes the probes that confirm a change on trial by themselves, and their last results.
    mutating func probes(_ probes: [ProbeReport]?) {
        guard let probes, !probes.isEmpty else { return }
        let awaited = probes.filter { $0.state != .ignored }.map(\.probe)
        line(
            .init(
                "it is kept by itself once \(awaited.joined(separator: ", ")) \(awaited.count == 1 ? "holds" : "hold")",
                .faint))
        for probe in probes {
            let seen = probe.message.map { ": \($0)" } ?? ""
            switch probe.state {
            case .waiting where probe.message == nil: break
            case .waiting: line(.init(probe.probe, .name), .init(" did not hold before the change\(seen)"))
            case .ignored:
                line(.init(probe.probe, .name), .init(" did not hold before the change, and is not waited for\(seen)"))
            case .holds: line(.init(probe.probe, .name), .init(" holds", .good), .init(seen))
            case .fails: line(.init(probe.probe, .name), .init(" does not hold", .bad), .init(seen))
            }
        }
    }
}

/// Prints the end of a trial: the output of `cleat confirm`, `cleat abort` and `--wait`.
struct TrialEndView: TextPresentable, JSONPresentable {
    var end: TransactionsInterface.End

    func write(to page: inout TextPage) {
        switch end.state {
        case .confirmed:
            page.line(.init("confirmed: generation \(end.generation)", .good), .init(" (id \(end.id))", .faint))
        case .reverted:
            page.line(.init("undone: generation \(end.generation)", .good), .init(" (id \(end.id))", .faint))
        }
        if let reason = end.reason { page.line(.init(reason, .faint)) }
        page.results(end.results)
    }

    var json: JSONValue { JSONValue(showing: end) }
}
