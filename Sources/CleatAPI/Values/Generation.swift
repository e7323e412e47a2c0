/// Describes one generation of the history.
package struct Generation: Codable, Hashable, Sendable {
    /// The number.
    package var number: Int64
    /// The id of the transaction that made it.
    package var id: String
    /// Wall time of the commit, RFC 3339 UTC.
    package var time: String
    /// The boot in which it was made.
    package var bootID: String
    /// CLOCK_BOOTTIME of the commit, milliseconds.
    package var bootTime: Int64
    /// Whether the clock was synchronised.
    package var synchronised: Bool
    /// Who made it.
    package var author: String
    /// What the author wrote about it.
    package var comment: String?
    /// What changed, in order of the paths.
    package var changes: [ChangeRecord]
    /// How many more changes there are than a message has room for.
    package var omitted: Int?
    /// What it is, if not confirmed.
    package var state: State?
    /// What adapters did with it; nil where the system had nothing to follow, or nobody knows.
    package var results: [AdapterResult]?

    /// What a generation is that is not just confirmed.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It is on trial.
        case pending
        /// It was on trial and was undone.
        case reverted
        /// It came from the second copy of the store.
        case restored
    }

    /// Creates a description.
    package init(
        number: Int64, id: String, time: String, bootID: String, bootTime: Int64, synchronised: Bool, author: String,
        comment: String? = nil, changes: [ChangeRecord], omitted: Int? = nil,
        state: State? = nil, results: [AdapterResult]? = nil
    ) {
        self.number = number
        self.id = id
        self.time = time
        self.bootID = bootID
        self.bootTime = bootTime
        self.synchronised = synchronised
        self.author = author
        self.comment = comment
        self.changes = changes
        self.omitted = omitted
        self.state = state
        self.results = results
    }

    private enum CodingKeys: String, CodingKey {
        case number
        case id
        case time
        case bootID = "boot_id"
        case bootTime = "boot_time"
        case synchronised
        case author
        case comment
        case changes
        case omitted
        case state
        case results
    }
}
