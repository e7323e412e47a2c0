/// Reads the options of a mode: words of the form `name=value`.
struct WriterOptions {
    private var values: [String: String] = [:]

    init(_ words: some Sequence<String>) {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if let name = parts.first, let value = parts.dropFirst().first { values[String(name)] = String(value) }
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    subscript(_ name: String, default fallback: Int64) -> Int64 { values[name].flatMap { Int64($0) } ?? fallback }
}
