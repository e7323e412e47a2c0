/// A method of a Cleat interface: its name, its parameters and its reply.
package protocol APIMethod: Sendable {
    /// The parameters of a call.
    associatedtype Parameters: Codable, Hashable, Sendable
    /// The reply to a call.
    associatedtype Reply: Codable, Hashable, Sendable
    /// The fully qualified name: `dev.cleat.Settings.Get`.
    static var name: String { get }
}
