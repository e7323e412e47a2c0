package import CleatIO
package import SystemPackage

/// Follows the inbox and all directories in it, and publishes an event for each file that has arrived complete: closed
/// after writing, moved in, or linked in. inotify(7)
///
/// Each arrival is one event (source `file`, action `arrived`); its subject is the path below the inbox. Files that
/// exist at startup are published once, marked as restored, except files that a process has open for writing: these are
/// published when they are closed. After an overflow of the kernel's queue everything is scanned, and the difference is
/// published. The kernel reports whether a file is complete; only a new empty file that a scan finds waits for a timer
/// (``InboxLimits/secondLook``). Symbolic links, devices, FIFOs and sockets are neither published nor followed.
package actor InboxObserver {
    /// The events that are watched in a directory above the inbox, and in the inbox and below it.
    static let aboveEvents = WatchEvents.names
    static let inboxEvents = WatchEvents.names.union(.closedAfterWriting)

    /// A closure that waits until the consumer of the published events can take more.
    package typealias Pace = @Sendable () async -> Void

    let loop: EventLoop
    let bus: EventBus
    let limits: InboxLimits
    let calls: any WatchCalls
    private let base: FilePath
    private let names: [String]
    private let pace: Pace?
    private let notify: @Sendable (InboxNotice) -> Void

    var queue: Descriptor?
    private var readiness: Readiness?
    private var events: ArraySlice<WatchEvent> = []
    /// The directories above the inbox, starting with the base, with their watches.
    private var above: [(directory: InboxDirectory, watch: Int32)] = []
    private var isAttachDue = false

    var tree: InboxTree
    // The scans in progress and pending: see `InboxObserver+Looks`.
    var look: InboxLook?
    var due: [(node: Int, reason: InboxReason)] = []
    var isFull = false
    var isMarkerDue = false
    var isFullLookDue = false
    var round: UInt64 = 1
    var settledRound: UInt64 = 0
    var markers: [Int32: UInt64] = [:]
    var marker: InboxDirectory?
    var beingWritten: Set<Int> = []
    var secondLook: Task<Void, Never>?
    var unwatched = InboxUnwatched()

    /// The counters of the observer.
    package var counters: InboxCounters {
        var counters = counted
        counters.directories = tree.nodes.count
        return counters
    }
    var counted = InboxCounters()
    private var situation = InboxState.starting
    /// The latest problem that keeps part of the inbox from being followed, as one sentence; nil if there is none.
    package internal(set) var problem: String?
    private var hasSettled = false
    private var hasEnded = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// The path of the inbox.
    package nonisolated let path: FilePath

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
        self.bus = bus
        self.base = base
        self.names = names
        self.limits = limits
        self.calls = calls
        self.pace = pace
        self.notify = notify
        path = names.reduce(base) { $0.appending($1) }
        tree = InboxTree(rememberedFiles: limits.remembered)
    }

    /// The state of the observer.
    package var state: InboxState {
        if case .watching = situation { return .watching(directories: tree.nodes.count) }
        return situation
    }

    /// Scans the inbox, then follows its changes, until the task is cancelled.
    ///
    /// - Throws: `ObserverError` if the kernel refuses an event queue, or the queue cannot be read.
    package func run() async throws {
        defer { end() }
        do {
            let queue = try open()
            let readiness = try loop.register(queue.descriptor)
            self.readiness = readiness
            while true {
                let isBusy = try step(queue)
                settleIfDone()
                if isBusy { await loop.yield() } else { try await readiness.readable() }
                try Task.checkCancellation()
                if let pace { await pace() }
            }
        } catch let error as ObserverError {
            situation = .off("\(error)")
            throw error
        }
    }

    private func open() throws(ObserverError) -> Descriptor {
        do throws(Errno) {
            let queue = Descriptor(owning: try calls.open())
            self.queue = queue
            marker = try InboxDirectory(path: "/")
            let directory = try InboxDirectory(path: base)
            above = [(directory, try calls.watch(directory.descriptor, for: Self.aboveEvents, in: queue.descriptor))]
            attach(.start)
            return queue
        } catch {
            throw ObserverError(.open, subject: "the inbox \(path)", underlying: error, remedy: Self.remedy(error))
        }
    }

    /// Returns the remedy for an error of inotify.
    static func remedy(_ error: Errno) -> String {
        switch error {
        case .tooManyOpenFiles:
            "raise fs.inotify.max_user_instances, or the number of files that the service may open (LimitNOFILE of the unit)"
        case .tooManyOpenFilesInSystem: "raise fs.file-max"
        case .noSpace: "raise fs.inotify.max_user_watches"
        case .noMemory: "the machine has no memory left"
        case .noSuchFileOrDirectory: "look whether the directory is there, and /proc is mounted"
        default: "look at its owner and mode, then start the service again"
        }
    }

    // MARK: Steps

    /// Handles a slice of events, then a slice of scans; returns false if nothing is pending.
    private func step(_ queue: Descriptor) throws(ObserverError) -> Bool {
        var isDrained = false
        for _ in 0..<limits.slice {
            if events.isEmpty {
                guard let more = try receive(queue) else {
                    isDrained = true
                    break
                }
                events = more[...]
            }
            if let event = events.popFirst() { take(event) }
        }
        if isAttachDue {
            isAttachDue = false
            attach(.appeared)
        }
        if isDrained, isFullLookDue { lookAtAll(.appeared) }
        let isLooking = advanceLooks()
        return !isDrained || isLooking || isAttachDue || isFullLookDue || !due.isEmpty
    }

    private func receive(_ queue: Descriptor) throws(ObserverError) -> [WatchEvent]? {
        do throws(Errno) {
            return try calls.read(queue.descriptor, limit: limits.readBytes)
        } catch {
            throw ObserverError(
                .receive, subject: "the inbox \(path)", underlying: error, remedy: "the service must be started again")
        }
    }

    private func take(_ event: WatchEvent) {
        if event.events.contains(.overflow) {
            counted.overflows += 1
            // Events of the directories above may be lost as well.
            isAttachDue = true
            markers = [:]
            lookAtAll(hasSettled ? .overflow : .start)
        } else if let finished = markers[event.watch] {
            guard event.events.contains(.ended) else { return }
            markers[event.watch] = nil
            settledRound = max(settledRound, finished)
        } else if let level = above.firstIndex(where: { $0.watch == event.watch }) {
            // `names` has one more entry than there are directories above that lead to it.
            if event.events.contains(.ended) || Array(names[level].utf8) == event.name { isAttachDue = true }
        } else if let node = tree.node(of: event.watch) {
            if event.events.contains(.ended) {
                remove(node)
                isAttachDue = true
            } else {
                take(event, in: node)
            }
        }
    }

    // MARK: The inbox itself

    /// Opens and watches the directories from the base to the inbox; watches again from the first that was replaced.
    private func attach(_ reason: InboxReason) {
        guard let queue else { return }
        var at = base
        for (level, name) in names.enumerated() {
            let isInbox = level == names.count - 1
            at.append(name)
            do throws(Errno) {
                let directory = try above[level].directory.open(Array(name.utf8))
                let present =
                    isInbox ? tree.root.flatMap { tree[$0]?.directory } : above.dropFirst(level + 1).first?.directory
                if present?.identity == directory.identity { continue }
                leave(from: level)
                let watched = isInbox ? Self.inboxEvents : Self.aboveEvents
                let watch = try calls.watch(directory.descriptor, for: watched, in: queue.descriptor)
                if isInbox {
                    plan(tree.insert(directory, watch: watch), reason)
                } else {
                    above.append((directory, watch))
                }
            } catch {
                leave(from: level)
                return report(error, at: at)
            }
        }
        if case .waiting = situation { say("the inbox \(path) is followed again", isProblem: false) }
        if case .off = situation { say("the inbox \(path) is followed again", isProblem: false) }
        situation = .watching(directories: tree.nodes.count)
    }

    private func leave(from level: Int) {
        if let root = tree.root { remove(root) }
        while above.count > level + 1 {
            // The watch may have ended with its directory; an error does not matter.
            if let last = above.popLast(), let queue { try? calls.remove(last.watch, from: queue.descriptor) }
        }
    }

    private func report(_ error: Errno, at place: FilePath) {
        let before = situation
        switch error {
        case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
            situation = .waiting(path.string)
            let what = error == .noSuchFileOrDirectory ? "is not there" : "is not a directory"
            if situation != before {
                say("\(place) \(what); files that arrive are reported again once it is a directory", isProblem: true)
            }
        default:
            situation = .off("\(place) cannot be watched: \(error); \(Self.remedy(error))")
            if situation != before {
                say(
                    "the inbox is not followed: \(place) cannot be watched: \(error); \(Self.remedy(error))",
                    isProblem: true)
            }
        }
    }

    func say(_ text: String, isProblem: Bool) { notify(InboxNotice(isProblem: isProblem, description: text)) }

    // MARK: Start and end

    private func settleIfDone() {
        guard !hasSettled, look == nil, due.isEmpty, !isAttachDue else { return }
        hasSettled = true
        wakeWaiters()
    }

    /// True if all events that were read are handled and no scan or marker is pending.
    package var isIdle: Bool {
        hasSettled && look == nil && due.isEmpty && events.isEmpty && markers.isEmpty && !isAttachDue && !isFullLookDue
    }

    /// Waits until everything that existed at startup was scanned, or the observer has ended.
    package func settled() async {
        if hasSettled || hasEnded { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    private func wakeWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    private func end() {
        hasEnded = true
        secondLook?.cancel()
        readiness?.close()
        queue?.close()
        queue = nil
        wakeWaiters()
    }
}
