import CleatAPI
import CleatSettings
import CleatViews

extension TextPage {
    /// Writes that a change is on trial, and the ways to confirm it.
    mutating func onTrial(_ id: String, generation: Int64, window: Int64?, _ probes: [ProbeReport]?) {
        line(.init("generation \(generation) is on trial", .strong), .init(" (id \(id))", .faint))
        let time = window.map { " within \(DurationText.text(milliseconds: $0))" } ?? ""
        line(.init("`cleat confirm \(id)` keeps it\(time); else it reverts", .faint))
        self.probes(probes)
    }

    /// Writes that a change was on trial and was reverted.
    mutating func reverted(_ id: String, generation: Int64) {
        line(.init("was generation \(generation), on trial, and was reverted (id \(id))", .bad))
    }

    /// Writes the number of changes that did not fit into a reply.
    mutating func omitted(_ count: Int?, indent: String = "") {
        guard let count, count > 0 else { return }
        line(.init("\(indent)and \(count) more changes, too many for one reply", .faint))
    }

    /// Writes one resource that was edited outside Cleat.
    mutating func drift(_ one: DriftInfo) {
        // Most messages start with the name already.
        if one.message.hasPrefix(one.name + " ") {
            line(.init(one.message, .bad))
        } else {
            line(.init(one.name, .name), .init(": "), .init(one.message, .bad))
        }
    }

    /// Writes the state of a trial.
    mutating func trial(
        _ id: String, _ generation: Int64, _ state: CommitState, _ window: Int64?, _ probes: [ProbeReport]?
    ) {
        switch state {
        case .pending: onTrial(id, generation: generation, window: window, probes)
        case .reverted: reverted(id, generation: generation)
        default: line(.init("already done as generation \(generation) (id \(id))", .faint))
        }
    }

    /// Writes the outcome of a change: a line for each file or value, a warning for what the system does not follow,
    /// and details only if they are requested.
    mutating func outcome(_ results: [AdapterResult]) {
        var shown: Set<String> = []
        for result in results where isVerbose || result.level != .detail {
            // Several adapters may skip something for the same reason.
            guard shown.insert(result.message).inserted else { continue }
            switch (result.state, result.level) {
            case (.failed, _): line(.init(result.message, .bad))
            case (_, .warning): line(.init("warning: ", .bad), .init(result.message))
            case (_, .detail): line(.init(result.message, .faint))
            case (_, .normal): line(.init(result.message))
            }
        }
    }

    /// Writes the results of adapters.
    mutating func results(_ results: [AdapterResult], indent: String = "") {
        for result in results {
            line(.init(indent), .init(result.message, result.state == .failed ? .bad : .plain))
        }
    }

    /// Writes the probes that confirm a change on trial by themselves, and their last results.
    mutating func probes(_ probes: [ProbeReport]?) {
        guard let probes, !probes.isEmpty else { return }
        let awaited = probes.filter { $0.state != .ignored }.map(\.probe)
        line(
            .init(
                "it is confirmed once \(awaited.joined(separator: ", ")) \(awaited.count == 1 ? "holds" : "hold")",
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

    /// Writes the settings that a file did not name and that are kept.
    mutating func unchanged(_ kept: [SettingPath]) {
        for path in kept.prefix(16) { line(.init("unchanged: \(path)", .faint)) }
        if kept.count > 16 { line(.init("unchanged: \(kept.count - 16) more", .faint)) }
    }
}
