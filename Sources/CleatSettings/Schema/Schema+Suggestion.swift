extension Schema {
    /// Finds the known path that is nearest to an unknown one, for “did you mean”.
    ///
    /// - Parameter path: what was asked for.
    /// - Returns: nil where nothing is near.
    package func suggestion(for path: SettingPath) -> String? {
        guard path.text.utf8.count <= 128 else { return nil }
        let wanted = path.segments
        var best: (distance: Int, text: String)?
        for entry in entries() {
            let parts = entry.pattern.split(separator: "/").map(String.init)
            // Groups count as well: a person may ask for `network/interface`.
            let length = min(parts.count, wanted.count)
            let candidate = parts.prefix(length).enumerated().map { index, part in
                part.hasPrefix("{") ? SettingPath.escaped(wanted[index]) : part
            }
            let text = candidate.joined(separator: "/")
            let distance =
                zip(candidate, wanted).reduce(0) { $0 + Self.distance(of: $1.1, from: $1.0) }
                + wanted[length...].reduce(0) { $0 + $1.unicodeScalars.count }
            if distance < best?.distance ?? .max { best = (distance, text) }
            if parts.count > wanted.count { continue }
            let whole = EditDistance.between(text, path.text)
            if whole < best?.distance ?? .max { best = (whole, text) }
        }
        guard let best, best.distance <= max(2, path.text.unicodeScalars.count / 3),
            !ByteOrder.areEqual(best.text, path.text)
        else { return nil }
        return best.text
    }

    private static func distance(of wanted: String, from known: String) -> Int {
        // Who writes the beginning of a name very likely means it.
        if wanted.utf8.count > 2, known.utf8.starts(with: wanted.utf8) {
            return ByteOrder.areEqual(wanted, known) ? 0 : 1
        }
        return EditDistance.between(known, wanted)
    }
}

/// Counts the single-character edits between two texts (Levenshtein).
enum EditDistance {
    static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left.unicodeScalars)
        let right = Array(right.unicodeScalars)
        var row = Array(0...right.count)
        for (index, scalar) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let substituted = diagonal + (scalar == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
