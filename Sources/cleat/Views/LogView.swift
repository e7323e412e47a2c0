import CleatAPI
import CleatJSON

/// Shows the history: what `cleat log` prints.
struct LogView: TextPresentable, JSONPresentable {
    var store: String
    var generations: [Generation]
    var next: Int64?

    func write(to page: inout TextPage) {
        if generations.isEmpty { page.line(.init("no generation to show", .faint)) }
        for (index, generation) in generations.enumerated() {
            if index > 0 { page.line() }
            page.line(
                .init("#\(generation.number)", .strong), .init("  \(generation.shownTime)"),
                .init("  \(generation.author)"), .init("  \(generation.id)", .faint))
            if let comment = generation.comment { page.line(.init("    "), .init(comment)) }
            for change in generation.changes { page.line([TextSpan("    ")] + change.spans) }
            page.omitted(generation.omitted, indent: "    ")
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
    /// The time of the commit, with a mark where the clock could not be trusted.
    var shownTime: String { synchronised ? time : "\(time)?" }
}
