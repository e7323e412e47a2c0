internal import CleatIO
internal import SystemPackage

/// A scan of all names of one directory, a slice at a time.
struct InboxScan {
    /// The directory that is scanned, and the reason.
    struct Purpose {
        let node: Int
        let reason: InboxReason
        /// True if the directories below are scanned as well, and names that no longer exist are forgotten.
        let isFull: Bool
    }

    let purpose: Purpose
    var names: ArraySlice<[UInt8]> = []
    /// The hashes of the names that exist and are known; filled only by a full scan, to forget missing names.
    var seen: Set<Int> = []
    /// The directories that exist and are watched; filled only by a full scan.
    var seenDirectories: Set<[UInt8]> = []
}

/// Scans directories: at startup, when one is new, after lost events, and again for files that were being written.
extension InboxContents {
    /// Plans a scan of a directory, unless one is pending; a pending second scan adopts the new reason.
    mutating func plan(_ node: Int, _ reason: InboxReason) {
        guard let place = tree[node] else { return }
        if place.isDue {
            guard let index = due.firstIndex(where: { $0.node == node }), due[index].reason == .secondScan else {
                return
            }
            due[index].reason = reason
            return
        }
        tree.setDue(true, node)
        due.append((node, reason))
    }

    /// Scans everything again; files that are unchanged since they were published are not published again.
    mutating func scanAll(_ reason: InboxReason) {
        isFullScanDue = false
        unwatched.startScan(isUnfinished: isFullScan)
        reporter.clearProblem()
        scan = nil
        for (node, _) in due { tree.setDue(false, node) }
        due = []
        if let root = tree.root {
            tree.setDue(true, root)
            due = [(root, reason)]
            isFullScan = true
        }
    }

    func isInDoubt(_ node: Int) -> Bool { queue.map { (tree[node]?.round ?? 0) > $0.confirmedRound } ?? false }

    /// Scans a slice of names; returns false if no scan is in progress or pending.
    mutating func advanceScans() -> Bool {
        for _ in 0..<limits.slice {
            guard scan != nil || startScan() else {
                if isMarkerDue { putMarker(confirming: true) }
                return false
            }
            guard let name = scan?.names.popFirst() else {
                readNames()
                continue
            }
            // The purpose is passed without the scan: two copies of the scan would cause a copy of `seen`.
            if let purpose = scan?.purpose { handle(name, for: purpose) }
        }
        return true
    }

    private mutating func startScan() -> Bool {
        while !due.isEmpty {
            let (node, reason) = due.removeFirst()
            guard let place = tree[node] else { continue }
            tree.setDue(false, node)
            tree.setRound(queue?.round ?? 0, node)
            isMarkerDue = true
            scan = InboxScan(purpose: InboxScan.Purpose(node: node, reason: reason, isFull: isFullScan))
            do throws(Errno) {
                try place.directory.rewind()
                return true
            } catch {
                giveUp(place.path, error)
            }
        }
        isFullScan = false
        return false
    }

    private mutating func readNames() {
        guard let scan, let place = tree[scan.purpose.node] else {
            self.scan = nil
            return
        }
        do throws(Errno) {
            if let names = try place.directory.names() {
                self.scan?.names = names[...]
                return
            }
            if scan.purpose.isFull { forgetMissing(scan, place) }
        } catch {
            giveUp(place.path, error)
        }
        self.scan = nil
    }

    private mutating func giveUp(_ path: String, _ error: Errno) {
        scan = nil
        // A directory that was removed is empty, so this error does not matter.
        if error == .noSuchFileOrDirectory { return }
        reporter.report(
            problem:
                "the files in \(path.isEmpty ? "it" : path) of the inbox \(reporter.path) are not reported: \(error)")
    }

    private mutating func forgetMissing(_ scan: InboxScan, _ place: InboxTree.Node) {
        tree.forgetFiles(except: scan.seen, in: scan.purpose.node)
        for (name, child) in place.children where !scan.seenDirectories.contains(name) {
            let entry = self.entry(name, in: place.directory)
            if let entry, entry.identity == tree[child]?.directory.identity { continue }
            remove(child)
        }
    }

