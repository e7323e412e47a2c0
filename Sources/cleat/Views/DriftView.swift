import CleatAPI
import CleatJSON
import CleatViews

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
        if drift.isEmpty, failures.isEmpty { page.line(.init("no outside edits found", .good)) }
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
        if page.isVerbose || reply.results.contains(where: { $0.level != .detail }) {
            page.outcome(reply.results)
        } else {
            // Where nothing was written, the actions that were retried are the result.
            page.results(reply.results)
        }
        if let id = reply.id, let generation = reply.generation, let state = reply.state, state != .unchanged {
            page.trial(id, generation, state, reply.window, reply.probes)
        } else if reply.results.isEmpty {
            page.line(.init("nothing to write", .good))
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
        for name in reply.unchanged {
            page.line(.init(name, .name), .init(" stays as it is until its settings change"))
        }
        page.outcome(reply.results.filter { $0.state == .failed || page.isVerbose })
        if let id = reply.id, let state = reply.state {
            page.trial(id, reply.generation, state, reply.window, reply.probes)
        } else if !reply.changes.isEmpty {
            page.line(.init("confirmed: generation \(reply.generation)", .good))
        }
        if reply.changes.isEmpty, reply.unchanged.isEmpty { page.line(.init("no outside edits found", .good)) }
        for one in reply.drift { page.drift(one) }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}
