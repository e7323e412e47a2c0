import CleatAPI
import CleatJSON

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
