/// The directories of the inbox that are not watched; one that is found both by a scan and by an event counts once.
struct InboxUnwatched {
    /// The number of directories that are remembered; a further one counts each time that it is found.
    static let limit = 1_024

    private var now: Set<Int> = []
    private var before: Set<Int> = []

    /// True if no unwatched directory was found since the last full scan started.
    var isEmpty: Bool { now.isEmpty }

    /// Adds a directory by its displayed name; returns false if it was already unwatched.
    mutating func insert(_ shown: String) -> Bool {
        let number = shown.hashValue
        let isNew = !now.contains(number) && !before.contains(number)
        if now.count < Self.limit { now.insert(number) }
        return isNew
    }

    /// Starts a new full scan: directories that it does not find were removed or are watched now.
    ///
    /// - Parameter isUnfinished: True if the last full scan did not end, and so did not find all of them.
    mutating func lookAgain(isUnfinished: Bool) {
        before = isUnfinished ? Set(now.union(before).prefix(Self.limit)) : now
        now = []
    }
}
