/// A method of a Cleat interface: its name and what goes each way.
package protocol APIMethod: Sendable {
    /// What a call carries.
    associatedtype Parameters: Codable, Hashable, Sendable
    /// What a reply carries.
    associatedtype Reply: Codable, Hashable, Sendable
    /// The fully qualified name: `dev.cleat.Settings.Get`.
    static var name: String { get }
}
