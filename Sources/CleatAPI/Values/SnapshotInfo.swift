/// One snapshot.
package struct SnapshotInfo: Codable, Hashable, Sendable {
    /// The name.
    package var name: String
    /// The id of the store in which it was made.
    package var store: String
    /// The generation of its settings.
    package var generation: Int64
    /// The time of its creation, RFC 3339 UTC.
    package var time: String
    /// True if the clock was synchronised at that time.
    package var synchronised: Bool
    /// The user who made it.
    package var author: String
    /// The user who imported it; nil if it was made on this board.
    package var importer: String?
    /// The author's comment.
    package var comment: String?
    /// The number of its settings.
    package var settings: Int
    /// The number of its resources.
    package var resources: Int
    /// The size of all its objects, in bytes.
    package var bytes: Int64
    /// The size of those of its objects that no other snapshot has, in bytes.
    package var ownBytes: Int64
    /// A description of the damage; nil if none was found.
    package var damage: String?

    /// Creates a description.
    package init(
        name: String, store: String, generation: Int64, time: String, synchronised: Bool, author: String,
        importer: String? = nil, comment: String? = nil, settings: Int, resources: Int, bytes: Int64, ownBytes: Int64,
        damage: String? = nil
    ) {
        self.name = name
        self.store = store
        self.generation = generation
        self.time = time
        self.synchronised = synchronised
        self.author = author
        self.importer = importer
        self.comment = comment
        self.settings = settings
        self.resources = resources
        self.bytes = bytes
        self.ownBytes = ownBytes
        self.damage = damage
    }

    private enum CodingKeys: String, CodingKey {
        case name
        case store
        case generation
        case time
        case synchronised
        case author
        case importer = "imported_by"
        case comment
        case settings
        case resources
        case bytes
        case ownBytes = "own_bytes"
        case damage
    }
}
