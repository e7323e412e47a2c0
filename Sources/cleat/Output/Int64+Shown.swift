extension Int64 {
    /// The number of bytes in binary units: `512 B`, `3 KiB`, `1.5 MiB`.
    var shownBytes: String {
        guard self >= 1024 else { return "\(self) B" }
        guard self >= 1024 * 1024 else { return "\(self / 1024) KiB" }
        for (unit, size) in [("MiB", Int64(1) << 20), ("GiB", 1 << 30)] where self < size * 1024 {
            return Self.tenths(self, of: size) + " " + unit
        }
        return Self.tenths(self, of: 1 << 40) + " TiB"
    }

    private static func tenths(_ bytes: Int64, of size: Int64) -> String {
        let tenths = bytes / size * 10 + bytes % size * 10 / size
        return "\(tenths / 10).\(tenths % 10)"
    }
}
