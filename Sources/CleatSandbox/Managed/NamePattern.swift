/// Says which names of a directory are meant: `*` stands for any bytes, `?` for one character, all else for itself.
///
/// A name that begins with a dot is meant only where the pattern begins with one, as in a shell.
package struct NamePattern: Hashable, Sendable {
    /// The pattern as it was written.
    package let text: String
    private let scalars: [Unicode.Scalar]

    /// Takes a pattern; nil where it uses what is not supported (`[`, `{`, a backslash) or holds a slash.
    package init?(_ text: String) {
        guard !text.isEmpty, !text.unicodeScalars.contains(where: { "[]{}\\/".unicodeScalars.contains($0) }) else {
            return nil
        }
        self.text = text
        scalars = Array(text.unicodeScalars)
    }

    /// Whether it means one name only.
    package var isPlain: Bool { !scalars.contains("*") && !scalars.contains("?") }

    /// Whether it means `name`; the steps are at most the product of both lengths.
    package func matches(_ name: String) -> Bool {
        let name = Array(name.unicodeScalars)
        if name.first == ".", scalars.first != "." { return false }
        var at = 0
        var inPattern = 0
        // Where the last star stands, and how far it has taken the name: only that star needs to be tried again.
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
