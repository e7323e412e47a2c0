internal import CleatObservers

/// Matches a text against globs: one that matches is enough.
///
/// `|` parts the globs, as in udev's rules; `\|` and `[|]` stand for the character. In a glob `*` stands for any text, `/`
/// included, `?` for one character, `[a-z]` and `[!a-z]` for one byte inside or outside a set, and `\` takes the next
/// character as it is. Matching takes time linear in pattern × text.
package struct HookPattern: Sendable, Hashable, CustomStringConvertible {
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

    /// Tells whether the pattern covers the whole text.
    package func matches(_ candidate: String) -> Bool {
        guard globs.count > 1 else { return globs.first?.matches(candidate) ?? false }
        let bytes = Array(candidate.utf8)[...]
        return globs.contains { $0.matches(bytes: bytes) }
    }

    /// A text that the pattern matches, where one of its alternatives is a plain word.
    package var word: String? {
        globs.first { !$0.description.utf8.contains(where: "*?[\\".utf8.contains) }?.description
    }

    /// Parts a pattern at each `|` that stands neither behind a backslash nor in a set.
    private static func alternatives(_ text: String.UTF8View) -> [String] {
        var alternatives: [String] = []
        var current: [UInt8] = []
        var setStart: Int?
        var isEscaped = false
        for byte in text {
            if let start = setStart {
                // A bracket that comes first, or first behind the negation, is one of the set.
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

/// Says why a text is no pattern.
package struct HookPatternError: Error, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    package let message: String

    package var description: String { message }
}
