import CleatAPI
import CleatHooks
import CleatStore

/// The probes of a change on trial: which are waited for, what was last seen of them, and how often all have held.
///
/// A probe that did not hold before the change is not waited for, since the change cannot have broken it. Where none held
/// before, they are what the change is to bring about, and all are waited for.
struct ProbeWatch: Hashable, Sendable {
    /// How often in succession all have to hold.
    static let rounds = 2

    private struct Entry: Hashable, Sendable {
        /// As it is written.
        let text: String
        /// Nil where this release does not know such a probe.
        let probe: Probe?
        /// Why it did not hold before the change.
        let failure: String?
        var outcome: ProbeOutcome?
    }

    private var entries: [Entry]
    private var held = 0
    /// Why it could not be confirmed when all had held.
    private var obstacle: String?

    /// Takes probes and what was seen of them before the change.
    init(_ probes: [Probe], before outcomes: [ProbeOutcome]) {
        entries = zip(probes, outcomes).map { probe, outcome in
            Entry(text: probe.description, probe: probe, failure: outcome.holds ? nil : outcome.message)
        }
    }

    /// Takes the probes of a change that another run of the service has begun; nil where it has none.
    init?(_ stored: [StoredProbe]) {
        guard !stored.isEmpty else { return nil }
        entries = stored.map { Entry(text: $0.probe, probe: try? Probe($0.probe), failure: $0.failure) }
    }

    /// As the store keeps them.
    var stored: [StoredProbe] { entries.map { StoredProbe($0.text, failure: $0.failure) } }

    private var waitsForAll: Bool { entries.allSatisfy { $0.failure != nil } }

    private func isWaitedFor(_ entry: Entry) -> Bool { waitsForAll || entry.failure == nil }

    /// The probes that are to be looked at.
    var waitedFor: [Probe] { entries.filter(isWaitedFor).compactMap(\.probe) }

    /// Takes what a round of looks at ``waitedFor`` has shown.
    ///
    /// - Returns: whether all have held often enough.
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

    /// Has all hold as often again, since the confirmation failed.
    mutating func startAgain(after failure: String) {
        held = 0
        obstacle = failure
    }

    /// What was last seen of each, as the wire tells it.
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

    /// What history says of a change that probes have confirmed, before their names.
    static let confirmed = "confirmed by "

    /// The names of those that are waited for.
    var names: String { entries.filter(isWaitedFor).map(\.text).joined(separator: ", ") }

    /// Why it was not confirmed by them, as half a sentence.
    var missing: String {
        let missing = entries.filter { isWaitedFor($0) && $0.outcome?.holds != true }
        guard !missing.isEmpty else {
            return obstacle.map { "it could not be confirmed when \(names) held: \($0)" }
                ?? "\(names) did not hold twice in succession"
        }
        return missing.map { "\($0.text) did not hold (\($0.outcome?.message ?? "it was not looked at"))" }
            .joined(separator: ", ")
    }
}
