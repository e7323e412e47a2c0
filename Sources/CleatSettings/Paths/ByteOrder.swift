/// Compares texts by the bytes of their UTF-8, without Unicode normalisation.
///
/// `String`'s own comparison treats canonically equivalent texts as equal. Settings must not, since their order and
/// identity are those of the stored bytes.
package enum ByteOrder {
    /// Returns true if two texts have the same bytes.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return unsafe withBytes(left, right) { left, right in
            unsafe commonPrefix(left, right) == left.count
        } ?? left.utf8.elementsEqual(right.utf8)
    }

    static func precedes(_ left: String, _ right: String) -> Bool {
        unsafe withBytes(left, right) { left, right in
            unsafe precedes(left, right)
        } ?? left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    static func areEqual(_ left: String, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.utf8.count == right.count else { return false }
        return unsafe left.utf8.withContiguousStorageIfAvailable { left in
            unsafe commonPrefix(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) == left.count
        } ?? left.utf8.elementsEqual(right)
    }

    static func precedes(_ left: String, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe left.utf8.withContiguousStorageIfAvailable { left in
            unsafe precedes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        } ?? left.utf8.lexicographicallyPrecedes(right)
    }

    private static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        let place = unsafe commonPrefix(left, right)
        if place == right.count { return false }
        if place == left.count { return true }
        return unsafe left[place] < right[place]
    }

    /// Returns true if the bytes of a text begin with those of another one.
    package static func starts(_ text: String, with prefix: String) -> Bool {
        guard text.utf8.count >= prefix.utf8.count else { return false }
        return unsafe withBytes(text, prefix) { text, prefix in
            unsafe commonPrefix(text, prefix) == prefix.count
        } ?? text.utf8.starts(with: prefix.utf8)
    }

    /// Returns the length of the common prefix in bytes, compared eight at a time: neighbouring paths share most.
    private static func commonPrefix(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        var place = 0
        while place &+ 8 <= count {
            let mine = unsafe left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let theirs = unsafe right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if mine != theirs { break }
            place &+= 8
        }
        while place < count, unsafe left[place] == right[place] { place &+= 1 }
        return place
    }

    /// Passes the bytes of two texts to a closure; returns nil if one of them is not contiguous in memory.
    private static func withBytes(
        _ left: String, _ right: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> Bool? {
        let result: Bool?? = unsafe left.utf8.withContiguousStorageIfAvailable { left in
            unsafe right.utf8.withContiguousStorageIfAvailable { right in
                unsafe body(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
        return result ?? nil
    }
}

/// Classes of ASCII bytes, as the grammars of the RFCs name them.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte)
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
