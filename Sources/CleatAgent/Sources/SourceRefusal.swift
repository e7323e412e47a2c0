import CleatIO
import CleatJSON
import CleatSettings
import CleatTemplates
import SystemPackage

/// The reason why a file is refused: all its problems, each with its position if one is known.
struct SourceRefusal: Error {
    /// One problem.
    struct Problem {
        /// The position in the file.
        var position: JSONPosition?
        /// The problem, and what is expected instead.
        var message: String
    }

    /// The problems, never empty.
    var problems: [Problem]
    /// True if the file does not exist any more.
    var isMissing = false

    init(_ message: String, at position: JSONPosition? = nil) {
        problems = [Problem(position: position, message: message)]
    }

    /// Converts the errors of a schema into problems that name the keyword.
    init(_ errors: SchemaErrors) {
        problems = errors.problems.map { error in
            var message = error.message
            if let keyword = error.keyword, !message.utf8Contains("“\(keyword)”") {
                message = "“\(keyword)”: \(message)"
            }
            return Problem(position: error.position, message: message)
        }
    }

    /// Converts the errors in the rules of a schema into problems.
    init(_ errors: ApplyErrors) {
        problems = errors.problems.map { Problem(position: $0.position, message: $0.message) }
    }

    init(_ error: ConfigurationError) {
        problems = [Problem(position: error.position, message: error.message)]
    }

    init(_ error: JSONError) {
        problems = [Problem(position: error.position, message: error.message)]
    }

    /// Creates the refusal of an untrusted or unreadable file.
    init(_ error: TrustError, of file: String) {
        self.init(error.path == file ? error.reason : error.description)
        isMissing = error.errno == .noSuchFileOrDirectory
    }
}

extension String {
    /// Returns true if the bytes of another text are in this one.
    fileprivate func utf8Contains(_ other: String) -> Bool {
        let other = Array(other.utf8)
        let bytes = Array(utf8)
        guard bytes.count >= other.count else { return false }
        return (0...(bytes.count - other.count)).contains { bytes[$0..<($0 + other.count)].elementsEqual(other) }
    }
}
