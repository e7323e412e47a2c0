/// A comment of an interface description, split into the text for readers and the annotations for the generator.
///
/// An annotation is a line of its own: a key, a colon and a value, as in `# access: write`.
struct Annotations {
    /// The keys of the annotations.
    enum Key: String, CaseIterable {
        /// The side that implements an interface: `programs`, or else the service.
        case by
        /// The class of a method, which decides who may call it: `read`, `write` or `execute`.
        case access
        /// The range of an integer: `0...` or `1...64`.
        case range
        /// An existing Swift type that is used for a declared type, an enumeration or an integer.
        case swift
        /// The module that has the existing Swift type, if it is not that of the generated sources.
        case `import`
        /// The Swift name of a declared type or a member, if it is not derived from the name on the wire.
        case name
        /// The Swift name of the enumeration of a member, if it is not derived from the member's name.
        case `enum`
        /// The default of a member in the initialiser, as a Swift expression.
        case `default`
        /// The Swift type of a method's parameters, for several methods with the same ones.
        case parameters
        /// The Swift type of a method's reply, for several methods with the same one.
        case reply
    }

    /// The lines for readers.
    let prose: String
    private var values: [Key: String] = [:]

    /// Splits a comment.
    ///
    /// - Throws: ``GeneratorError`` for an unknown key, or one that occurs twice.
    init(_ documentation: String, of subject: String) throws(GeneratorError) {
        var prose: [Substring] = []
        for line in documentation.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let (word, value) = Self.pair(line) else {
                prose.append(line)
                continue
            }
            guard let key = Key(rawValue: word) else {
                let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw GeneratorError(subject, "the annotation '\(word)' is not known; the known ones are \(known)")
            }
            guard values.updateValue(value, forKey: key) == nil else {
                throw GeneratorError(subject, "the annotation '\(word)' is there twice")
            }
        }
        self.prose = prose.joined(separator: "\n")
    }

    subscript(key: Key) -> String? { values[key] }

    /// Throws if there is an annotation that the subject cannot have.
    func allow(_ keys: Set<Key>, of subject: String) throws(GeneratorError) {
        if let key = values.keys.first(where: { !keys.contains($0) }) {
            throw GeneratorError(subject, "the annotation '\(key.rawValue)' has no meaning here")
        }
    }

    /// Returns the key and the value of a line; nil if the line is prose.
    static func pair(_ line: Substring) -> (key: String, value: String)? {
        guard let colon = line.firstIndex(of: ":"), line[colon...].hasPrefix(": "), colon > line.startIndex,
            line[..<colon].allSatisfy({ $0.isLowercase && $0.isASCII })
        else { return nil }
        return (String(line[..<colon]), String(line[line.index(colon, offsetBy: 2)...]))
    }
}

/// A mistake in an interface description, with the declaration or the member that has it.
struct GeneratorError: Error, CustomStringConvertible {
    /// The declaration or the member: `Settings.Set`.
    let subject: String
    /// The mistake.
    let message: String

    init(_ subject: String, _ message: String) {
        self.subject = subject
        self.message = message
    }

    var description: String { "\(subject): \(message)" }
}
