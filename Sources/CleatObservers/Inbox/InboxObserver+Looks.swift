internal import CleatIO
internal import SystemPackage

/// A scan of all names of one directory, a slice at a time.
struct InboxLook {
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
///
/// A scan and the events of the same time report the same files. So a scanned directory is in doubt until the events of
/// that time have been read: until a marker that is put into the queue after the scan comes out of it. Meanwhile, an
/// event of a file that is unchanged since it was published is ignored. The marker is a watch that is added and removed
/// at once; the kernel puts the event of its end at the end of the queue.
extension InboxObserver {
    /// Plans a scan of a directory, unless one is pending; a pending second scan takes over the new reason.
    func plan(_ node: Int, _ reason: InboxReason) {
        guard let place = tree[node] else { return }
        if place.isDue {
            guard let index = due.firstIndex(where: { $0.node == node }), due[index].reason == .secondLook else {
                return
            }
            due[index].reason = reason
            return
        }
        tree.setDue(true, node)
        due.append((node, reason))
    }

    /// Scans everything again; files that are unchanged since they were published are not published again.
    func lookAtAll(_ reason: InboxReason) {
        isFullLookDue = false
        unwatched.lookAgain(isUnfinished: isFull)
        problem = nil
        look = nil
        for (node, _) in due { tree.setDue(false, node) }
        due = []
        if let root = tree.root {
            tree.setDue(true, root)
            due = [(root, reason)]
            isFull = true
        }
    }

    func isInDoubt(_ node: Int) -> Bool { (tree[node]?.round ?? 0) > settledRound }

    /// Scans a slice of names; returns false if no scan is in progress or pending.
    func advanceLooks() -> Bool {
        for _ in 0..<limits.slice {
            guard look != nil || beginLook() else {
                if isMarkerDue { putMarker(settling: true) }
                return false
            }
            guard let name = look?.names.popFirst() else {
                readNames()
                continue
            }
            // The purpose is passed without the scan: two copies of the scan would cause a copy of `seen`.
            if let purpose = look?.purpose { take(name, for: purpose) }
        }
        return true
    }

    private func beginLook() -> Bool {
        while !due.isEmpty {
            let (node, reason) = due.removeFirst()
            guard let place = tree[node] else { continue }
            tree.setDue(false, node)
            tree.setRound(round, node)
            isMarkerDue = true
            look = InboxLook(purpose: InboxLook.Purpose(node: node, reason: reason, isFull: isFull))
            do throws(Errno) {
                try place.directory.rewind()
                return true
            } catch {
                giveUp(place.path, error)
            }
        }
        isFull = false
        if !beingWritten.isEmpty { planSecondLook() }
        return false
    }

    private func readNames() {
        guard let look, let place = tree[look.purpose.node] else {
            self.look = nil
            return
        }
        do throws(Errno) {
            if let names = try place.directory.names() {
                self.look?.names = names[...]
                return
            }
            if look.purpose.isFull { forgetMissing(look, place) }
        } catch {
            giveUp(place.path, error)
        }
        self.look = nil
    }

    private func giveUp(_ path: String, _ error: Errno) {
        look = nil
        // A directory that was removed is empty, so this error does not matter.
        if error == .noSuchFileOrDirectory { return }
        report(
            problem: "the files in \(path.isEmpty ? "it" : path) of the inbox \(self.path) are not reported: \(error)")
    }

    private func forgetMissing(_ look: InboxLook, _ place: InboxTree.Node) {
        tree.keep(only: look.seen, in: look.purpose.node)
        for (name, child) in place.children where !look.seenDirectories.contains(name) {
            let entry = self.look(at: name, in: place.directory)
            if let entry, entry.identity == tree[child]?.directory.identity { continue }
            remove(child)
        }
    }

    private func take(_ name: [UInt8], for purpose: InboxLook.Purpose) {
        let node = purpose.node
        guard !InboxName.isReserved(name), let directory = tree[node]?.directory,
            let entry = look(at: name, in: directory)
        else { return }
        if entry.isDirectory {
            if purpose.reason != .secondLook { addDirectory(name, to: node, purpose.reason) }
        } else if entry.isFile {
            take(name, entry, in: directory, for: purpose)
        } else {
            return
        }
        guard purpose.isFull else { return }
        if entry.isDirectory, tree[node]?.children[name] != nil { look?.seenDirectories.insert(name) }
        let number = InboxTree.number(of: name)
        if tree.known(number, in: node) != nil { look?.seen.insert(number) }
    }

