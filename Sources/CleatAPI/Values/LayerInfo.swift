package import CleatJSON

/// The value of one layer at a path, and its origin.
package struct LayerInfo: Codable, Hashable, Sendable {
    /// The layer.
    package var layer: SettingLayer
    /// The value; nil if it is an omitted secret.
    package var value: JSONValue?
    /// True if this is the value in force.
    package var inForce: Bool
    /// The reason why the value is not in force even without a value in a higher layer: a lock, or a schema that
    /// refuses it.
    package var ignored: String?
    /// The file that the value comes from; nil if there is none.
    package var file: String?
    /// The generation that set it.
    package var generation: Int64?
    /// The user who set it.
    package var author: String?
    /// The time of the change, RFC 3339 UTC.
    package var time: String?
    /// The author's comment.
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
