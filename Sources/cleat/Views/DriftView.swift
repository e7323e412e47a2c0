import CleatAPI
import CleatJSON

/// Prints the edits made outside Cleat: the output of `cleat drift`.
struct DriftView: TextPresentable, JSONPresentable {
    var drift: [DriftInfo]
    var failures: [AdapterResult]

    func write(to page: inout TextPage) {
        page.results(failures)
        for one in drift {
            page.drift(one)
            if let setting = one.setting, !one.message.contains(setting) {
                let value = one.value.map { ", which would be \($0)" } ?? ""
                page.line(.init("  it follows \(setting)\(value)", .faint))
            }
            page.line(.init("  "), .init(one.remedy))
        }
        if drift.isEmpty, failures.isEmpty { page.line(.init("all is as the service wrote it", .good)) }
    }

    var json: JSONValue {
        [
            "drift": .array(drift.map { JSONValue(showing: $0) }),
            "failures": .array(failures.map { JSONValue(showing: $0) }),
        ]
    }

    var jsonLines: [JSONValue] { drift.map { JSONValue(showing: $0) } }
}

/// Prints the resources that were written again: the output of `cleat reapply`.
struct RepairView: TextPresentable, JSONPresentable {
    var reply: SystemInterface.Reapply.Reply

    func write(to page: inout TextPage) {
        page.results(reply.results)
        if let id = reply.id, let generation = reply.generation, let state = reply.state, state != .unchanged {
            page.trial(id, generation, state, reply.window, reply.probes)
        } else if reply.results.isEmpty {
            page.line(.init("there was nothing to write", .good))
        }
        for one in reply.drift { page.drift(one) }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}

/// Prints the outside edits that became settings: the output of `cleat adopt`.
struct AdoptionView: TextPresentable, JSONPresentable {
    var reply: SystemInterface.Adopt.Reply

    func write(to page: inout TextPage) {
        for change in reply.changes { page.line(change.spans) }
        for name in reply.left { page.line(.init(name, .name), .init(" is left as it is until its settings change")) }
        page.results(reply.results.filter { $0.state == .failed })
        if let id = reply.id, let state = reply.state {
            page.trial(id, reply.generation, state, reply.window, reply.probes)
        } else if !reply.changes.isEmpty {
            page.line(.init("confirmed: generation \(reply.generation)", .good))
        }
        if reply.changes.isEmpty, reply.left.isEmpty { page.line(.init("there was nothing to take over", .good)) }
        for one in reply.drift { page.drift(one) }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}

extension TextPage {
    /// Writes one resource that was edited outside Cleat.
    fileprivate mutating func drift(_ one: DriftInfo) {
        // Most messages start with the name already.
        if one.message.hasPrefix(one.name + " ") {
            line(.init(one.message, .bad))
        } else {
            line(.init(one.name, .name), .init(": "), .init(one.message, .bad))
        }
    }

    /// Writes the state of a trial.
    fileprivate mutating func trial(
        _ id: String, _ generation: Int64, _ state: CommitState, _ window: Int64?, _ probes: [ProbeReport]?
    ) {
        switch state {
        case .pending: onTrial(id, generation: generation, window: window, probes)
        case .reverted: undone(id, generation: generation)
        default: line(.init("already done as generation \(generation) (id \(id))", .faint))
        }
    }

    /// Writes the results of adapters.
    mutating func results(_ results: [AdapterResult], indent: String = "") {
        for result in results {
            line(.init(indent), .init(result.message, result.state == .failed ? .bad : .plain))
        }
    }
}
