import CleatJSON
package import CleatSettings

/// The origin of a volatile value.
package struct VolatileOrigin: Hashable, Sendable {
    /// The user who set it.
    package var author: String
    /// The time, in RFC 3339.
    package var time: String
    /// The author's comment.
    package var comment: String?
}

/// A volatile transaction that the service remembers, so that a retry of it is safe.
package struct VolatileTransaction: Equatable, Sendable {
    /// The maximum size in bytes of the changes that are kept: the reply to a retry has the number of the others.
    private static let changesLimit = 16 * 1_024

    /// The id.
    package let id: String
    /// The hash of the request.
    package let hash: String
    /// The newest generation at that time.
    package let generation: Int64
    /// The changes, as far as they are kept.
    package let changes: [SettingDifference]
    /// The number of changes that are not kept.
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

/// The state that applies until the next boot.
package struct VolatileState: Sendable {
    /// The maximum number of transactions that are remembered.
    static let transactionsLimit = 64

    /// The values.
    package var settings = SettingsTree()
    /// The origins of the values.
    package var origins: [SettingPath: VolatileOrigin] = [:]
    /// The transactions, the latest last.
    package var transactions: [VolatileTransaction] = []
    /// The id of a change that the store still has on trial, since it takes no writes, but that is reverted in the
    /// system: the next run of the service must not treat it as pending.
    package var revertedTrial: String?

    /// Creates an empty state.
    package init() {}

    /// Moves the origins of rows to their present names.
    ///
    /// - Parameter former: The former names, by the present ones.
    mutating func rename(_ former: [SettingPath: SettingPath]) {
        for (new, old) in former { origins[new] = origins.removeValue(forKey: old) }
    }

    /// Applies the changes of a transaction.
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
