package import CleatJSON
import SystemPackage

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

/// The reason why the service's own configuration is not in force.
struct ConfigurationProblem: Sendable {
    /// The position in the file; nil if the file could not be read.
    var position: JSONPosition?
    /// The problem.
    var message: String

    /// Returns the problem as one sentence; without a position the message names the file itself.
    func text(in file: FilePath) -> String {
        position.map { "\(file): \($0): \(message)" } ?? message
    }
}
