/// One node of a parsed pattern.
indirect enum PatternNode: Sendable {
    case empty
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case assertion(Assertion)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// A repeated node; `maximum` is nil if there is no upper bound.
    case repeated(PatternNode, minimum: Int, maximum: Int?, column: Int)

    enum Assertion: UInt8, Sendable {
        case start, end, wordBoundary, notWordBoundary
    }
}
