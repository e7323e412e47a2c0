/// A pattern of file names: `*` matches any characters, `?` one character, all others themselves.
///
/// A name that begins with a dot matches only if the pattern begins with one, as in a shell.
package struct NamePattern: Hashable, Sendable {
    /// The pattern as written.
    package let text: String
    private let scalars: [Unicode.Scalar]

    /// Parses a pattern; returns nil if it contains unsupported characters (`[`, `{`, a backslash) or a slash.
    package init?(_ text: String) {
        guard !text.isEmpty, !text.unicodeScalars.contains(where: { "[]{}\\/".unicodeScalars.contains($0) }) else {
            return nil
        }
        self.text = text
        scalars = Array(text.unicodeScalars)
    }

    /// True if it matches one name only.
    package var isPlain: Bool { !scalars.contains("*") && !scalars.contains("?") }

    /// Returns true if `name` matches; the number of steps is at most the product of both lengths.
    package func matches(_ name: String) -> Bool {
        let name = Array(name.unicodeScalars)
        if name.first == ".", scalars.first != "." { return false }
        var at = 0
        var inPattern = 0
        // The position of the last star, and the position in the name up to which it matches: only that star is tried
        // again.
        var star: (pattern: Int, name: Int)?
        while at < name.count {
            if inPattern < scalars.count, scalars[inPattern] == "*" {
                star = (inPattern, at)
                inPattern += 1
            } else if inPattern < scalars.count, scalars[inPattern] == "?" || scalars[inPattern] == name[at] {
                inPattern += 1
                at += 1
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                inPattern = last.pattern + 1
                at = last.name + 1
            } else {
                return false
            }
        }
        return scalars[inPattern...].allSatisfy { $0 == "*" }
    }
}
