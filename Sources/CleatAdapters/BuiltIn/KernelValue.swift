internal import CleatJSON

/// Writes the value of a setting as the kernel takes it.
enum KernelValue {
    /// A whole number in decimal, true and false as 1 and 0, a text as it is; nil for what is no value of the kernel's: a
    /// text with a control character, of which a line feed would begin another line of a file.
    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .bool(let isOn): isOn ? "1" : "0"
        case .string(let text): text.utf8.contains { $0 < 0x20 || $0 == 0x7f } ? nil : text
        default: value.integerValue.map { String($0) }
        }
    }

    /// Whether a relative path has only plain names.
    static func isPlain(_ path: some StringProtocol) -> Bool {
        !path.isEmpty
            && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
    }
}
