/// An upload that was started and is not committed yet.
package struct FileUpload: Codable, Hashable, Sendable {
    /// The id that its client chose.
    package var id: String
    /// The user id of its client.
    package var user: Int
    /// The area.
    package var area: String
    /// The target path of the file.
    package var path: String
    /// The announced size, in bytes.
    package var size: Int64
    /// The size of the received part, in bytes.
    package var received: Int64
    /// The time in milliseconds after which it expires, unless a further piece arrives.
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
