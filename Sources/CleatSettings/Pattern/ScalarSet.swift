import CleatOrder

/// A set of Unicode scalars as ranges and properties, or the complement of one.
struct ScalarSet: Sendable {
    var ranges: [ClosedRange<UInt32>]
    /// Alternatives to the ranges: properties that a scalar must have, or must not have.
    var properties: [(property: ScalarProperty, negated: Bool)] = []
    var negated = false

    init(ranges: [ClosedRange<UInt32>], negated: Bool = false) {
        self.ranges = ranges
        self.negated = negated
    }

    init(_ property: ScalarProperty, negated: Bool) {
        ranges = []
        properties = [(property, negated)]
    }

    func contains(_ value: UInt32) -> Bool {
        for range in ranges where range.contains(value) {
            return !negated
        }
        if !properties.isEmpty, let scalar = Unicode.Scalar(value) {
            for (property, isMissing) in properties where property.holds(for: scalar) != isMissing {
                return !negated
            }
        }
        return negated
    }

    /// Adds the ranges and properties of another set.
    mutating func formUnion(_ other: ScalarSet) {
        ranges += other.positiveRanges
        properties += other.properties
    }

    /// The work that one lookup in the set takes.
    var cost: Int { 1 + (ranges.count + properties.count * 4) / 4 }

    /// The ranges that the set contains; for a complement without properties, those between its own ranges.
    private var positiveRanges: [ClosedRange<UInt32>] {
        guard negated else { return ranges }
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.ordered(by: { $0.lowerBound < $1.lowerBound }) {
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
    /// The set of `.`: all scalars except line terminators.
    static let dot = ScalarSet(ranges: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029], negated: true)

    var inverted: ScalarSet { ScalarSet(ranges: ranges, negated: !negated) }
}