    private func take(
        _ name: [UInt8], _ entry: InboxEntry, in directory: InboxDirectory, for purpose: InboxLook.Purpose
    ) {
        if tree.known(InboxTree.number(of: name), in: purpose.node)?.version == entry.version { return }
        let isBeingMade = isBeingMade(entry)
        if !isBeingMade, isWhole(name, entry, in: directory) {
            tell(name, entry, in: purpose.node, purpose.reason)
        } else if isBeingMade || purpose.reason != .secondLook {
            awaitClose(in: purpose.node)
        }
    }

    /// Returns true if a path of the inbox leads to a complete file, as far as the kernel can report it.
    ///
    /// A file that is still open for writing is published when it is closed.
    package func isWhole(_ path: String) -> Bool {
        var names = path.split(separator: "/").map { Array($0.utf8) }
        guard let last = names.popLast(), var node = tree.root.flatMap({ tree[$0] }) else { return false }
        for name in names {
            guard let child = node.children[name].flatMap({ tree[$0] }) else { return false }
            node = child
        }
        guard let entry = look(at: last, in: node.directory), entry.isFile, !isBeingMade(entry) else { return false }
        return isWhole(last, entry, in: node.directory)
    }

    // MARK: Markers

    /// Puts a marker into the queue, behind all events that scans may have overtaken.
    ///
    /// - Parameter settling: True if all scans have ended; false if the marker only wakes the task that waits for the
    ///   queue.
    func putMarker(settling: Bool) {
        guard let queue, let marker else { return }
        do throws(Errno) {
            let watch = try calls.watch(marker.descriptor, for: .selfDeleted, in: queue.descriptor)
            markers[watch] = settling ? round : 0
            if settling {
                round += 1
                isMarkerDue = false
            }
            try calls.remove(watch, from: queue.descriptor)
        } catch {
            // Directories stay in doubt: the close of a file that is unchanged since it was published is ignored.
            isMarkerDue = false
            report(problem: "the inbox cannot be watched as it should: \(error); \(Self.remedy(error))")
        }
    }

    // MARK: Files that are being written

    /// Returns true if a file is unchanged since a scan read it, and no process has it open for writing.
    ///
    /// If the kernel cannot report writers, the file counts as closed. If its writer writes and closes the file between
    /// the scan and this check, the version that the scan read is not published; the event of the close, which is in
    /// the queue, publishes the file. The kernel queues that event before the file counts as closed, so it may still
    /// count as open for a moment: then the second scan publishes it.
    func isWhole(_ name: [UInt8], _ entry: InboxEntry, in directory: InboxDirectory) -> Bool {
        calls.isBeingWritten(name, in: directory) != true && look(at: name, in: directory)?.version == entry.version
    }

    /// Returns true if a file may have been created by a process that has not opened it yet and is about to write it.
    ///
    /// open(2) creates a file, and queues the event, before the file counts as open for writing. So an empty file that
    /// a scan finds is published when it is closed or, if it was closed before the scan, once it has been empty for
    /// ``InboxLimits/secondLook``.
    func isBeingMade(_ entry: InboxEntry) -> Bool {
        let age = WallTime.now().milliseconds - entry.modified.milliseconds
        return entry.size == 0 && age >= 0 && .milliseconds(age) < limits.secondLook
    }

    /// Notes that a directory contains a file that is being written; the file is published when it is closed.
    func awaitClose(in node: Int) {
        beingWritten.insert(node)
        // Scans in progress plan the second scan when they end.
        if look == nil, due.isEmpty { planSecondLook() }
    }

    private func planSecondLook() {
        guard secondLook == nil else { return }
        secondLook = loop.task { [weak self, loop, limits] in
            guard (try? await loop.sleep(for: limits.secondLook)) != nil else { return }
            await self?.lookAgain()
        }
    }

    func lookAgain() {
        secondLook = nil
        let nodes = beingWritten
        beingWritten = []
        for node in nodes.sorted() { plan(node, .secondLook) }
        putMarker(settling: false)
    }
}
