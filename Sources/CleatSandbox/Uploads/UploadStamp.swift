package import CleatIO

/// Says when an upload was last touched, by every clock there is, so that its age can be told whatever the clocks do.
///
/// A board's wall clock may start in 1970 and jump by decades when the network comes up: taken alone, it would have an
/// upload of a minute ago look old. CLOCK_BOOTTIME does not jump, but begins anew at each start. So within one boot it
/// alone counts. Across boots the wall clock counts only where it was synchronised at both ends, and otherwise just the
/// time since this boot began, which is less than the age can be. An upload may thus outlive its time, and never expires
/// before it.
package struct UploadStamp: Sendable, Hashable {
    /// The boot that it was in.
    package var boot: BootID
    /// CLOCK_BOOTTIME in milliseconds.
    package var bootTime: Int64
    /// Milliseconds since 1970 by the wall clock.
    package var wallTime: Int64
    /// Whether something kept the wall clock right.
    package var isSynchronised: Bool

    /// Takes all of it.
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

    /// How many milliseconds ago this was, as far as is certain; never less than 0.
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
