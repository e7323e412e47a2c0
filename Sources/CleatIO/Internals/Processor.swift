#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The processor that the calling thread runs on.
package enum Processor {
    /// Lets threads run first that wait for this processor: for long work between whose steps a short answer to someone
    /// else may be due. `sched_yield(2)`
    package static func yield() { _ = sched_yield() }
}
