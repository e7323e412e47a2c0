package import CleatObservers

/// Schedules the runs of hooks: debounces, merges by subject, limits rates, and shares the slots fairly among hooks.
///
/// The queue holds at most one event for each hook and subject, the newest. A new event replaces the waiting one. An
/// event that arrives during a run is kept for exactly one more run. If a subject has used up its rate, its newest
/// event waits for the next token, so the last state is always handled. Times are milliseconds of any monotonic clock.
package struct HookQueue: Sendable {
    /// The limits of the queue.
    package struct Limits: Sendable, Equatable {
        /// The largest number of runs at the same time.
        package var concurrency = 4
        /// The largest number of waiting events.
        package var entries = 8192
        /// The approximate size limit of the waiting events, in bytes.
        package var bytes = 4 * 1024 * 1024
        /// The largest number of idle lines (pairs of a hook and a subject) whose rate is remembered.
        package var idleSubjects = 4096

        /// Creates the default limits.
        package init() {}
    }

    /// The key of a line, in which the event of one subject waits for one hook.
    package struct Key: Hashable, Sendable {
        /// The hook's name.
        package var hook: String
        /// The event's subject.
        package var subject: String

        /// Creates a key.
        package init(hook: String, subject: String) {
            self.hook = hook
            self.subject = subject
        }
    }

    /// The result of offering an event.
    package enum Offer: Sendable, Equatable {
        /// It will run.
        case queued
        /// It replaced an older event that had not run yet.
        case merged
        /// It will run when the rate of its subject allows.
        case delayed
        /// It replaced an older event that was waiting for the rate.
        case suppressed
        /// It did not fit, and will run once there is space, with the state that its subject has then.
        case deferred
        /// It was dropped: the queue is full or closed, or the hook is not configured.
        case dropped
        /// It was dropped: the hook itself led to it, or its chain of hooks is too long.
        case cut
        /// It will run once the hook is resumed, with the state that its subject has then.
        case paused
    }

    /// A run to start: its line and its event.
    package struct Job: Sendable {
        /// The line.
        package var key: Key
        /// The event.
        package var event: EventRecord
    }

    private enum Phase: Sendable { case idle, waiting, queued, running }

    private struct Line: Sendable {
        var phase = Phase.idle
        var event: EventRecord?
        /// The earliest time at which the event runs.
        var start: Int64 = 0
        /// The latest time to which newer events can move `start` by debouncing.
        var latest: Int64 = 0
        var isMetered = false
        var bucket: TokenBucket
    }

    private struct Lane: Sendable {
        var pace: HookPace
        var ready = Fifo<Key>()
        var running = 0
        var isListed = false
        /// True if the hook was removed and only its last run is still in progress.
        var isGone = false
    }

    var limits: Limits
    private var lines: [Key: Line] = [:]
    private var lanes: [String: Lane] = [:]
    private var turns = Fifo<String>()
    private var timers = TimerHeap<Key>()
    private var bytes = 0
    private var busyLines = 0
    private var isClosed = false

    /// The number of runs in progress.
    package private(set) var running = 0
    /// The number of waiting events.
    package private(set) var waiting = 0
    /// The number of pairs of a hook and a subject that the queue knows.
    package var subjects: Int { lines.count }

    /// True if the queue is at most half full, so that a source that can wait may add events.
    package var hasSpace: Bool { waiting <= limits.entries / 2 && bytes <= limits.bytes / 2 }

    /// True if the queue is at most a quarter full, so that it is worth while to search subjects that did not fit.
    var isLow: Bool { waiting <= limits.entries / 4 && bytes <= limits.bytes / 4 }

    /// Creates an empty queue.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The approximate memory use in bytes of a waiting event with its line; the bus may hold the event as well.
    private static func bytes(of event: EventRecord) -> Int { 160 + event.size }

    /// Sets the hooks; waiting events of other hooks are dropped, and their runs in progress are the last.
    package mutating func configure(_ hooks: [Hook]) {
        let paces = Dictionary(hooks.map { ($0.name, $0.pace) }, uniquingKeysWith: { first, _ in first })
        for (name, pace) in paces {
            lanes[name, default: Lane(pace: pace)].pace = pace
            lanes[name]?.isGone = false
        }
        for (key, line) in lines where paces[key.hook] == nil {
            var line = line
            forget(&line)
            switch line.phase {
            case .running:
                lines[key] = line
            case .waiting, .queued:
                busyLines -= 1
                lines[key] = nil
            case .idle:
                lines[key] = nil
            }
        }
        timers.removeAll { paces[$0.hook] == nil }
        turns.removeAll { paces[$0] == nil }
        lanes = lanes.filter { paces[$0.key] != nil || $0.value.running > 0 }
        for name in lanes.keys where paces[name] == nil {
            lanes[name]?.ready = Fifo()
            lanes[name]?.isListed = false
            lanes[name]?.isGone = true
        }
    }

    /// Drops all waiting events and refuses further ones.
    package mutating func close() {
        isClosed = true
        configure([])
    }

    /// The events that wait.
    var events: [PendingHookEvent] {
        lines.compactMap { key, line in line.event.map { PendingHookEvent(hook: key.hook, event: $0) } }
    }

    /// Offers an event that matches the hook.
    package mutating func offer(_ event: EventRecord, to hook: String, now: Int64) -> Offer {
        guard let lane = lanes[hook], !lane.isGone, !isClosed else { return .dropped }
        let pace = lane.pace
        if HookCause(event.draft.cause).forbids(hook) { return .cut }
        let key = Key(hook: hook, subject: event.subject)
        var line = lines[key] ?? Line(bucket: TokenBucket(pace: pace, now: now))
        let isFirst = line.event == nil
        let change = Self.bytes(of: event) - (line.event.map(Self.bytes) ?? 0)
        if isFirst && waiting >= limits.entries || bytes + change > limits.bytes { return .dropped }
        if isFirst {
            line.latest = now &+ pace.debounceLimit
            line.start = now &+ pace.debounce
            waiting += 1
        } else if pace.debounce > 0, line.phase == .waiting || line.phase == .running {
            line.start = max(line.start, min(now &+ pace.debounce, line.latest))
        }
        bytes += change
        line.event = event
        var offer = isFirst ? Offer.queued : line.isMetered ? .suppressed : .merged
        if line.phase == .idle {
            busyLines += 1
            arrange(&line, key: key, pace: pace, now: now)
            if line.isMetered { offer = .delayed }
        }
        lines[key] = line
        sweepIfNeeded(now: now)
        return offer
    }

    /// Returns the next run to start; nil if none is ready or no slot is free.
    package mutating func next(now: Int64) -> Job? {
        promote(now: now)
        guard running < limits.concurrency else { return nil }
        for _ in 0..<turns.count {
            guard let name = turns.popFirst(), var lane = lanes[name] else { continue }
            // One hook cannot use every slot: otherwise a stuck hook would stop all others.
            let share = min(lane.pace.concurrency ?? Int.max, max(limits.concurrency - 1, 1))
            guard lane.running < share, let key = lane.ready.popFirst() else {
                lane.isListed = !lane.ready.isEmpty
                lanes[name] = lane
                if lane.isListed { turns.append(name) }
                continue
            }
            lane.isListed = !lane.ready.isEmpty
            guard var line = lines[key], line.phase == .queued, let event = line.event else {
                lanes[name] = lane
                if lane.isListed { turns.append(name) }
                continue
            }
            lane.running += 1
            lanes[name] = lane
            if lane.isListed { turns.append(name) }
            line.bucket.take(pace: lane.pace, now: now)
            line.phase = .running
            forget(&line)
            lines[key] = line
            running += 1
            return Job(key: key, event: event)
        }
        return nil
    }

    /// Records that a run has ended.
    package mutating func finish(_ key: Key, now: Int64) {
        guard var line = lines[key], line.phase == .running else { return }
        running -= 1
        line.phase = .idle
        guard var lane = lanes[key.hook] else { return }
        lane.running -= 1
        lanes[key.hook] = lane.isGone && lane.running == 0 ? nil : lane
        if !lane.isGone, line.event != nil {
            arrange(&line, key: key, pace: lane.pace, now: now)
            lines[key] = line
        } else {
            forget(&line)
            busyLines -= 1
            lines[key] = lane.isGone || line.bucket.isFull(pace: lane.pace, now: now) ? nil : line
        }
    }

    /// The time at which the next waiting event becomes due; nil while none waits for a time.
    package var wakeUp: Int64? { timers.first }

    private mutating func forget(_ line: inout Line) {
        guard let event = line.event else { return }
        line.event = nil
        line.isMetered = false
        waiting -= 1
        bytes -= Self.bytes(of: event)
    }

    /// Queues the line, or makes it wait for its debounce time or its rate.
    private mutating func arrange(_ line: inout Line, key: Key, pace: HookPace, now: Int64) {
        let allowed = line.bucket.nextRun(pace: pace, now: now)
        if allowed > line.start {
            line.isMetered = allowed > now
            line.start = allowed
        }
        if line.start > now {
            line.phase = .waiting
            timers.insert(key, at: line.start)
        } else {
            line.phase = .queued
            enlist(key)
        }
    }

    private mutating func enlist(_ key: Key) {
        guard var lane = lanes[key.hook] else { return }
        lane.ready.append(key)
        if !lane.isListed {
            lane.isListed = true
            turns.append(key.hook)
        }
        lanes[key.hook] = lane
    }

    /// Queues the lines whose time has come; a line whose start was moved continues to wait.
    private mutating func promote(now: Int64) {
        while let key = timers.popFirst(before: now) {
            guard var line = lines[key], line.phase == .waiting else { continue }
            if line.start > now {
                timers.insert(key, at: line.start)
            } else {
                line.phase = .queued
                lines[key] = line
                enlist(key)
            }
        }
    }

    /// Bounds the number of idle lines: removes first those whose rate is unused, then all.
    private mutating func sweepIfNeeded(now: Int64) {
        guard lines.count - busyLines > limits.idleSubjects else { return }
        lines = lines.filter { key, line in
            line.phase != .idle || !(lanes[key.hook].map { line.bucket.isFull(pace: $0.pace, now: now) } ?? true)
        }
        if lines.count - busyLines > limits.idleSubjects / 2 {
            lines = lines.filter { $0.value.phase != .idle }
        }
    }
}
