import CleatJSON

/// Shows what was removed: what `cleat file rm` and `cleat file abort` print.
struct FileRemovalView: TextPresentable, JSONPresentable {
    /// What was named.
    var removed: [String]

    func write(to page: inout TextPage) {
        for name in removed { page.line(.init("removed "), .init(name, .name)) }
    }

    var json: JSONValue { ["removed": .array(removed.map(JSONValue.string))] }

    var jsonLines: [JSONValue] { removed.map { ["removed": .string($0)] } }
}
