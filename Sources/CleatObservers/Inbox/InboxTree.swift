import CleatOrder
internal import SystemPackage

/// The watched directories of the inbox, and the files in them that were published.
///
/// A file is remembered by two hashes, of its name and of its version, so that the difference can be published after
/// events were lost. The number of remembered files is bounded.
struct InboxTree {
    /// A watched directory.
    struct Node {
        let parent: Int?
        let name: [UInt8]
        /// The prefix of the paths in it: empty for the inbox itself, otherwise its path with a slash at the end.
        let path: String
        let depth: Int
        let directory: InboxDirectory
        let watch: Int32
        var children: [[UInt8]: Int] = [:]
        /// The round of scans that last included this directory.
        var round: UInt64 = 0
        /// True if a scan of it is pending.
        var isDue = false
    }

    /// The remembered facts of a published file.
    struct KnownFile: Equatable {
        /// The version of the file; see ``InboxEntry/version``.
        let version: Int
        /// True if it was published before the event of its writer's close was read, so that this close is ignored.
        let expectsClose: Bool
    }

    private(set) var nodes: [Int: Node] = [:]
    private(set) var root: Int?
    /// The number of remembered files.
    private(set) var remembered = 0
    private let limit: Int
    private var byWatch: [Int32: Int] = [:]
    /// The files of each directory by the hash of the name.
    ///
    /// They are not part of `Node`: a caller that holds a node while a file is remembered would cause a copy of all of
    /// them.
    private var files: [Int: [Int: Int]] = [:]
    private var next = 0

    init(rememberedFiles limit: Int) { self.limit = limit }

    subscript(_ id: Int) -> Node? { nodes[id] }

    func node(of watch: Int32) -> Int? { byWatch[watch] }

    /// Adds a directory; the caller must first remove the directory that had its watch before.
    mutating func insert(
        _ directory: InboxDirectory, watch: Int32, name: [UInt8] = [], path: String = "", parent: Int? = nil
    ) -> Int {
        let id = next
        next += 1
        nodes[id] = Node(
            parent: parent, name: name, path: path, depth: parent.flatMap { nodes[$0]?.depth }.map { $0 + 1 } ?? 0,
            directory: directory, watch: watch)
        byWatch[watch] = id
        if let parent { nodes[parent]?.children[name] = id } else { root = id }
        return id
    }

    /// Removes a directory with everything below it, and returns their watches.
    mutating func remove(_ id: Int) -> [Int32] {
        guard let node = nodes.removeValue(forKey: id) else { return [] }
        remembered -= files.removeValue(forKey: id)?.count ?? 0
        byWatch[node.watch] = nil
        if let parent = node.parent { nodes[parent]?.children[node.name] = nil } else { root = nil }
        return [node.watch] + node.children.values.ordered(by: <).flatMap { remove($0) }
    }

    mutating func setDue(_ isDue: Bool, _ id: Int) { nodes[id]?.isDue = isDue }
    mutating func setRound(_ round: UInt64, _ id: Int) { nodes[id]?.round = round }

    // MARK: Files

    static func number(of name: [UInt8]) -> Int {
        var hasher = Hasher()
        hasher.combine(name)
        return hasher.finalize()
    }

    func known(_ name: Int, in id: Int) -> KnownFile? {
        files[id]?[name].map { KnownFile(version: $0 & ~1, expectsClose: $0 & 1 == 1) }
    }

    /// Remembers a file; returns false if the limit is reached or the directory is unknown.
    mutating func remember(_ name: Int, version: Int, expectsClose: Bool, in id: Int) -> Bool {
        let value = version | (expectsClose ? 1 : 0)
        if files[id]?[name] == nil {
            guard remembered < limit, nodes[id] != nil else { return false }
            remembered += 1
        }
        files[id, default: [:]][name] = value
        return true
    }

    mutating func forget(_ name: Int, in id: Int) {
        if files[id]?.removeValue(forKey: name) != nil { remembered -= 1 }
    }

    /// Forgets the files of a directory whose names are not among these.
    mutating func forgetFiles(except names: Set<Int>, in id: Int) {
        guard let known = files[id] else { return }
        let kept = known.filter { names.contains($0.key) }
        remembered -= known.count - kept.count
        files[id] = kept
    }
}

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
    mutating func startScan(isUnfinished: Bool) {
        before = isUnfinished ? Set(now.union(before).prefix(Self.limit)) : now
        now = []
    }
}
