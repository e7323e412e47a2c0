/// Holds a probe that a trial is confirmed by.
package struct StoredProbe: Sendable, Hashable {
    /// The probe as it is written, 1 to `StoreLimits.wordBytes` bytes.
    package var probe: String
    /// Why it did not hold before the change, so that it is not waited for; nil where it did.
    ///
    /// What is beyond `StoreLimits.wordBytes` is left out.
    package var failure: String?

    /// Takes a probe, and why it did not hold.
    package init(_ probe: String, failure: String? = nil) {
        self.probe = probe
        self.failure = failure
    }
}
