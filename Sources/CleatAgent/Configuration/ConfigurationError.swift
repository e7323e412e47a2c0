package import CleatJSON

/// The reason why a configuration file was refused, with the position in it.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The position in the file, or nil if the file could not be read at all.
    package let position: JSONPosition?
    /// The problem, and what is expected instead.
    package let message: String

    package var description: String {
        position.map { "\($0): \(message)" } ?? message
    }
}
