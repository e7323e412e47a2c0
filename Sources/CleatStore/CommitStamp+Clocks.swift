import CleatIO

extension CommitStamp {
    /// Reads the clocks.
    package static func now() -> CommitStamp {
        CommitStamp(
            time: WallTime.now().milliseconds, bootID: BootID.current().text,
            bootTime: BootTime.now().milliseconds, synchronised: WallTime.clockSynchronised)
    }
}
