/// The result of one check of a probe.
package struct ProbeOutcome: Sendable, Hashable {
    /// True if the probe holds.
    package var holds: Bool
    /// The finding, as half a sentence.
    package var message: String

    /// True if the check is impossible on this board: the link does not exist, or the kernel allows no ICMP socket.
    package var isImpossible: Bool

    /// Creates a result.
    package init(holds: Bool, _ message: String, isImpossible: Bool = false) {
        self.holds = holds
        self.message = message
        self.isImpossible = isImpossible
    }
}
