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

    /// Returns the properties of an event from `NAME=VALUE` arguments.
    ///
    /// - Throws: a usage error for an argument of another form, and for a name that is given twice.
    static func properties(_ arguments: [String]) throws(CommandError) -> [String: String] {
        var properties: [String: String] = [:]
        for argument in arguments {
            guard let pair = Assignment(argument) else {
                throw .usage(
                    "--property \(argument) is not of the form name=value", remedy: "write --property NAME=VALUE")
            }
            guard properties.updateValue(pair.text, forKey: pair.path) == nil else {
                throw .usage("--property \(pair.path) is given twice", remedy: "give each property once")
            }
        }
        return properties
    }
}
