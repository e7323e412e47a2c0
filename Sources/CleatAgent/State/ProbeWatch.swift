import CleatAPI
import CleatHooks
import CleatStore

/// The probes of a change on trial: those that are waited for, their last outcomes, and the number of rounds in which
/// all have held.
///
/// A probe that did not hold before the change is not waited for, since the change cannot have broken it. If none held
/// before, the change is expected to make them hold, and all are waited for.
struct ProbeWatch: Equatable, Sendable {
    /// The number of successive rounds in which all have to hold.
    static let rounds = 2

    private struct Entry: Equatable, Sendable {
        /// The text of the probe.
        let text: String
        /// The probe; nil if this release does not know it.
        let probe: Probe?
        /// The reason why it did not hold before the change; nil if it held.
        let failure: String?
        var outcome: ProbeOutcome?
    }

    private var entries: [Entry]
    private var held = 0
    /// The reason why the change could not be confirmed when all had held.
    private var obstacle: String?

    /// Creates a watch from probes and their outcomes before the change.
    init(_ probes: [Probe], before outcomes: [ProbeOutcome]) {
        entries = zip(probes, outcomes).map { probe, outcome in
            Entry(text: probe.description, probe: probe, failure: outcome.holds ? nil : outcome.message)
        }
    }

    /// Creates a watch from the stored probes of a change that another run of the service has started; nil if it has
    /// none.
    init?(_ stored: [StoredProbe]) {
        guard !stored.isEmpty else { return nil }
        entries = stored.map { Entry(text: $0.probe, probe: try? Probe($0.probe), failure: $0.failure) }
    }

    /// The probes as the store keeps them.
    var stored: [StoredProbe] { entries.map { StoredProbe($0.text, failure: $0.failure) } }

    private var waitsForAll: Bool { entries.allSatisfy { $0.failure != nil } }

    private func isWaitedFor(_ entry: Entry) -> Bool { waitsForAll || entry.failure == nil }

    /// The probes that are to be checked.
    var waitedFor: [Probe] { entries.filter(isWaitedFor).compactMap(\.probe) }

    /// Records the outcomes of one round of ``waitedFor``.
    ///
    /// - Returns: True if all have held often enough.
    mutating func note(_ outcomes: [ProbeOutcome]) -> Bool {
        var rest = outcomes[...]
        var allHold = true
        for index in entries.indices where isWaitedFor(entries[index]) {
            let seen = entries[index].probe == nil ? nil : rest.popFirst()
            let outcome = seen ?? ProbeOutcome(holds: false, "this release knows no such probe")
            entries[index].outcome = outcome
            allHold = allHold && outcome.holds
        }
        held = allHold ? held + 1 : 0
        return held >= Self.rounds
    }

    /// Restarts the count of rounds, since the confirmation failed.
    mutating func startAgain(after failure: String) {
        held = 0
        obstacle = failure
    }

    /// The last outcome of each probe, in its wire format.
    var reports: [ProbeReport] {
        entries.map { entry in
            guard isWaitedFor(entry) else {
                return ProbeReport(probe: entry.text, state: .ignored, message: entry.failure)
            }
            guard let outcome = entry.outcome else {
                return ProbeReport(probe: entry.text, state: .waiting, message: entry.failure)
            }
            return ProbeReport(probe: entry.text, state: outcome.holds ? .holds : .fails, message: outcome.message)
        }
    }

    /// The names of the probes that are waited for.
    var names: String { entries.filter(isWaitedFor).map(\.text).joined(separator: ", ") }

    /// The reason why the probes did not confirm the change, as a clause.
    var missing: String {
        let missing = entries.filter { isWaitedFor($0) && $0.outcome?.holds != true }
        guard !missing.isEmpty else {
            return obstacle.map { "it could not be confirmed when \(names) held: \($0)" }
                ?? "\(names) did not hold twice in succession"
        }
        return missing.map { "\($0.text) did not hold (\($0.outcome?.message ?? "it was not checked"))" }
            .joined(separator: ", ")
    }
}
