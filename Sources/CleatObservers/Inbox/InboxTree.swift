internal import SystemPackage

/// The directories of the inbox that are watched, and which files in them have been told.
///
/// A file is remembered by two numbers, of its name and of what it looked like, so that after lost events the difference
/// can be told; the number of files that are remembered is bounded.
struct InboxTree {
    /// A directory that is watched.
    struct Node {
        let parent: Int?
        let name: [UInt8]
        /// What stands before a name in it: empty for the inbox itself, else ending with a slash.
        let path: String
        let depth: Int
        let directory: InboxDirectory
        let watch: Int32
        var children: [[UInt8]: Int] = [:]
        /// The round of looks that this directory was last part of.
        var round: UInt64 = 0
        /// Whether a look at it is due.
        var isDue = false
    }

    /// What is known of a file that was told.
    struct KnownFile: Equatable {
        /// What it looked like; see ``InboxEntry/version``.
        let version: Int
        /// Whether it was told before its writer's close was heard of, so that this close says nothing new.
        let expectsClose: Bool
    }

    private(set) var nodes: [Int: Node] = [:]
    private(set) var root: Int?
    /// How many files are remembered.
    private(set) var remembered = 0
    private let limit: Int
    private var byWatch: [Int32: Int] = [:]
    /// The files of each directory: not a part of it, since with who looks at a directory and remembers a file meanwhile
    /// there would be two of all of them.
    private var files: [Int: [Int: Int]] = [:]
    private var next = 0

    init(rememberedFiles limit: Int) { self.limit = limit }

    subscript(_ id: Int) -> Node? { nodes[id] }

    func node(of watch: Int32) -> Int? { byWatch[watch] }

    /// Adds a directory; what had its watch before is to be removed first.
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

    /// Removes a directory with all below it, and returns their watches.
    mutating func remove(_ id: Int) -> [Int32] {
        guard let node = nodes.removeValue(forKey: id) else { return [] }
        remembered -= files.removeValue(forKey: id)?.count ?? 0
        byWatch[node.watch] = nil
        if let parent = node.parent { nodes[parent]?.children[node.name] = nil } else { root = nil }
        return [node.watch] + node.children.values.sorted().flatMap { remove($0) }
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

    /// Remembers a file; false where there is no more room.
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

    /// Forgets the files that are not among these.
    mutating func keep(only names: Set<Int>, in id: Int) {
        guard let known = files[id] else { return }
        let kept = known.filter { names.contains($0.key) }
        remembered -= known.count - kept.count
        files[id] = kept
    }
}
