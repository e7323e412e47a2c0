/// An instant on CLOCK_BOOTTIME: nanoseconds since boot, suspensions included.
package struct BootTime: Sendable, Hashable, Comparable, Codable {
    /// Nanoseconds since boot.
    package var nanoseconds: Int64

    /// Makes an instant from nanoseconds.
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Makes an instant from milliseconds, the unit in which times are stored and sent.
    package init(milliseconds: Int64) {
        let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
    }

    /// Reads an instant from integer milliseconds.
    package init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes the instant as integer milliseconds.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    /// Reads the clock. `clock_gettime(2)`
    package static func now() -> BootTime { BootTime(nanoseconds: Kernel.bootNanoseconds) }

    /// Whole milliseconds since boot.
    package var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Returns the instant that is `duration` later, clamped to the range of 64 bits.
    package func advanced(by duration: Duration) -> BootTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return BootTime(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// Returns the time from another instant to this one.
    package func duration(since other: BootTime) -> Duration { .nanoseconds(nanoseconds &- other.nanoseconds) }

    /// Orders instants by time.
    package static func < (left: BootTime, right: BootTime) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of 64 bits.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in whole milliseconds, clamped to the range of 64 bits.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}

/// The kernel's identifier of the current boot.
package struct BootID: Sendable, Hashable, CustomStringConvertible {
    /// The identifier in the kernel's format, 36 characters; `unknown` if it cannot be read.
    package let text: String

    /// Makes an identifier from its text.
    package init(_ text: String) { self.text = text }

    /// Reads the identifier of this boot. `/proc/sys/kernel/random/boot_id`
    package static func current() -> BootID {
        let text = (try? SmallFile.text("/proc/sys/kernel/random/boot_id", limit: 64)) ?? ""
        let trimmed = text.prefix { $0 != "\n" }
        return BootID(trimmed.isEmpty ? "unknown" : String(trimmed))
    }

    /// The text.
    package var description: String { text }
}
