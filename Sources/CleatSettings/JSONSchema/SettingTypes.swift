import CleatJSON

/// The JSON types that a setting may have; the empty set means any.
package struct SettingTypes: OptionSet, Hashable, Sendable {
    /// One bit for each type.
    package let rawValue: UInt8

    /// Makes a set from its bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// True or false.
    package static let boolean = SettingTypes(rawValue: 1)
    /// A whole number that fits 64 bits, including 1.0.
    package static let integer = SettingTypes(rawValue: 2)
    /// Any number.
    package static let number = SettingTypes(rawValue: 4)
    /// A string.
    package static let string = SettingTypes(rawValue: 8)
    /// A list, which is one leaf.
    package static let array = SettingTypes(rawValue: 16)
    /// A group of settings, or an object inside a list.
    package static let object = SettingTypes(rawValue: 32)
    /// Null, which is never stored but may be in a list.
    package static let null = SettingTypes(rawValue: 64)

    /// True if a value of these types is never a scalar: a list, a group or null.
    package var areContainers: Bool { rawValue != 0 && rawValue & 0b1111 == 0 }

    static let named: [(name: String, type: SettingTypes)] = [
        ("boolean", .boolean), ("integer", .integer), ("number", .number), ("string", .string), ("array", .array),
        ("object", .object), ("null", .null),
    ]

    /// The names in JSON Schema, in fixed order.
    package var names: [String] {
        Self.named.filter { contains($0.type) }.map(\.name)
    }

    /// Returns true if a value has one of these types.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - beyond64Bits: true if whole numbers that do not fit 64 bits count as integers, as in JSON Schema.
    /// - Returns: true if one of the types fits.
    func admits(_ value: JSONValue, beyond64Bits: Bool) -> Bool {
        switch value {
        case .null: contains(.null)
        case .bool: contains(.boolean)
        case .integer: contains(.integer) || contains(.number)
        case .number(let number):
            contains(.number)
                || contains(.integer) && (value.integerValue != nil || beyond64Bits && number.magnitude >= 0x1p63)
        case .string: contains(.string)
        case .array: contains(.array)
        case .object: contains(.object)
        }
    }

    /// The types as the end of a sentence: `a string or an integer`.
    var sentence: String {
        names.map { $0.first.map("aeio".contains) == true ? "an \($0)" : "a \($0)" }.joined(separator: " or ")
    }
}
