package import CleatAPI
package import CleatIO
package import SystemPackage

/// Follows the inbox and all directories in it, and publishes an event for each file that has arrived complete: closed
/// after writing, moved in, or linked in. inotify(7)
///
/// Each arrival is one event (source `file`, action `arrived`); its subject is the path below the inbox. Files that
/// exist at startup are published once, marked as restored, except files that a process has open for writing: these are
/// published when they are closed. After an overflow of the kernel's queue everything is scanned, and the difference is
/// published. The kernel reports whether a file is complete; only a new empty file that a scan finds waits for a timer
/// (``InboxLimits/secondScan``). Symbolic links, devices, FIFOs and sockets are neither published nor followed.
package actor InboxObserver: EventObserver {
    /// A closure that waits until the consumer of the published events can take more.
    package typealias Pace = @Sendable () async -> Void

    private let loop: EventLoop
    private let limits: InboxLimits
    private let pace: Pace?
    /// The path of the inbox.
    package nonisolated let path: FilePath

    private(set) var contents: InboxContents
    private var ancestors: InboxAncestors
    private var readiness: Readiness?
    private var secondScan: Task<Void, Never>?
    private var situation = InboxState.starting
    private var gate = ReadyGate()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Prepares an observer; nothing is watched before ``run()``.
    ///
    /// - Parameters:
    ///   - loop: The loop on which the observer runs.
    ///   - bus: The bus on which arrivals are published.
    ///   - base: A directory that exists for as long as the service runs.
    ///   - names: The names of the directories from `base` to the inbox; each may be created, removed and replaced.
    ///   - limits: The limits of the observer.
    ///   - calls: The system calls.
    ///   - pace: A closure that is called between slices of work and may delay the next one; nil for no delay.
    ///   - notify: A closure that is called on the loop with messages for the log.
    package init(
        loop: EventLoop, bus: EventBus, base: FilePath, names: [String] = ["files", "inbox"],
        limits: InboxLimits = InboxLimits(), calls: any WatchCalls = SystemWatchCalls(), pace: Pace? = nil,
        notify: @escaping @Sendable (InboxNotice) -> Void = { _ in }
    ) {
        self.loop = loop
        self.limits = limits
        self.pace = pace
        path = names.reduce(base) { $0.appending($1) }
        ancestors = InboxAncestors(base: base, names: names)
        contents = InboxContents(
            limits: limits, calls: calls,
            reporter: InboxReporter(
                bus: bus, path: path, refusalsLogged: limits.refusalsLogged, notify: notify))
    }

    package nonisolated var source: EventSource { .file }
    package nonisolated var name: String { "inbox" }

    // MARK: The state

    package var counters: [Counter] {
        let counts = contents.reporter.counters
        return [Counter](named: [
            "inbox.arrived": counts.arrived, "inbox.refused": counts.refused, "inbox.unwatched": counts.unwatched,
            "inbox.overflows": counts.overflows, "inbox.unremembered": counts.unremembered,
        ])
    }

    package var summary: String? { "\(state)" }

    package var problem: String? { contents.reporter.problem }

    /// The counts of files, directories and lost events.
    package var counts: InboxCounters {
        var counts = contents.reporter.counters
        counts.directories = contents.tree.nodes.count
        return counts
    }

    /// The state of the observer.
    package var state: InboxState {
        if case .watching = situation { return .watching(directories: contents.tree.nodes.count) }
        return situation
    }

    /// Scans the inbox, then follows its changes, until the task is cancelled.
    ///
    /// While the kernel refuses an event queue for a shortage, such as that of `fs.inotify.max_user_instances`, the
    /// state says so, and the queue is opened again after a pause.
    ///
    /// - Throws: `ObserverError` if the kernel refuses an event queue for another reason, or the queue cannot be read.
    package func run() async throws {
        defer { end() }
        do {
            let queue = try await openPatiently()
            let readiness = try loop.register(queue.descriptor)
            self.readiness = readiness
            while true {
                let isBusy = try step()
                openGateIfDone()
                if isBusy { await loop.yield() } else { try await readiness.readable() }
                try Task.checkCancellation()
                if let pace { await pace() }
            }
        } catch let error as ObserverError {
            situation = .off("\(error)")
            throw error
        }
    }

    private func openPatiently() async throws -> InboxQueue {
        var pause = limits.firstPause
        while true {
            do throws(ObserverError) {
                return try open()
            } catch {
                contents.queue?.close()
                contents.queue = nil
                guard let errno = error.underlying, InboxQueue.isShortage(errno) else { throw error }
                if situation == .starting { contents.reporter.log("\(error); it is tried again", isProblem: true) }
                situation = .off("\(error)")
                // The service does not wait for the first scan, since the shortage may last.
                gate.becomeReady()
            }
            try await loop.sleep(for: pause)
            pause = min(pause * 2, limits.longestPause)
        }
    }

    private func open() throws(ObserverError) -> InboxQueue {
        do throws(Errno) {
            let queue = try contents.open()
            try ancestors.open(queue)
            // After a shortage, files are new to those who did not wait for the first scan.
            let failure = attach(gate.isReady ? .appeared : .start)
            if let failure, InboxQueue.isShortage(failure) { throw failure }
            return queue
        } catch {
            throw ObserverError(.open, subject: subject, underlying: error, remedy: InboxQueue.remedy(error))
        }
    }

    private var subject: String { "the inbox \(path)" }

    /// Returns true if a path of the inbox leads to a complete file, as far as the kernel can report it.
    ///
    /// A file that is still open for writing is published when it is closed.
    package func isWhole(_ path: String) -> Bool { contents.isWhole(path) }

    // MARK: Steps

    /// Handles a slice of events, then a slice of scans; returns false if nothing is pending.
    private func step() throws(ObserverError) -> Bool {
        var isDrained = false
        for _ in 0..<limits.slice {
            guard let event = try nextEvent() else {
                isDrained = true
                break
            }
            handle(event)
        }
        if ancestors.isChanged { attach(.appeared) }
        if isDrained, contents.isFullScanDue { contents.scanAll(.appeared) }
        let isScanning = contents.advanceScans()
        if contents.needsSecondScan, secondScan == nil { planSecondScan() }
        return !isDrained || isScanning || ancestors.isChanged || contents.isFullScanDue || !contents.isScanned
    }

    private func nextEvent() throws(ObserverError) -> WatchEvent? {
        do throws(Errno) {
            return try contents.queue?.next()
        } catch {
            throw ObserverError(
                .receive, subject: subject, underlying: error, remedy: "the service must be started again")
        }
    }

    private func handle(_ event: WatchEvent) {
        if event.events.contains(.overflow) {
            contents.reporter.counters.overflows += 1
            // Events of the directories above may be lost as well.
            ancestors.isChanged = true
            contents.queue?.forgetMarkers()
            contents.scanAll(gate.isReady ? .overflow : .start)
        } else if contents.queue?.handleMarker(event) == true || ancestors.handle(event) {
            return
        } else if let node = contents.tree.node(of: event.watch) {
            if event.events.contains(.ended) {
                contents.remove(node)
                ancestors.isChanged = true
            } else {
                contents.handle(event, in: node)
            }
        }
    }

    /// Scans everything again; files that are unchanged since they were published are not published again.
    func scanAll(_ reason: InboxReason) {
        contents.scanAll(reason)
        contents.putMarker(confirming: false)
    }

    private func planSecondScan() {
        secondScan = loop.task { [weak self, loop, limits] in
            guard (try? await loop.sleep(for: limits.secondScan)) != nil else { return }
            await self?.scanAgain()
        }
    }

    /// Scans the directories again in which files were being written.
    func scanAgain() {
        secondScan = nil
        contents.scanAgain()
    }

    // MARK: The inbox itself

    /// Opens and watches the directories from the base to the inbox; watches again from the first that was replaced.
    ///
    /// - Returns: The error that keeps the inbox from being followed, which is reported; nil if there is none.
    @discardableResult
    private func attach(_ reason: InboxReason) -> Errno? {
        ancestors.isChanged = false
        guard let queue = contents.queue else { return nil }
        do throws(InboxAncestors.Failure) {
            let directory = try ancestors.inbox(queue) { contents.removeRoot() }
            let present = contents.tree.root.flatMap { contents.tree[$0]?.directory }
            if present?.identity != directory.identity {
                do throws(Errno) {
                    try contents.insertRoot(directory, reason)
                } catch {
                    throw InboxAncestors.Failure(errno: error, place: path)
                }
            }
        } catch {
            report(error)
            return error.errno
        }
        switch situation {
        case .waiting, .off: contents.reporter.log("\(subject) is followed again", isProblem: false)
        case .starting, .watching: break
        }
        situation = .watching(directories: contents.tree.nodes.count)
        return nil
    }

    private func report(_ failure: InboxAncestors.Failure) {
        let before = situation
        let (error, place) = (failure.errno, failure.place)
        switch error {
        case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
            situation = .waiting(path.string)
            let what = error == .noSuchFileOrDirectory ? "is not there" : "is not a directory"
            if situation != before {
                contents.reporter.log(
                    "\(place) \(what); files that arrive are reported again once it is a directory", isProblem: true)
            }
        default:
            let reason = "\(place) cannot be watched: \(error); \(InboxQueue.remedy(error))"
            situation = .off(reason)
            if situation != before {
                contents.reporter.log("the inbox is not followed: \(reason)", isProblem: true)
            }
        }
    }

    // MARK: Start and end

    private func openGateIfDone() {
        guard !gate.isReady, contents.isScanned, !ancestors.isChanged else { return }
        gate.becomeReady()
    }

    /// True if all events that were read are handled and no scan or marker is pending.
    package var isIdle: Bool {
        gate.isReady && contents.isScanned && (contents.queue?.isIdle ?? true) && !ancestors.isChanged
            && !contents.isFullScanDue
    }

    /// True if everything that existed at startup was scanned.
    package var isReady: Bool { gate.isReady }

    package func waitUntilReady() async {
        await withCheckedContinuation { gate.add($0) }
    }

    private func end() {
        secondScan?.cancel()
        readiness?.close()
        contents.queue?.close()
        contents.queue = nil
        gate.end()
    }
}
