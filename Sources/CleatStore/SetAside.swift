/// Says that a file was set aside, under what name, and why.
package struct SetAside: Sendable, Hashable, CustomStringConvertible {
    /// The name that the file had.
    package var file: String
    /// The name that the file has now, in the same directory.
    package var name: String
    /// Why it was not used.
    package var reason: String

    /// What happened, in one sentence.
    package var description: String { "“\(file)” was set aside as “\(name)”, because \(reason)." }
}
