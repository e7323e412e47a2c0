/// The deadline of a trial: an instant of one boot, which no change of the wall clock moves.
package struct TrialDeadline: Sendable, Hashable {
    /// The id of the boot; in another boot the trial is over.
    package var bootID: String
    /// CLOCK_BOOTTIME, in milliseconds.
    package var bootTime: Int64

    /// Creates a deadline from a boot and an instant.
    package init(bootID: String, bootTime: Int64) {
        self.bootID = bootID
        self.bootTime = bootTime
    }
}
