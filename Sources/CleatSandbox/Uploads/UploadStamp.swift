package import CleatIO

/// The time of an upload's last access on every clock, so that its age can be determined even if a clock jumps.
///
/// A board's wall clock may start in 1970 and jump by decades when the network comes up: by that clock alone, an upload
/// of a minute ago could look old. CLOCK_BOOTTIME does not jump, but restarts at each boot. So within one boot only
/// CLOCK_BOOTTIME counts. Across boots the age is at least the time since this boot; the wall clock counts, too, if it
/// was synchronised at both times. An upload may thus be kept longer than its lifetime, but never expires early.
package struct UploadStamp: Sendable, Equatable {
    /// The boot in which the time was read.
    package var boot: BootID
    /// CLOCK_BOOTTIME in milliseconds.
    package var bootTime: Int64
    /// Milliseconds since 1970 by the wall clock.
    package var wallTime: Int64
    /// True if the wall clock was synchronised.
    package var isSynchronised: Bool

    /// Makes a stamp from its fields.
    package init(boot: BootID, bootTime: Int64, wallTime: Int64, isSynchronised: Bool) {
        self.boot = boot
        self.bootTime = bootTime
        self.wallTime = wallTime
        self.isSynchronised = isSynchronised
    }

    /// Reads the clocks.
    package static func now() -> UploadStamp {
        UploadStamp(
            boot: .current(), bootTime: BootTime.now().milliseconds, wallTime: WallTime.now().milliseconds,
            isSynchronised: WallTime.clockSynchronised)
    }

    /// Returns the certain age of this stamp in milliseconds; never less than 0.
    package func age(at now: UploadStamp) -> Int64 {
        if boot == now.boot { return max(0, Self.difference(now.bootTime, bootTime)) }
        let sinceBoot = max(0, now.bootTime)
        guard isSynchronised, now.isSynchronised else { return sinceBoot }
        return max(sinceBoot, Self.difference(now.wallTime, wallTime))
    }

    private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
        let (difference, overflow) = later.subtractingReportingOverflow(earlier)
        return overflow ? (later < earlier ? .min : .max) : difference
    }
}
