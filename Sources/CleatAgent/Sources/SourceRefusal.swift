import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import SystemPackage

/// Why a file is refused: all that is wrong with it, each with its place where one is known.
struct SourceRefusal: Error {
    /// One thing that is wrong.
    struct Problem {
        /// The place in the file.
        var position: JSONPosition?
        /// What is wrong, and what would be right.
        var message: String
    }

    /// What is wrong, never empty.
    var problems: [Problem]
    /// Whether there is no such file any more.
    var isMissing = false

    init(_ message: String, at position: JSONPosition? = nil) {
        problems = [Problem(position: position, message: message)]
    }

    /// Puts what is wrong with a schema into words that name the keyword.
    init(_ errors: SchemaErrors) {
        problems = errors.problems.map { error in
            var message = error.message
            if let keyword = error.keyword, !message.utf8Contains("“\(keyword)”") {
                message = "“\(keyword)”: \(message)"
            }
            return Problem(position: error.position, message: message)
        }
    }

    /// Says what is wrong with the rules of a schema.
    init(_ errors: ApplyErrors) {
        problems = errors.problems.map { Problem(position: $0.position, message: $0.message) }
    }

    init(_ error: ConfigurationError) {
        problems = [Problem(position: error.position, message: error.message)]
    }

    init(_ error: JSONError) {
        problems = [Problem(position: error.position, message: error.message)]
    }

    /// Says why a file is not believed.
    init(_ error: TrustError, of file: String) {
        self.init(error.path == file ? error.reason : error.description)
        isMissing = error.errno == .noSuchFileOrDirectory
    }
}

extension String {
    /// Whether the bytes of another text stand in this one.
    fileprivate func utf8Contains(_ other: String) -> Bool {
        let other = Array(other.utf8)
        let bytes = Array(utf8)
        guard bytes.count >= other.count else { return false }
        return (0...(bytes.count - other.count)).contains { bytes[$0..<($0 + other.count)].elementsEqual(other) }
    }
}
