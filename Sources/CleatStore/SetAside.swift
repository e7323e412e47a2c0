/// A file that was quarantined, its new name, and the reason.
package struct SetAside: Sendable, Hashable, CustomStringConvertible {
    /// The name that the file had.
    package var file: String
    /// The name that the file has now, in the same directory.
    package var name: String
    /// The reason why it was not used.
    package var reason: String

    /// The event in one sentence.
    package var description: String { "“\(file)” was quarantined as “\(name)”, because \(reason)." }
}
