/// An order-independent checksum of settings, which detects a damaged one: SQLite has no checksum of its pages.
///
/// Each setting adds the 64-bit FNV-1a hash of its path, a zero byte, and its value.
struct SettingsSum: Equatable {
    /// The sum, modulo 2^64.
    var value: Int64 = 0

    /// Adds a setting.
    mutating func add(_ path: String, _ value: String) { self.value &+= Self.hash(path, value) }

    /// Removes a setting.
    mutating func remove(_ path: String, _ value: String) { self.value &-= Self.hash(path, value) }

    /// Adds the setting of the present row: the path and the value are its first two columns.
    mutating func add(_ row: Statement) throws(SQLiteError) {
        var hash = FNV1a()
        unsafe try row.withText(0) { unsafe hash.update($0) }
        hash.update(CollectionOfOne(0))
        unsafe try row.withText(1) { unsafe hash.update($0) }
        value &+= Int64(bitPattern: hash.value)
    }

    private static func hash(_ path: String, _ value: String) -> Int64 {
        var hash = FNV1a()
        hash.update(path.utf8)
        hash.update(CollectionOfOne(0))
        hash.update(value.utf8)
        return Int64(bitPattern: hash.value)
    }
}

/// A 64-bit FNV-1a hash (https://www.rfc-editor.org/rfc/rfc9923): fast, and sufficient against accidents.
struct FNV1a {
    /// The hash of the bytes added so far.
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds bytes to the hash.
    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// Returns the hash of `bytes`.
    static func hash(of bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = FNV1a()
        hash.update(bytes)
        return hash.value
    }
}
