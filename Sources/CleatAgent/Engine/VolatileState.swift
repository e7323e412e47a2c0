import CleatJSON
package import CleatSettings

/// Says where a volatile value is from.
package struct VolatileOrigin: Hashable, Sendable {
    /// Who set it.
    package var author: String
    /// When, in RFC 3339.
    package var time: String
    /// What the author said about it.
    package var comment: String?
}

/// What the service remembers of one volatile transaction, so that a retry of it is safe.
package struct VolatileTransaction: Hashable, Sendable {
    /// More bytes of changes than these are not kept: the answer to a retry says how many there were.
    private static let changesLimit = 16 * 1_024

    /// The id.
    package let id: String
    /// The hash of what was asked for.
    package let hash: String
    /// The generation that was the last one then.
    package let generation: Int64
    /// What was changed, as far as it is kept.
    package let changes: [SettingDifference]
    /// How many changes are not kept.
    package let omitted: Int

    init(id: String, hash: String, generation: Int64, changes: [SettingDifference], omitted: Int = 0) {
        self.id = id
        self.hash = hash
        self.generation = generation
        var bytes = 0
        let kept = changes.prefix { difference in
            bytes += difference.path.text.utf8.count + (difference.old?.weight ?? 0) + (difference.new?.weight ?? 0)
            return bytes <= Self.changesLimit
        }
        self.changes = Array(kept)
        self.omitted = omitted + changes.count - kept.count
    }
}

/// What holds until the next boot.
package struct VolatileState: Sendable {
    /// The most transactions that are remembered.
    static let transactionsLimit = 64

    /// The values.
    package var settings = SettingsTree()
    /// Where they are from.
    package var origins: [SettingPath: VolatileOrigin] = [:]
    /// The transactions, the latest last.
    package var transactions: [VolatileTransaction] = []
    /// The change that is on trial for the store, which takes no writes, and of which the system is free: it must not be
    /// taken for one that waits by the next run of the service.
    package var undoneTrial: String?

    /// Makes one that holds nothing.
    package init() {}

    /// Moves what is known of rows to the names that they have now.
    ///
    /// - Parameter former: The names that they had, by those that they have.
    mutating func rename(_ former: [SettingPath: SettingPath]) {
        for (new, old) in former { origins[new] = origins.removeValue(forKey: old) }
    }

    /// Takes over what a transaction changes.
    mutating func apply(
        _ differences: [SettingDifference], settings: SettingsTree, origin: VolatileOrigin,
        transaction: VolatileTransaction
    ) {
        self.settings = settings
        for difference in differences { origins[difference.path] = difference.new == nil ? nil : origin }
        transactions.append(transaction)
        if transactions.count > Self.transactionsLimit {
            transactions.removeFirst(transactions.count - Self.transactionsLimit)
        }
    }
}
