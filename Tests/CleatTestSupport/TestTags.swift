package import Testing

extension Tag {
    /// Tests that a kernel, a libc or a processor can change: they run on this machine and on a board.
    ///
    /// Tests without it are about values and texts, which are the same on every machine, and run on this machine only.
    @Tag package static var board: Self

    /// Tests in a suite with the tag ``board`` whose result is the same on every machine, and which take long on a board: only
    /// `make matrix` runs them there.
    @Tag package static var anyMachine: Self

    /// Tests of faults that were found in use, each of which failed before the repair.
    @Tag package static var fault: Self
}
