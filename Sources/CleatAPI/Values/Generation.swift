/// One generation of the history.
package struct Generation: Codable, Hashable, Sendable {
    /// The number.
    package var number: Int64
    /// The id of the transaction that made it.
    package var id: String
    /// The wall time of the commit, RFC 3339 UTC.
    package var time: String
    /// The boot in which it was made.
    package var bootID: String
    /// CLOCK_BOOTTIME of the commit, milliseconds.
    package var bootTime: Int64
    /// True if the clock was synchronised.
    package var synchronised: Bool
    /// The user who made it.
    package var author: String
    /// The author's comment.
    package var comment: String?
    /// The changes, in order of the paths.
    package var changes: [ChangeRecord]
    /// The number of further changes, which do not fit into the message; nil if there are none.
    package var omitted: Int?
    /// The state; nil if it is confirmed.
    package var state: State?
    /// The results of the adapters; nil if no adapter follows the changes, or they are not known.
    package var results: [AdapterResult]?

    /// The state of a generation that is not simply confirmed.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It is on trial.
        case pending
        /// It was on trial and was undone.
        case reverted
        /// It was restored from the second copy of the store, or after the store's log was lost or damaged.
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
