/// One `path=value` argument.
struct Assignment: Hashable, Sendable {
    let path: String
    let text: String

    /// Creates an assignment from its parts.
    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// Splits an argument at its first equals sign; nil if there is none or the path is empty.
    init?(_ argument: String) {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")), equals != argument.startIndex else {
            return nil
        }
        path = String(argument[..<equals])
        text = String(argument[argument.utf8.index(after: equals)...])
    }
}
