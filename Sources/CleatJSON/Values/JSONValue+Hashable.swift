extension JSONValue: Hashable {
    /// Returns true if two values have the same meaning.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
            number.exactInteger == integer
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the value so that equal values have equal hashes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value ? 2 as UInt8 : 1 as UInt8)
        case .integer(let value):
            hasher.combine(3 as UInt8)
            hasher.combine(value)
        case .number(let value):
            if let integer = value.exactInteger {
                hasher.combine(3 as UInt8)
                hasher.combine(integer)
            } else {
                hasher.combine(4 as UInt8)
                hasher.combine(value)
            }
        case .string(let value):
            hasher.combine(5 as UInt8)
            value.hashBytes(into: &hasher)
        case .array(let values):
            hasher.combine(6 as UInt8)
            hasher.combine(values)
        case .object(let object):
            hasher.combine(7 as UInt8)
            object.hash(into: &hasher)
        }
    }
}

extension String {
    /// Returns true if two strings have the same UTF-8 bytes.
    package func hasSameBytes(as other: String) -> Bool {
        let left = utf8
        let right = other.utf8
        guard left.count == right.count else { return false }
        let same = unsafe left.withContiguousStorageIfAvailable { left in
            unsafe right.withContiguousStorageIfAvailable { right in
                unsafe Self.areEqual(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
        return (same ?? nil) ?? left.elementsEqual(right)
    }

    /// Compares two texts of the same length, eight bytes at a time.
    private static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place &+ 8 <= left.count {
            let mine = unsafe left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let theirs = unsafe right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if mine != theirs { return false }
            place &+= 8
        }
        while place < left.count {
            if unsafe left[place] != right[place] { return false }
            place &+= 1
        }
        return true
    }

    /// Hashes the string's UTF-8 bytes, with an end mark.
    package func hashBytes(into hasher: inout Hasher) {
        let done: Void? = unsafe utf8.withContiguousStorageIfAvailable {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if done == nil {
            for byte in utf8 { hasher.combine(byte) }
        }
        hasher.combine(0xff as UInt8)
    }

    /// Returns true if the string's UTF-8 bytes sort before another's.
    func hasLowerBytes(than other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension Double {
    /// The double as an integer; nil if it is not a whole number within 64 bits.
    ///
    /// The conversion needs no function of the C library.
    var exactInteger: Int64? {
        guard self >= -0x1p63, self < 0x1p63 else { return nil }
        let integer = Int64(self)
        return Double(integer) == self ? integer : nil
    }
}
