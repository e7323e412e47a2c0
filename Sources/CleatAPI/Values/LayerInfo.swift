package import CleatJSON

/// Says what one layer holds at a path, and where it has that from.
package struct LayerInfo: Codable, Hashable, Sendable {
    /// The layer.
    package var layer: SettingLayer
    /// The value; nil for a secret.
    package var value: JSONValue?
    /// Whether this is the value in force (of the schema's default: the one that is shown).
    package var inForce: Bool
    /// Why the value is not in force though no higher layer has one: a lock, or a schema that refuses it.
    package var ignored: String?
    /// The file that says so.
    package var file: String?
    /// The generation that set it.
    package var generation: Int64?
    /// Who set it.
    package var author: String?
    /// When, in RFC 3339.
    package var time: String?
    /// What the author said about it.
    package var comment: String?

    /// Creates a description.
    package init(
        layer: SettingLayer, value: JSONValue? = nil, inForce: Bool = false, ignored: String? = nil,
        file: String? = nil, generation: Int64? = nil, author: String? = nil, time: String? = nil,
        comment: String? = nil
    ) {
        self.layer = layer
        self.value = value
        self.inForce = inForce
        self.ignored = ignored
        self.file = file
        self.generation = generation
        self.author = author
        self.time = time
        self.comment = comment
    }

    private enum CodingKeys: String, CodingKey {
        case layer
        case value
        case inForce = "in_force"
        case ignored
        case file
        case generation
        case author
        case time
        case comment
    }
}
