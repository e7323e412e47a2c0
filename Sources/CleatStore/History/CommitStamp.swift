import CleatIO

/// The time of a commit, in a form that can be corrected later for boards that start in 1970.
package struct CommitStamp: Sendable, Equatable {
    /// The wall time, in milliseconds since 1970.
    package var time: Int64
    /// The id of the boot.
    package var bootID: String
    /// CLOCK_BOOTTIME, in milliseconds.
    package var bootTime: Int64
    /// True if the wall clock was synchronised.
    package var synchronised: Bool

    /// Creates a stamp from four readings.
    package init(time: Int64, bootID: String, bootTime: Int64, synchronised: Bool) {
        self.time = time
        self.bootID = bootID
        self.bootTime = bootTime
        self.synchronised = synchronised
    }
}

extension CommitStamp {
    /// Reads the clocks.
    package static func now() -> CommitStamp {
        CommitStamp(
            time: WallTime.now().milliseconds, bootID: BootID.current().text,
            bootTime: BootTime.now().milliseconds, synchronised: WallTime.clockSynchronised)
    }
}
