/// The addresses of the board on the interface of the caller's connection, before and after a change of that interface.
package struct Reach: Codable, Hashable, Sendable {
    /// The interface.
    package var link: String
    /// The address that the caller is connected to, without a prefix length.
    package var address: String
    /// The present addresses that the interface does not keep, without link-local IPv6 addresses.
    package var old: [String]
    /// The static addresses after the change is confirmed; empty if there are none, or the interface is disabled.
    package var new: [String]

    /// Creates a description.
    package init(link: String, address: String, old: [String] = [], new: [String] = []) {
        self.link = link
        self.address = address
        self.old = old
        self.new = new
    }
}
