internal import CLinux

/// A kind of resource that can be limited.
package struct LimitedResource: RawRepresentable, Sendable, Hashable {
    /// The kernel's number (`RLIMIT_*`).
    package let rawValue: Int32

    /// Makes a resource from the kernel's number.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Processor time in seconds.
    package static var processorTime: LimitedResource { LimitedResource(rawValue: clinux_limit_cpu()) }
    /// The size of a core file in bytes.
    package static var coreSize: LimitedResource { LimitedResource(rawValue: clinux_limit_core()) }
    /// The size of a file in bytes.
    package static var fileSize: LimitedResource { LimitedResource(rawValue: clinux_limit_fsize()) }
    /// The number of open descriptors.
    package static var openFiles: LimitedResource { LimitedResource(rawValue: clinux_limit_nofile()) }
    /// The address space in bytes.
    package static var addressSpace: LimitedResource { LimitedResource(rawValue: clinux_limit_as()) }
    /// The number of the user's processes.
    package static var processes: LimitedResource { LimitedResource(rawValue: clinux_limit_nproc()) }
}
