package import CleatJSON

/// The kinds of JSON value that a setting may have; none named means any.
package struct SettingTypes: OptionSet, Hashable, Sendable {
    /// One bit a kind.
    package let rawValue: UInt8

    /// Makes a set of its bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// True or false.
    package static let boolean = SettingTypes(rawValue: 1)
    /// A whole number that fits 64 bits; 1.0 is one too.
    package static let integer = SettingTypes(rawValue: 2)
    /// Any number.
    package static let number = SettingTypes(rawValue: 4)
    /// A text.
    package static let string = SettingTypes(rawValue: 8)
    /// A list, which is one leaf.
    package static let array = SettingTypes(rawValue: 16)
    /// A group of settings, or an object inside a list.
    package static let object = SettingTypes(rawValue: 32)

    static let named: [(name: String, type: SettingTypes)] = [
        ("boolean", .boolean), ("integer", .integer), ("number", .number), ("string", .string), ("array", .array),
        ("object", .object),
    ]

    /// The names as JSON Schema has them, in fixed order.
    package var names: [String] {
        Self.named.filter { contains($0.type) }.map(\.name)
    }

    /// Says whether a value is of one of these kinds; null is of none.
    package func accepts(_ value: JSONValue) -> Bool {
        switch value {
        case .null: false
        case .bool: isEmpty || contains(.boolean)
        case .integer: isEmpty || !isDisjoint(with: [.integer, .number])
        case .number: isEmpty || contains(.number) || contains(.integer) && value.integerValue != nil
        case .string: isEmpty || contains(.string)
        case .array: isEmpty || contains(.array)
        case .object: isEmpty || contains(.object)
        }
    }

    /// The kinds as the end of a sentence: `a string or an integer`.
    var sentence: String {
        names.map { $0.first.map("aeio".contains) == true ? "an \($0)" : "a \($0)" }.joined(separator: " or ")
    }
}
