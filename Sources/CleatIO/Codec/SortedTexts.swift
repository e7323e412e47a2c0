// A program has each of these sorts once, rather than once for each place that sorts.

extension [String: String] {
    /// Returns the members in the order of the bytes of their keys.
    @inline(never)
    package func sortedByKey() -> [(key: String, value: String)] {
        sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

extension [String] {
    /// Returns the texts in the order of their bytes.
    @inline(never)
    package func sortedByBytes() -> [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
