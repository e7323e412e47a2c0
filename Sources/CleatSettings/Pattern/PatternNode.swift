/// One node of a parsed pattern.
indirect enum PatternNode: Sendable {
    case empty
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case assertion(Assertion)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// `maximum` is nil where there is none.
    case repeated(PatternNode, minimum: Int, maximum: Int?, column: Int)

    enum Assertion: UInt8, Sendable {
        case start, end, wordBoundary, notWordBoundary
    }
}

/// A set of Unicode scalars as ranges, or the complement of one.
struct ScalarSet: Sendable {
    var ranges: [ClosedRange<UInt32>]
    var negated = false

    func contains(_ value: UInt32) -> Bool {
        for range in ranges where range.contains(value) {
            return !negated
        }
        return negated
    }

    /// The complement as ranges, so that it can be united with others.
    var positiveRanges: [ClosedRange<UInt32>] {
        guard negated else { return ranges }
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next {
                result.append(next...(range.lowerBound - 1))
            }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10FFFF {
            result.append(next...0x10FFFF)
        }
        return result
    }

    static let digits = ScalarSet(ranges: [0x30...0x39])
    static let words = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let spaces = ScalarSet(ranges: [
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    /// What `.` stands for: anything but a line terminator.
    static let dot = ScalarSet(ranges: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029], negated: true)

    var inverted: ScalarSet { ScalarSet(ranges: ranges, negated: !negated) }
}
