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