    private mutating func handle(_ name: [UInt8], for purpose: InboxScan.Purpose) {
        let node = purpose.node
        guard !InboxName.isReserved(name), let directory = tree[node]?.directory,
            let entry = entry(name, in: directory)
        else { return }
        if entry.isDirectory {
            if purpose.reason != .secondScan { addDirectory(name, to: node, purpose.reason) }
        } else if entry.isFile {
            handle(name, entry, in: directory, for: purpose)
        } else {
            return
        }
        guard purpose.isFull else { return }
        if entry.isDirectory, tree[node]?.children[name] != nil { scan?.seenDirectories.insert(name) }
        let number = InboxTree.number(of: name)
        if tree.known(number, in: node) != nil { scan?.seen.insert(number) }
    }

    private mutating func handle(
        _ name: [UInt8], _ entry: InboxEntry, in directory: InboxDirectory, for purpose: InboxScan.Purpose
    ) {
        if tree.known(InboxTree.number(of: name), in: purpose.node)?.version == entry.version { return }
        let isBeingMade = isBeingMade(entry)
        if !isBeingMade, isWhole(name, entry, in: directory) {
            publish(name, entry, in: purpose.node, purpose.reason)
        } else if isBeingMade || purpose.reason != .secondScan {
            beingWritten.insert(purpose.node)
        }
    }

    /// Returns true if a path of the inbox leads to a complete file, as far as the kernel can report it.
    ///
    /// A file that is still open for writing is published when it is closed.
    mutating func isWhole(_ path: String) -> Bool {
        var names = path.split(separator: "/").map { Array($0.utf8) }
        guard let last = names.popLast(), var node = tree.root.flatMap({ tree[$0] }) else { return false }
        for name in names {
            guard let child = node.children[name].flatMap({ tree[$0] }) else { return false }
            node = child
        }
        guard let entry = entry(last, in: node.directory), entry.isFile, !isBeingMade(entry) else { return false }
        return isWhole(last, entry, in: node.directory)
    }

    // MARK: Markers

    /// Puts a marker into the queue, behind all events that scans may have overtaken.
    ///
    /// - Parameter confirming: True if all scans have ended; false if the marker only wakes the task that waits for the
    ///   queue.
    mutating func putMarker(confirming: Bool) {
        guard queue != nil else { return }
        do throws(Errno) {
            try queue?.putMarker(confirming: confirming)
            if confirming { isMarkerDue = false }
        } catch {
            // Directories stay in doubt: the close of a file that is unchanged since it was published is ignored.
            isMarkerDue = false
            reporter.report(
                problem: "the inbox cannot be watched as it should: \(error); \(InboxQueue.remedy(error))")
        }
    }

    // MARK: Files that are being written

    /// Returns true if a file is unchanged since a scan read it, and no process has it open for writing.
    ///
    /// If the kernel cannot report writers, the file counts as closed. If its writer writes and closes the file between
    /// the scan and this check, the version that the scan read is not published; the event of the close, which is in
    /// the queue, publishes the file. The kernel queues that event before the file counts as closed, so it may still
    /// count as open for a moment: then the second scan publishes it.
    mutating func isWhole(_ name: [UInt8], _ entry: InboxEntry, in directory: InboxDirectory) -> Bool {
        calls.isBeingWritten(name, in: directory) != true && self.entry(name, in: directory)?.version == entry.version
    }

    /// Returns true if a file may have been created by a process that has not opened it yet and is about to write it.
    ///
    /// open(2) creates a file, and queues the event, before the file counts as open for writing. So an empty file that
    /// a scan finds is published when it is closed or, if it was closed before the scan, once it has been empty for
    /// ``InboxLimits/secondScan``.
    func isBeingMade(_ entry: InboxEntry) -> Bool {
        let age = WallTime.now().milliseconds - entry.modified.milliseconds
        return entry.size == 0 && age >= 0 && .milliseconds(age) < limits.secondScan
    }
}
