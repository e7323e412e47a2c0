/// A probe that must hold for a trial to be confirmed automatically.
package struct StoredProbe: Sendable, Hashable {
    /// The probe's text, 1 to `StoreLimits.wordBytes` bytes.
    package var probe: String
    /// The reason why it did not hold before the change, so that the trial does not wait for it; nil if it did hold.
    ///
    /// It is truncated to `StoreLimits.wordBytes` bytes.
    package var failure: String?

    /// Creates a probe from its text, and the reason why it did not hold.
    package init(_ probe: String, failure: String? = nil) {
        self.probe = probe
        self.failure = failure
    }
}
