internal import CLinux

/// The properties of a file that change with its content, so that a file that was read before need not be read again.
package struct FileStamp: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64
    /// The size in bytes.
    package let size: Int64
    private let modified: Int64
    private let changed: Int64

    /// The milliseconds within which a file can be written twice with the same times.
    ///
    /// Some file systems count seconds, or two of them. One that has counted a fraction of a second counts hundredths at
    /// least: the kernel's own clock advances at each tick. `current_time`, `ktime_get_coarse_real_ts64`
    private var granularity: Int64 { changed % 1_000_000_000 == 0 ? 2_000 : 100 }

    /// Creates a stamp from the properties of a file; the times in nanoseconds since 1970.
    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        (self.device, self.inode, self.size) = (device, inode, size)
        (self.modified, self.changed) = (modified, changed)
    }

    /// Reads the stamp of a file; nil if there is none. `stat(2)`
    package init?(_ path: String) {
        var stamp = clinux_stamp()
        guard unsafe path.withCString({ unsafe clinux_file_stamp($0, &stamp) }) == 0 else { return nil }
        self.init(
            device: stamp.device, inode: stamp.inode, size: stamp.size, modified: stamp.modified,
            changed: stamp.changed)
    }

    /// The parts that a write of the file changes, and a change of its owner does not: the device, the inode, the size
    /// in bytes, and the time of the last write in nanoseconds since 1970.
    package var ofContent: [Int64] {
        [Int64(bitPattern: device), Int64(bitPattern: inode), size, modified]
    }

    /// Returns true if a later write of the file has another stamp.
    ///
    /// A time in the future, of a clock that was set back, could come once more.
    ///
    /// - Parameter now: The present time in milliseconds since 1970.
    /// - Returns: True if the last write was long enough ago.
    package func isSettled(at now: Int64) -> Bool { max(modified, changed) / 1_000_000 < now - granularity }
}
