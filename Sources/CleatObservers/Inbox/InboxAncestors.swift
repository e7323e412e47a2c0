internal import CleatIO
internal import SystemPackage

/// The directories above the inbox, from one that always exists; each may be created, removed and replaced.
struct InboxAncestors {
    /// The failure to reach a directory.
    struct Failure: Error {
        let errno: Errno
        let place: FilePath
    }

    private let base: FilePath
    private let names: [String]
    /// The open directories, starting with the base, with their watches.
    private var levels: [(directory: InboxDirectory, watch: Int32)] = []
    /// True if a directory was created, removed or replaced.
    var isChanged = false

    init(base: FilePath, names: [String]) {
        self.base = base
        self.names = names
    }

    /// Opens and watches the base.
    mutating func open(_ queue: InboxQueue) throws(Errno) {
        let directory = try InboxDirectory(path: base)
        levels = [(directory, try queue.watch(directory, for: .names))]
    }

    /// Returns true if an event is of one of these directories, and records a change of the path to the inbox.
    mutating func handle(_ event: WatchEvent) -> Bool {
        guard let level = levels.firstIndex(where: { $0.watch == event.watch }) else { return false }
        // `names` has one more entry than there are directories above that lead to it.
        if event.events.contains(.ended) || Array(names[level].utf8) == event.name { isChanged = true }
        return true
    }

    /// Opens the inbox; opens and watches the directories above it again, from the first that was replaced.
    ///
    /// - Parameters:
    ///   - queue: The queue of the inbox's events.
    ///   - leave: A closure that is called before a directory above the inbox is left.
    /// - Returns: The inbox.
    /// - Throws: The reason why it cannot be opened or watched.
    mutating func inbox(_ queue: InboxQueue, leave: () -> Void) throws(Failure) -> InboxDirectory {
        var place = base
        for (level, name) in names.enumerated() {
            place.append(name)
            do throws(Errno) {
                let directory = try levels[level].directory.open(Array(name.utf8))
                if level == names.count - 1 { return directory }
                if levels.dropFirst(level + 1).first?.directory.identity == directory.identity { continue }
                leave()
                cut(queue, after: level)
                levels.append((directory, try queue.watch(directory, for: .names)))
            } catch {
                leave()
                cut(queue, after: level)
                throw Failure(errno: error, place: place)
            }
        }
        throw Failure(errno: .noSuchFileOrDirectory, place: place)
    }

    private mutating func cut(_ queue: InboxQueue, after level: Int) {
        while levels.count > level + 1 {
            // The watch may have ended with its directory; an error does not matter.
            if let last = levels.popLast() { try? queue.remove(last.watch) }
        }
    }
}
