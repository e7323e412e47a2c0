internal import Synchronization

/// Counts what one part of the program writes and flushes, for the wear of the flash.
package final class WriteCounter: Sendable {
    private let byteCount = Atomic<Int64>(0)
    private let flushCount = Atomic<Int64>(0)

    /// Starts at zero.
    package init() {}

    /// The bytes that were written.
    package var bytes: Int64 { byteCount.load(ordering: .relaxed) }
    /// The flushes: fdatasync(2), fsync(2).
    package var flushes: Int64 { flushCount.load(ordering: .relaxed) }

    /// Counts bytes.
    package func add(bytes: Int) { byteCount.wrappingAdd(Int64(bytes), ordering: .relaxed) }

    /// Counts a flush.
    package func addFlush() { flushCount.wrappingAdd(1, ordering: .relaxed) }
}
