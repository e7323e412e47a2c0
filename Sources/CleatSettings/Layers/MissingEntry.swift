import CleatOrder

/// An entry of a map that a path goes through and that does not exist, so that nothing can be set at the path.
package struct MissingEntry: Hashable, Sendable, CustomStringConvertible {
    /// The map.
    package let map: SettingPath
    /// The name of the missing entry.
    package let key: String
    /// The path with the most similar name in the map; nil if none is similar.
    package let suggestion: SettingPath?

    /// A sentence without its full stop.
    package var description: String {
        let hint = suggestion.map { "; did you mean \($0)?" } ?? ""
        return "\(map) has no entry “\(Excerpt.of(key))”\(hint)"
    }

    /// The most names of a map that are compared with a misspelt one.
    private static let comparedNames = 4_096

    /// Finds the first entry of a map that a path goes through and that does not exist.
    ///
    /// - Parameters:
    ///   - path: a setting or a group.
    ///   - settings: the settings to search.
    /// - Returns: the entry; nil if all exist, and inside a secret, whose names are part of it.
    static func find(on path: SettingPath, in settings: LayeredSettings) -> MissingEntry? {
        var node = settings.schema.root
        for (index, segment) in path.segments.enumerated() {
            if node.isSecret { return nil }
            if let property = node.object.property(segment) {
                node = property
                continue
            }
            guard index > 0, let entry = node.object.entry(segment) else { return nil }
            guard settings.hasRows(at: path.beginning(index + 1)) else {
                let map = path.beginning(index)
                let name = nearestName(to: segment, among: settings.childNames(of: map))
                let segments = path.segments
                let suggestion = name.flatMap {
                    try? SettingPath(segments: Array(segments[..<index]) + [$0] + Array(segments[(index + 1)...]))
                }
                return MissingEntry(map: map, key: segment, suggestion: suggestion)
            }
            node = entry
        }
        return nil
    }

    /// Returns the name in a map with the smallest edit distance; of several the first.
    private static func nearestName(to key: String, among names: Set<String>) -> String? {
        guard names.count <= comparedNames, key.utf8.count <= 64 else { return nil }
        let letters = Array(key.unicodeScalars)
        var best: (name: String, distance: Int)?
        for name in names.ordered(by: ByteOrder.precedes) {
            let known = Array(name.unicodeScalars)
            let limit = min(max(1, letters.count / 3), best.map { $0.distance - 1 } ?? .max)
            guard limit > 0, abs(known.count - letters.count) <= limit else { continue }
            let distance = EditDistance.between(known, letters)
            // A name that differs in every letter is not similar.
            if distance <= limit, distance < max(known.count, letters.count) { best = (name, distance) }
        }
        return best?.name
    }
}
