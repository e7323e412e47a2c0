/// Describes one snapshot.
package struct SnapshotInfo: Codable, Hashable, Sendable {
    /// The name.
    package var name: String
    /// The id of the store that it was made in.
    package var store: String
    /// The generation that its settings are of.
    package var generation: Int64
    /// When it was made, RFC 3339 UTC.
    package var time: String
    /// Whether the clock was synchronised then.
    package var synchronised: Bool
    /// Who made it.
    package var author: String
    /// Who took it in from a file; nil where it was made on this board.
    package var importer: String?
    /// Why.
    package var comment: String?
    /// How many settings it holds.
    package var settings: Int
    /// How many resources it holds.
    package var resources: Int
    /// The bytes of all its objects.
    package var bytes: Int64
    /// The bytes of those of its objects that no other snapshot holds.
    package var ownBytes: Int64
    /// What of it is damaged; nil where nothing was found.
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
