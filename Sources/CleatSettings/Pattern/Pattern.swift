/// Matches texts against a regular expression in time linear in the size of the pattern times that of the text.
///
/// The supported subset of ECMA-262 (with the `u` flag, as JSON Schema 2020-12 recommends) needs no backtracking:
/// literals, `.`, classes, `\d \w \s` and their negations, Unicode properties (`\p{…}`), groups, alternation, `* + ?
/// {n,m}`, `^ $`, `\b \B` and escapes. The initializer refuses back references, look-around and inline flags.
///
/// A pattern is not anchored: it matches a text if it matches anywhere in it.
package struct Pattern: Hashable, Sendable, CustomStringConvertible {
    /// The most Unicode scalars that a pattern may have.
    package static let maximumLength = 4096
    /// The most instructions that a pattern may have once its `{n,m}` are expanded.
    package static let maximumInstructions = 10_000
    /// The most levels of nested groups.
    package static let maximumDepth = 100

    /// The pattern as written.
    package let text: String
    let program: PatternProgram

    /// Compiles a pattern.
    ///
    /// - Parameter text: the regular expression.
    /// - Throws: the fault and its column.
    package init(_ text: String) throws(PatternError) {
        var parser = PatternParser(text)
        let root = try parser.parse()
        var compiler = PatternCompiler()
        program = try compiler.compile(root)
        self.text = text
    }

    /// The instructions and ranges of characters that the pattern was compiled to.
    var size: Int { program.instructions.count + program.sets.reduce(0) { $0 + $1.ranges.count } }

    /// The most steps of one match if the caller gives no other limit.
    static let standardSteps = 50_000_000

    /// Returns true if the pattern matches anywhere in a text; false if that takes more than fifty million steps.
    package func matches(_ text: String) -> Bool {
        var steps = 0
        return program.matches(text, steps: &steps, limit: Self.standardSteps) ?? false
    }

    /// Searches a text for a match, and adds up the work.
    ///
    /// - Parameters:
    ///   - text: the text to search.
    ///   - steps: grows by about one for each visit of an instruction.
    ///   - limit: the number of steps at which the search ends without a result.
    /// - Returns: true if there is a match; nil if the limit was reached before that was known.
    func matches(_ text: String, steps: inout Int, limit: Int = .max) -> Bool? {
        program.matches(text, steps: &steps, limit: limit)
    }

    /// Returns true if a text follows the grammar of ECMA-262 patterns, supported here or not.
    static func isSyntax(_ text: String) -> Bool {
        var parser = PatternParser(text, isLenient: true)
        do {
            _ = try parser.parse()
            return true
        } catch {
            return error.code != .syntax && error.code != .unsupported
        }
    }

    /// The pattern as written.
    package var description: String { text }

    /// Compares two patterns by their texts.
    package static func == (left: Pattern, right: Pattern) -> Bool {
        ByteOrder.areEqual(left.text, right.text)
    }

    /// Feeds the text to a hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
