internal import CleatAPI

/// A pattern of one or more globs, one of which has to match a text.
///
/// `|` separates the globs, as in udev's rules; `\|` and `[|]` stand for the character. In a glob `*` stands for any
/// text, including `/`, `?` for one character, `[a-z]` and `[!a-z]` for one byte inside or outside a set, and `\` takes
/// the next character literally. Matching takes at most pattern × text steps.
package struct HookPattern: Sendable, Equatable, CustomStringConvertible {
    /// The largest number of bytes in a pattern.
    package static let byteLimit = 1024

    /// The pattern as it was written.
    package let text: String

    private let globs: [Glob]

    /// Reads a pattern.
    package init(_ text: String) throws(HookPatternError) {
        guard text.utf8.count <= HookPattern.byteLimit else {
            throw HookPatternError(message: "the pattern has more than \(HookPattern.byteLimit) bytes; shorten it")
        }
        var globs: [Glob] = []
        for alternative in HookPattern.alternatives(text.utf8) {
            guard let glob = Glob(alternative) else {
                throw HookPatternError(
                    message:
                        "the pattern \(HookFileNode.excerpt(alternative)) has a [ without its ], a range that runs "
                        + "backwards, or a lone \\ at its end; write \\[ for a bracket and \\\\ for a backslash")
            }
            globs.append(glob)
        }
        self.text = text
        self.globs = globs
    }

    package var description: String { text }

    /// Returns true if the pattern matches the whole text.
    package func matches(_ candidate: String) -> Bool {
        guard globs.count > 1 else { return globs.first?.matches(candidate) ?? false }
        let bytes = Array(candidate.utf8)[...]
        return globs.contains { $0.matches(bytes: bytes) }
    }

    /// A text that the pattern matches, if one of its alternatives has no special characters; nil otherwise.
    package var word: String? { words.first }

    /// The alternatives without special characters.
    package var words: [String] {
        globs.map(\.description).filter { !$0.utf8.contains(where: "*?[\\".utf8.contains) }
    }

    /// True if no alternative has special characters.
    package var isLiteral: Bool { words.count == globs.count }

    /// Splits a pattern at each `|` that is neither escaped by a backslash nor inside a set.
    private static func alternatives(_ text: String.UTF8View) -> [String] {
        var alternatives: [String] = []
        var current: [UInt8] = []
        var setStart: Int?
        var isEscaped = false
        for byte in text {
            if let start = setStart {
                // A bracket that comes first, or first after the negation, is a member of the set.
                let inside = current[start...]
                let isFirst = inside.isEmpty || inside.elementsEqual("!".utf8) || inside.elementsEqual("^".utf8)
                if byte == UInt8(ascii: "]"), !isFirst { setStart = nil }
            } else if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "|") {
                alternatives.append(String(decoding: current, as: UTF8.self))
                current = []
                continue
            } else {
                isEscaped = byte == UInt8(ascii: "\\")
                if byte == UInt8(ascii: "[") { setStart = current.count + 1 }
            }
            current.append(byte)
        }
        alternatives.append(String(decoding: current, as: UTF8.self))
        return alternatives
    }
}

/// The reason why a text is not a valid pattern.
package struct HookPatternError: Error, Equatable, CustomStringConvertible {
    /// The problem and the remedy.
    package let message: String

    package var description: String { message }
}
