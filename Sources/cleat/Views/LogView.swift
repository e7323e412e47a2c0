import CleatAPI
import CleatJSON
import CleatViews

/// Prints the history: the output of `cleat log`.
struct LogView: TextPresentable, JSONPresentable {
    var store: String
    var generations: [Generation]
    var next: Int64?

    func write(to page: inout TextPage) {
        if generations.isEmpty { page.line(.init("no generation to show", .faint)) }
        for (index, generation) in generations.enumerated() {
            if index > 0 { page.line() }
            generation.write(to: &page)
        }
        if let next { page.line(.init("older ones: cleat log --before \(next)", .faint)) }
    }

    var json: JSONValue {
        var object: JSONObject = ["store": .string(store), "generations": .array(jsonLines)]
        if let next { object["next"] = .integer(next) }
        return .object(object)
    }

    var jsonLines: [JSONValue] { generations.map { JSONValue(showing: $0) } }
}

extension Generation {
    /// Writes the author, time, comment and changes.
    func write(to page: inout TextPage) {
        page.line(
            .init("#\(number)", .strong), .init("  \(shownTime)"), .init("  \(author)"), .init("  \(id)", .faint),
            .init(state.map { "  (\($0.words))" } ?? "", .strong))
        if let comment { page.line(.init("    "), .init(comment)) }
        for change in changes { page.line([TextSpan("    ")] + change.spans) }
        page.omitted(omitted, indent: "    ")
    }

    /// The time of the commit, with a question mark if the clock was not synchronised.
    var shownTime: String { synchronised ? time : "\(time)?" }
}

extension Generation.State {
    /// The state in words.
    fileprivate var words: String {
        switch self {
        case .pending: "on trial"
        case .reverted: "reverted"
        case .restored: "restored from the second copy"
        }
    }
}

/// Prints one generation of the history: the output of `cleat show`.
struct GenerationView: TextPresentable, JSONPresentable {
    var store: String
    var generation: Generation

    func write(to page: inout TextPage) {
        generation.write(to: &page)
        if let results = generation.results { page.results(results, indent: "    ") }
    }

    var json: JSONValue {
        var object = JSONValue(showing: generation).objectValue ?? [:]
        object["store"] = .string(store)
        return .object(object)
    }
}

/// Prints the differences between two generations: the output of `cleat diff`.
struct DifferenceView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Diff.Reply

    func write(to page: inout TextPage) {
        page.line(.init("#\(reply.from) -> #\(reply.to)", .strong))
        if reply.changes.isEmpty { page.line(.init("no difference", .faint)) }
        for change in reply.changes {
            if let old = change.old { page.line(.init("- \(change.path) = \(SettingText.text(of: old))", .bad)) }
            if change.old == nil, change.new == nil { page.line(.init("~ \(change.path) (secret)", .strong)) }
            if let new = change.new { page.line(.init("+ \(change.path) = \(SettingText.text(of: new))", .good)) }
        }
        page.omitted(reply.omitted)
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { reply.changes.map { JSONValue(showing: $0) } }
}
