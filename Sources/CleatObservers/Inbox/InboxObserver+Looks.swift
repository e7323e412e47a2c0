internal import CleatIO
internal import SystemPackage

/// A look at all names of one directory, a slice at a time.
struct InboxLook {
    /// What is looked at, and why.
    struct Purpose {
        let node: Int
        let reason: InboxReason
        /// Whether the directories below are looked at as well, and what is no longer there is forgotten.
        let isFull: Bool
    }

    let purpose: Purpose
    var names: ArraySlice<[UInt8]> = []
    /// The numbers of the names that are there and known, where what is no longer there is forgotten.
    var seen: Set<Int> = []
    /// The directories that are there and watched, likewise.
    var seenDirectories: Set<[UInt8]> = []
}

/// Looks at directories: at the start, when one is new, after lost events, and once more for files that were being written.
///
/// A look and the events of the same time tell of the same files. So a directory that was looked at is in doubt until the
/// events of that time have been taken: until a marker that is put into the queue after the look comes out of it.
/// Meanwhile an event of a file that is as it was told says nothing new. The marker is the end of a watch that nobody
/// needs, which the kernel puts at the end of the queue.
extension InboxObserver {
    /// Plans a look at a directory.
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

    /// Looks at everything anew; what is as it was told is not told again.
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

    /// Looks at a slice of names; false where nothing is left to look at.
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
            // Not with the look itself: two of them would have what was seen twice.
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
        // A directory that was removed is empty.
        if error == .noSuchFileOrDirectory { return }
        report(problem: "what lies in \(path.isEmpty ? "it" : path) of the inbox \(self.path) is not told: \(error)")
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

    /// Whether a path of the inbox leads to a file that has all that its writer wrote, as far as can be told: one that is
    /// still open for writing is told when it is closed.
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

    /// Puts a marker into the queue behind all events that looks may have run ahead of.
    ///
    /// - Parameter settling: Whether looks have ended; else it is there to wake up whoever waits for the queue.
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
            // Directories stay in doubt: a file that is closed just as it was told is not told again.
            isMarkerDue = false
            report(problem: "the inbox cannot be watched as it should: \(error); \(Self.remedy(error))")
        }
    }

    // MARK: Files that are being written

    /// Whether a file is what a look has found, and nobody has it open for writing.
    ///
    /// Where the latter cannot be told, it counts as whole. Between the look and the question its writer may have written
    /// and closed it: then the close, which is in the queue, tells it, and what was seen of it, half written, is not told.
    /// The kernel tells of a close before the file counts as closed, so one may still count as open for a moment: then the
    /// second look tells it.
    func isWhole(_ name: [UInt8], _ entry: InboxEntry, in directory: InboxDirectory) -> Bool {
        calls.isBeingWritten(name, in: directory) != true && look(at: name, in: directory)?.version == entry.version
    }

    /// Whether a file may have been made by somebody who does not have it open yet, and is about to write it.
    ///
    /// open(2) makes a file before it counts as open for writing, and says so in between. So an empty file that a look
    /// finds is told when it is closed, or, where that was before, once it has been empty for a while.
    func isBeingMade(_ entry: InboxEntry) -> Bool {
        let age = WallTime.now().milliseconds - entry.modified.milliseconds
        return entry.size == 0 && age >= 0 && .milliseconds(age) < limits.secondLook
    }

    /// Remembers that a file in a directory was being written when it was looked at; its close tells it.
    func awaitClose(in node: Int) {
        beingWritten.insert(node)
        // Looks that go on plan it when they end.
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
