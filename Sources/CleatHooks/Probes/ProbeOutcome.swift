/// Says what one look at a probe has shown.
package struct ProbeOutcome: Sendable, Hashable {
    /// Whether it holds.
    package var holds: Bool
    /// What was seen, as half a sentence.
    package var message: String

    /// Whether it could not be looked at at all, and never will be as the board is.
    package var isImpossible: Bool

    /// Takes what was seen.
    package init(holds: Bool, _ message: String, isImpossible: Bool = false) {
        self.holds = holds
        self.message = message
        self.isImpossible = isImpossible
    }
}
