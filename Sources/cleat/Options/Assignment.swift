/// One `path=value` of the command line.
struct Assignment: Hashable, Sendable {
    let path: String
    let text: String

    /// Takes what was given apart.
    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// Splits at the first equals sign; nil where there is none or nothing stands before it.
    init?(_ argument: String) {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")), equals != argument.startIndex else {
            return nil
        }
        path = String(argument[..<equals])
        text = String(argument[argument.utf8.index(after: equals)...])
    }
}
