package import CleatJSON

/// Why a configuration file was refused, and where in it.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The place in the file, or nil where it could not be read at all.
    package let position: JSONPosition?
    /// What is wrong, and what would be right.
    package let message: String

    package var description: String {
        position.map { "\($0): \(message)" } ?? message
    }
}
