import CleatJSON

/// Prints the removed files or uploads: the output of `cleat file rm` and `cleat file abort`.
struct FileRemovalView: TextPresentable, JSONPresentable {
    /// The removed places or ids.
    var removed: [String]

    func write(to page: inout TextPage) {
        for name in removed { page.line(.init("removed "), .init(name, .name)) }
    }

    var json: JSONValue { ["removed": .array(removed.map(JSONValue.string))] }

    var jsonLines: [JSONValue] { removed.map { ["removed": .string($0)] } }
}
