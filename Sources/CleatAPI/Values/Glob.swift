/// A shell pattern that is matched against a whole text, byte by byte: `*` (any bytes, slashes too), `?` (one
/// character), `[a-z]` and `[!a-z]` or `[^a-z]` (one byte inside or outside a set), `\` (the next byte, literally).
///
/// Matching takes at most pattern × text steps. See glob(7); its rule about leading dots and slashes does not apply.
package struct Glob: Sendable, Equatable, CustomStringConvertible {
    /// The longest pattern in bytes.
    package static let limit = 1_024

    private enum Step: Sendable, Equatable {
        case byte(UInt8)
        case anyCharacter
        case set(negated: Bool, [ClosedRange<UInt8>])
        case anything
    }

    /// The pattern as it was written.
    package let description: String
    private let steps: [Step]

    /// Reads a pattern; nil if it is too long, a set or an escape is not closed, or a range is reversed.
    package init?(_ pattern: String) {
        let bytes = Array(pattern.utf8)
        guard bytes.count <= Self.limit else { return nil }
        var steps: [Step] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "*"):
                if steps.last != .anything { steps.append(.anything) }
            case UInt8(ascii: "?"): steps.append(.anyCharacter)
            case UInt8(ascii: "\\"):
                guard index < bytes.count else { return nil }
                steps.append(.byte(bytes[index]))
                index += 1
            case UInt8(ascii: "["):
                guard let (set, end) = Self.set(bytes, from: index) else { return nil }
                steps.append(set)
                index = end
            default: steps.append(.byte(byte))
            }
        }
        description = pattern
        self.steps = steps
    }

    private static func set(_ bytes: [UInt8], from start: Int) -> (Step, end: Int)? {
        var index = start
        var negated = false
        if index < bytes.count, bytes[index] == UInt8(ascii: "!") || bytes[index] == UInt8(ascii: "^") {
            negated = true
            index += 1
        }
        var ranges: [ClosedRange<UInt8>] = []
        let first = index
        while index < bytes.count {
            let low = bytes[index]
            if low == UInt8(ascii: "]"), index > first { return (.set(negated: negated, ranges), index + 1) }
            if index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "-"), bytes[index + 2] != UInt8(ascii: "]") {
                guard low <= bytes[index + 2] else { return nil }
                ranges.append(low...bytes[index + 2])
                index += 3
            } else {
                ranges.append(low...low)
                index += 1
            }
        }
        return nil
    }

    /// Returns true if the pattern matches the whole text.
    package func matches(_ text: some StringProtocol) -> Bool {
        matches(bytes: Array(text.utf8)[...])
    }

    /// Returns true if the pattern matches all of the bytes.
    package func matches(bytes text: ArraySlice<UInt8>) -> Bool {
        var step = 0
        var position = text.startIndex
        var retryStep: Int?
        var retryPosition = text.startIndex
        while true {
            if step < steps.count {
                if steps[step] == .anything {
                    retryStep = step + 1
                    retryPosition = position
                    step += 1
                    continue
                }
                if let next = advance(steps[step], text, position) {
                    step += 1
                    position = next
                    continue
                }
            } else if position == text.endIndex {
                return true
            }
            guard let retry = retryStep, retryPosition < text.endIndex else { return false }
            retryPosition += 1
            step = retry
            position = retryPosition
        }
    }

    private func advance(_ step: Step, _ text: ArraySlice<UInt8>, _ position: Int) -> Int? {
        guard position < text.endIndex else { return nil }
        let byte = text[position]
        switch step {
        case .byte(let wanted): return byte == wanted ? position + 1 : nil
        case .set(let negated, let ranges):
            return ranges.contains { $0.contains(byte) } != negated ? position + 1 : nil
        case .anyCharacter:
            var next = position + 1
            while byte >= 0xc0, next < text.endIndex, text[next] & 0xc0 == 0x80 { next += 1 }
            return next
        case .anything: return nil
        }
    }
}
