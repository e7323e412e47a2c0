internal import CleatAPI
internal import CleatIO
internal import CleatSandbox
internal import SystemPackage

/// Handles the events of the directories of the inbox.
extension InboxObserver {
    func take(_ event: WatchEvent, in node: Int) {
        guard !InboxName.isReserved(event.name) else { return }
        let kind = event.events
        if kind.contains(.isDirectory) {
            if kind.isDisjoint(with: [.created, .movedTo]) {
                directoryLeft(event.name, in: node)
            } else {
                addDirectory(event.name, to: node, .appeared)
            }
        } else if kind.isDisjoint(with: [.deleted, .movedFrom]) {
            fileCame(event, in: node)
        } else if let directory = tree[node]?.directory, look(at: event.name, in: directory) == nil {
            // If the name exists again, it belongs to the events that follow.
            tree.forget(InboxTree.number(of: event.name), in: node)
        }
    }

    private func fileCame(_ event: WatchEvent, in node: Int) {
        guard let directory = tree[node]?.directory else { return }
        let name = event.name
        guard let entry = look(at: name, in: directory) else {
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
        if isClose, isDone { return tell(name, entry, in: node, .appeared) }
        // A created file is published by its close. A file that was linked or moved in is complete, unless a process
        // still has it open: then it is published by that close.
        if event.events.contains(.created), entry.links < 2 { return }
        if !(isClose && isBeingMade(entry)), isWhole(name, entry, in: directory) {
            tell(name, entry, in: node, .appeared, expectsClose: true)
        } else {
            awaitClose(in: node)
        }
    }

    /// Returns the status of a name; nil if it is gone, or cannot be read, which is reported as a problem.
    func look(at name: [UInt8], in directory: InboxDirectory) -> InboxEntry? {
        do throws(Errno) {
            return try directory.look(at: name)
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            report(problem: "\(InboxName.shown(name, in: "")) in the inbox cannot be inspected: \(error)")
            return nil
        }
    }

    /// Sets the problem that the status shows, and logs it if there was none before.
    func report(problem text: String) {
        if problem == nil { say(text, isProblem: true) }
        problem = text
    }

    /// Publishes the arrival of a file, or reports that its name is refused.
    func tell(_ name: [UInt8], _ entry: InboxEntry, in node: Int, _ reason: InboxReason, expectsClose: Bool = false) {
        guard let place = tree[node], isInPlace(node) else { return }
        remember(name, entry, expectsClose: expectsClose, in: node)
        guard let path = InboxName.path(name, in: place.path) else {
            return refuse(InboxName.shown(name, in: place.path))
        }
        counted.arrived += 1
        var properties: PropertyBlock = [
            "AREA": Area.inbox.rawValue, "PATH": path, "FILE": self.path.string + "/" + path,
            "SIZE": String(entry.size),
            "LINKS": String(entry.links),
        ]
        if reason == .overflow { properties.append("CLEAT_RESYNC", "1") }
        bus.publish(
            EventDraft(
                source: .file, action: "arrived", subject: path, properties: properties, restored: reason == .start))
    }

    /// Returns true if a directory and those above it are still where they were found.
    ///
    /// If not, the events of the move are still in the queue.
    private func isInPlace(_ node: Int) -> Bool {
        var id = node
        while let place = tree[id], let parent = place.parent, let above = tree[parent]?.directory {
            guard look(at: place.name, in: above)?.identity == place.directory.identity else { return false }
            id = parent
        }
        return true
    }

    func remember(_ name: [UInt8], _ entry: InboxEntry, expectsClose: Bool, in node: Int) {
        let number = InboxTree.number(of: name)
        guard tree.remember(number, version: entry.version, expectsClose: expectsClose, in: node) else {
            counted.unremembered += 1
            return
        }
        if let purpose = look?.purpose, purpose.isFull, purpose.node == node { look?.seen.insert(number) }
    }

    private func refuse(_ shown: String) {
        counted.refused += 1
        if counted.refused > limits.refusalsSaid { return }
        let more = counted.refused == limits.refusalsSaid ? "; further ones are only counted" : ""
        say(
            "\(shown) in the inbox is not reported: names are UTF-8 without control characters, paths at most "
                + "\(SandboxPath.bytesLimit) bytes; rename it\(more)", isProblem: true)
    }

    // MARK: Directories

    /// Watches a directory of the inbox, and plans a scan of it.
    func addDirectory(_ name: [UInt8], to node: Int, _ reason: InboxReason) {
        guard let queue, let parent = tree[node], !InboxName.isReserved(name) else { return }
        let shown = InboxName.shown(name, in: parent.path)
        do throws(Errno) {
            let directory = try parent.directory.open(name)
            if let child = parent.children[name] {
                guard tree[child]?.directory.identity != directory.identity else {
                    if isFull { plan(child, reason) }
                    return
                }
                remove(child)
            }
            guard let path = InboxName.path(name, in: parent.path) else {
                // Reported once for as long as the directory exists.
                let number = InboxTree.number(of: name)
                guard tree.known(number, in: node) == nil else { return }
                _ = tree.remember(number, version: 0, expectsClose: false, in: node)
                return refuse(shown)
            }
            if let obstacle = obstacle(to: directory, depth: parent.depth + 1) {
                return leaveUnwatched(shown, obstacle)
            }
            let watch = try calls.watch(directory.descriptor, for: Self.inboxEvents, in: queue.descriptor)
            // The directory was moved here, and the event of that was lost: its old entry is invalid, but its watch is
            // the same.
            if let old = tree.node(of: watch) {
                for other in tree.remove(old) where other != watch { try? calls.remove(other, from: queue.descriptor) }
            }
            guard tree[node] != nil else {
                // In the tree the new parent was below the moved directory, and was removed with it: the tree is out of
                // date.
                try calls.remove(watch, from: queue.descriptor)
                isFullLookDue = true
                return
            }
            plan(tree.insert(directory, watch: watch, name: name, path: path + "/", parent: node), reason)
        } catch {
            // Removed again, or replaced by a link.
            if error == .noSuchFileOrDirectory || error == .notDirectory || error == .tooManySymbolicLinkLevels {
                return
            }
            leaveUnwatched(shown, "\(error); \(Self.remedy(error))")
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

    private func leaveUnwatched(_ shown: String, _ reason: String) {
        if unwatched.insert(shown) { counted.unwatched += 1 }
        report(problem: "files that arrive in \(shown) of the inbox are not reported: \(reason)")
    }

    private func directoryLeft(_ name: [UInt8], in node: Int) {
        guard let parent = tree[node], let child = parent.children[name] else {
            tree.forget(InboxTree.number(of: name), in: node)
            // An unwatched directory may fit into the limits now, or may be the one that was removed.
            isFullLookDue = isFullLookDue || !unwatched.isEmpty
            return
        }
        // The same directory is back: it was moved away and back.
        if let entry = look(at: name, in: parent.directory), entry.identity == tree[child]?.directory.identity {
            return
        }
        remove(child)
    }

    /// Stops watching a directory and everything below it.
    func remove(_ node: Int) {
        guard let queue else { return }
        for watch in tree.remove(node) {
            // This fails if the directory is gone, and its watch with it.
            try? calls.remove(watch, from: queue.descriptor)
        }
        isFullLookDue = isFullLookDue || !unwatched.isEmpty
    }
}
