/// Describes a file on its way: begun, and not yet committed.
package struct FileUpload: Codable, Hashable, Sendable {
    /// The id that its client chose.
    package var id: String
    /// The number of the user who sends it.
    package var user: Int
    /// The area.
    package var area: String
    /// The path at which the file will stand.
    package var path: String
    /// The size that was promised, in bytes.
    package var size: Int64
    /// How much of it is there, in bytes.
    package var received: Int64
    /// For how many milliseconds it is kept without a further piece.
    package var expiresIn: Int64

    /// Creates a description.
    package init(
        id: String, user: Int, area: String, path: String, size: Int64, received: Int64, expiresIn: Int64
    ) {
        self.id = id
        self.user = user
        self.area = area
        self.path = path
        self.size = size
        self.received = received
        self.expiresIn = expiresIn
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case user
        case area
        case path
        case size
        case received
        case expiresIn = "expires_in"
    }
}
