internal import CleatJSON

/// Converts the value of a setting to the form that the kernel accepts.
enum KernelValue {
    /// Returns a whole number in decimal, a Boolean as 1 or 0, and a text unchanged.
    ///
    /// It returns nil for other values, and for a text with a control character, as a line feed would start another
    /// line of a file.
    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .bool(let isOn): isOn ? "1" : "0"
        case .string(let text): text.utf8.contains { $0 < 0x20 || $0 == 0x7f } ? nil : text
        default: value.integerValue.map { String($0) }
        }
    }

    /// Returns true if a relative path has no empty, `.` or `..` names.
    static func isPlain(_ path: some StringProtocol) -> Bool {
        !path.isEmpty
            && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
    }
}
