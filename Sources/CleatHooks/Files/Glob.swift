/// Matches text against a shell pattern that knows nothing of paths.
///
/// `*` stands for any text, `/` included, `?` for one character, `[a-z]` for one of a set, `[!a-z]` for one outside it,
/// `\` takes the next character as it is, and `|` parts alternatives, as in udev's rules. Matching takes time linear in
/// pattern × text.
package struct Glob: Sendable, Hashable, CustomStringConvertible {
    /// The largest number of bytes in a pattern.
    package static let byteLimit = 1024

    /// The pattern as it was written.
    package let text: String

    private let alternatives: [[Element]]

    private enum Element: Sendable, Hashable {
        case scalar(Unicode.Scalar)
        case one
        case many
        case set([ClosedRange<Unicode.Scalar>], negated: Bool)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .scalar(let expected): expected == scalar
            case .one, .many: true
            case .set(let ranges, let negated): ranges.contains { $0.contains(scalar) } != negated
            }
        }
    }

    /// Reads a pattern.
    package init(_ text: String) throws(GlobError) {
        guard text.utf8.count <= Glob.byteLimit else {
            throw GlobError(message: "the pattern has more than \(Glob.byteLimit) bytes; shorten it")
        }
        var alternatives: [[Element]] = []
        var elements: [Element] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "|":
                alternatives.append(elements)
                elements = []
            case "*":
                if elements.last != .many { elements.append(.many) }
            case "?":
                elements.append(.one)
            case "[":
                elements.append(try Glob.readSet(&rest))
            case "\\":
                guard let next = rest.popFirst() else {
                    throw GlobError(message: "the pattern ends in a lone \\; write \\\\ for a backslash")
                }
                elements.append(.scalar(next))
            default:
                elements.append(.scalar(scalar))
            }
        }
        alternatives.append(elements)
        self.text = text
        self.alternatives = alternatives
    }

    package var description: String { text }

    /// Tells whether the pattern covers the whole text.
    package func matches(_ candidate: String) -> Bool {
        alternatives.contains { Glob.matches($0, candidate.unicodeScalars) }
    }

    /// Reads what follows `[`, up to and with the closing bracket.
    private static func readSet(_ rest: inout Substring.UnicodeScalarView) throws(GlobError) -> Element {
        var negated = false
        if rest.first == "!" || rest.first == "^" {
            negated = true
            rest.removeFirst()
        }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var isFirst = true
        while let next = rest.popFirst() {
            if next == "]", !isFirst { return .set(ranges, negated: negated) }
            isFirst = false
            let low = next == "\\" ? rest.popFirst() ?? next : next
            guard rest.first == "-", let after = rest.dropFirst().first, after != "]" else {
                ranges.append(low...low)
                continue
            }
            rest.removeFirst(2)
            let high = after == "\\" ? rest.popFirst() ?? after : after
            guard low <= high else {
                throw GlobError(message: "the range \(low)-\(high) in the pattern runs backwards; write \(high)-\(low)")
            }
            ranges.append(low...high)
        }
        throw GlobError(message: "the pattern has a [ without its ]; close it, or write \\[ for a bracket")
    }

    /// Walks pattern and text together; after a mismatch only the last `*` takes one character more.
    private static func matches(_ pattern: [Element], _ text: String.UnicodeScalarView) -> Bool {
        var position = 0
        var index = text.startIndex
        var retry: (position: Int, index: String.UnicodeScalarView.Index)?
        while index < text.endIndex {
            if position < pattern.count, pattern[position] == .many {
                position += 1
                if position == pattern.count { return true }
                retry = (position, index)
            } else if position < pattern.count, pattern[position].matches(text[index]) {
                position += 1
                index = text.index(after: index)
            } else if let (after, from) = retry {
                let next = text.index(after: from)
                retry = (after, next)
                position = after
                index = next
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == .many }
    }
}

/// Says why a text is no pattern.
package struct GlobError: Error, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    package let message: String

    package var description: String { message }
}
