/// Which directories of the inbox are left unwatched, so that one that is met twice, by a look and by an event, counts
/// once.
struct InboxUnwatched {
    /// How many are told apart; one beyond them counts each time that it is met.
    static let limit = 1_024

    private var now: Set<Int> = []
    private var before: Set<Int> = []

    /// Whether every directory is watched, as far as was looked.
    var isEmpty: Bool { now.isEmpty }

    /// Adds a directory by what it is called; false where it has been left unwatched all the time.
    mutating func insert(_ shown: String) -> Bool {
        let number = shown.hashValue
        let isNew = !now.contains(number) && !before.contains(number)
        if now.count < Self.limit { now.insert(number) }
        return isNew
    }

    /// Everything is looked at again: those that are not met then are gone, or watched.
    ///
    /// - Parameter isUnfinished: Whether the last such look has not come to its end, and so did not meet all of them.
    mutating func lookAgain(isUnfinished: Bool) {
        before = isUnfinished ? Set(now.union(before).prefix(Self.limit)) : now
        now = []
    }
}
