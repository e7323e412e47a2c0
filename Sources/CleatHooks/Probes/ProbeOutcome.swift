/// Says what one look at a probe has shown.
package struct ProbeOutcome: Sendable, Hashable {
    /// Whether it holds.
    package var holds: Bool
    /// What was seen, as half a sentence.
    package var message: String

    /// Takes what was seen.
    package init(holds: Bool, _ message: String) {
        self.holds = holds
        self.message = message
    }
}
