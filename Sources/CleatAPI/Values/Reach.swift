/// Says by which addresses a board is reached on the interface that its caller comes to, before a change of its addresses
/// and after it.
package struct Reach: Codable, Hashable, Sendable {
    /// The interface.
    package var link: String
    /// The address that the caller comes to, without a prefix length.
    package var address: String
    /// The addresses that the interface has now and does not keep.
    package var old: [String]
    /// The fixed addresses that it has once the change is confirmed; none where that cannot be told.
    package var new: [String]

    /// Creates a description.
    package init(link: String, address: String, old: [String] = [], new: [String] = []) {
        self.link = link
        self.address = address
        self.old = old
        self.new = new
    }
}
