internal import CleatIO
import CleatOrder
internal import CleatSandbox
internal import SystemPackage

/// The directories and files below the inbox: what events and scans report of them, and which of it is published.
///
/// ``InboxObserver`` reads the queue and drives the scans, a slice at a time.
struct InboxContents {
    /// The events that are watched in the inbox and below it.
    static let events = WatchEvents.names.union(.closedAfterWriting)

    let limits: InboxLimits
    let calls: any WatchCalls
    /// The queue; nil before the observer runs, and after its end.
    var queue: InboxQueue?
    var reporter: InboxReporter
    var tree: InboxTree
    var unwatched = InboxUnwatched()

    /// The scan in progress.
    var scan: InboxScan?
    /// The pending scans.
    var due: [(node: Int, reason: InboxReason)] = []
    /// True while everything is scanned.
    var isFullScan = false
    /// True if everything has to be scanned as soon as the queue is empty.
    var isFullScanDue = false
    var isMarkerDue = false
    /// The directories with files that are being written.
    var beingWritten: Set<Int> = []

    init(limits: InboxLimits, calls: any WatchCalls, reporter: InboxReporter) {
        self.limits = limits
        self.calls = calls
        self.reporter = reporter
        tree = InboxTree(rememberedFiles: limits.remembered)
    }

    /// True if no scan is in progress or pending.
    var isScanned: Bool { scan == nil && due.isEmpty }
    /// True if files were being written when they were scanned, and no scan is in progress or pending.
    var needsSecondScan: Bool { !beingWritten.isEmpty && isScanned }

    /// Opens the queue, and returns a copy that watches other directories.
    mutating func open() throws(Errno) -> InboxQueue {
        let queue = try InboxQueue(calls: calls, readBytes: limits.readBytes)
        self.queue = queue
        return queue
    }

    /// Watches the inbox itself, and plans its scan.
    mutating func insertRoot(_ directory: InboxDirectory, _ reason: InboxReason) throws(Errno) {
        removeRoot()
        guard let queue else { return }
        plan(tree.insert(directory, watch: try queue.watch(directory, for: Self.events)), reason)
    }

    /// Stops watching the inbox and everything below it.
    mutating func removeRoot() {
        if let root = tree.root { remove(root) }
    }

    /// Plans the second scan of the directories with files that were being written.
    mutating func scanAgain() {
        let nodes = beingWritten
        beingWritten = []
        for node in nodes.ordered(by: <) { plan(node, .secondScan) }
        putMarker(confirming: false)
    }

    // MARK: Events

    /// Handles an event of a watched directory.
    mutating func handle(_ event: WatchEvent, in node: Int) {
        guard !InboxName.isReserved(event.name) else { return }
        let kind = event.events
        if kind.contains(.isDirectory) {
            if kind.isDisjoint(with: [.created, .movedTo]) {
                forgetDirectory(event.name, in: node)
            } else {
                addDirectory(event.name, to: node, .appeared)
            }
        } else if kind.isDisjoint(with: [.deleted, .movedFrom]) {
            handleFile(event, in: node)
        } else if let directory = tree[node]?.directory, entry(event.name, in: directory) == nil {
            // If the name exists again, it belongs to the events that follow.
            tree.forget(InboxTree.number(of: event.name), in: node)
        }
    }

    private mutating func handleFile(_ event: WatchEvent, in node: Int) {
        guard let directory = tree[node]?.directory else { return }
        let name = event.name
        guard let entry = entry(name, in: directory) else {
            // A file that was opened without a name (O_TMPFILE) is closed under its inode number, which is no name in
            // the directory; a scan finds the name that it was given.
            if event.events.contains(.closedAfterWriting), name.first == UInt8(ascii: "#") { plan(node, .appeared) }
            return
        }
        guard entry.isFile else { return }
        let isClose = event.events.contains(.closedAfterWriting)
        let known = tree.known(InboxTree.number(of: name), in: node)
        if let known, known.version == entry.version {
            // The scan that published it came after the change that this event reports.
            if isInDoubt(node) { return }
            if isClose, known.expectsClose {
                remember(name, entry, expectsClose: false, in: node)
                return
            }
        }
        // A scan may have published the file that this event closed; the file that exists now is another one, whose
        // close will follow.
        let isDone = known == nil || !isInDoubt(node)
        if isClose, isDone { return publish(name, entry, in: node, .appeared) }
        // A created file is published by its close. A file that was linked or moved in is complete, unless a process
        // still has it open: then it is published by that close.
        if event.events.contains(.created), entry.links < 2 { return }
        if !(isClose && isBeingMade(entry)), isWhole(name, entry, in: directory) {
            publish(name, entry, in: node, .appeared, expectsClose: true)
        } else {
            beingWritten.insert(node)
        }
    }

    /// Returns the status of a name; nil if it is gone, or cannot be read, which is reported as a problem.
    mutating func entry(_ name: [UInt8], in directory: InboxDirectory) -> InboxEntry? {
        do throws(Errno) {
            return try directory.entry(name)
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            reporter.report(problem: "\(InboxName.shown(name, in: "")) in the inbox cannot be inspected: \(error)")
            return nil
        }
    }

    /// Publishes the arrival of a file, or reports that its name is refused.
    mutating func publish(
        _ name: [UInt8], _ entry: InboxEntry, in node: Int, _ reason: InboxReason, expectsClose: Bool = false
    ) {
        guard let place = tree[node], isInPlace(node) else { return }
        remember(name, entry, expectsClose: expectsClose, in: node)
        guard let path = InboxName.path(name, in: place.path) else {
            return reporter.refuse(InboxName.shown(name, in: place.path))
        }
        reporter.publish(path, entry, reason)
    }

    /// Returns true if a directory and those above it are still where they were found.
    ///
    /// If not, the events of the move are still in the queue.
    private mutating func isInPlace(_ node: Int) -> Bool {
        var id = node
        while let place = tree[id], let parent = place.parent, let above = tree[parent]?.directory {
            guard entry(place.name, in: above)?.identity == place.directory.identity else { return false }
            id = parent
        }
        return true
    }

    mutating func remember(_ name: [UInt8], _ entry: InboxEntry, expectsClose: Bool, in node: Int) {
        let number = InboxTree.number(of: name)
        guard tree.remember(number, version: entry.version, expectsClose: expectsClose, in: node) else {
            reporter.counters.unremembered += 1
            return
        }
        if let purpose = scan?.purpose, purpose.isFull, purpose.node == node { scan?.seen.insert(number) }
    }

    // MARK: Directories

    /// Watches a directory of the inbox, and plans a scan of it.
    mutating func addDirectory(_ name: [UInt8], to node: Int, _ reason: InboxReason) {
        guard let queue, let parent = tree[node], !InboxName.isReserved(name) else { return }
        let shown = InboxName.shown(name, in: parent.path)
        do throws(Errno) {
            let directory = try parent.directory.open(name)
            if let child = parent.children[name] {
                guard tree[child]?.directory.identity != directory.identity else {
                    if isFullScan { plan(child, reason) }
                    return
                }
                remove(child)
            }
            guard let path = InboxName.path(name, in: parent.path) else {
                // Reported once for as long as the directory exists.
                let number = InboxTree.number(of: name)
                guard tree.known(number, in: node) == nil else { return }
                _ = tree.remember(number, version: 0, expectsClose: false, in: node)
                return reporter.refuse(shown)
            }
            if let obstacle = obstacle(to: directory, depth: parent.depth + 1) {
                return leaveUnwatched(shown, obstacle)
            }
            let watch = try queue.watch(directory, for: Self.events)
            // The directory was moved here, and the event of that was lost: its old entry is invalid, but its watch is
            // the same.
            if let old = tree.node(of: watch) {
                for other in tree.remove(old) where other != watch { try? queue.remove(other) }
            }
            guard tree[node] != nil else {
                // In the tree the new parent was below the moved directory, and was removed with it: the tree is out of
                // date.
                try queue.remove(watch)
                isFullScanDue = true
                return
            }
            plan(tree.insert(directory, watch: watch, name: name, path: path + "/", parent: node), reason)
        } catch {
            // Removed again, or replaced by a link.
            if error == .noSuchFileOrDirectory || error == .notDirectory || error == .tooManySymbolicLinkLevels {
                return
            }
            leaveUnwatched(shown, "\(error); \(InboxQueue.remedy(error))")
        }
    }

    private func obstacle(to directory: InboxDirectory, depth: Int) -> String? {
        if depth >= SandboxPath.namesLimit { return "a path has at most \(SandboxPath.namesLimit) names" }
        if tree.nodes.count >= limits.directories {
            return "\(limits.directories) directories are watched, which is the limit; put files into fewer ones"
        }
        if let root = tree.root, tree[root]?.directory.identity.device != directory.identity.device {
            return "it is on another file system; mount that as the inbox itself"
        }
        return nil
    }

    private mutating func leaveUnwatched(_ shown: String, _ reason: String) {
        if unwatched.insert(shown) { reporter.counters.unwatched += 1 }
        reporter.report(problem: "files that arrive in \(shown) of the inbox are not reported: \(reason)")
    }

    private mutating func forgetDirectory(_ name: [UInt8], in node: Int) {
        guard let parent = tree[node], let child = parent.children[name] else {
            tree.forget(InboxTree.number(of: name), in: node)
            // An unwatched directory may fit into the limits now, or may be the one that was removed.
            isFullScanDue = isFullScanDue || !unwatched.isEmpty
            return
        }
        // The same directory is back: it was moved away and back.
        if let entry = entry(name, in: parent.directory), entry.identity == tree[child]?.directory.identity {
            return
        }
        remove(child)
    }

    /// Stops watching a directory and everything below it.
    mutating func remove(_ node: Int) {
        guard let queue else { return }
        for watch in tree.remove(node) {
            // This fails if the directory is gone, and its watch with it.
            try? queue.remove(watch)
        }
        isFullScanDue = isFullScanDue || !unwatched.isEmpty
    }
}
