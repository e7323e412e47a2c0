package import CleatAPI

/// Decides which run starts when: debounces, merges by subject, meters, and shares the slots fairly among hooks.
///
/// Holds at most one event for each hook and subject, the newest. An event that comes while one waits replaces it, one
/// that comes during the run is kept for exactly one more run, and where a subject has used up its rate the newest event
/// waits for the next allowance, so the last state always arrives. Times are milliseconds on any clock that only grows.
package struct HookQueue: Sendable {
    /// Bounds what the queue holds.
    package struct Limits: Sendable, Hashable {
        /// The largest number of runs at the same time.
        package var concurrency = 4
        /// The largest number of events that wait.
        package var entries = 8192
        /// The largest number of bytes of events that wait, about.
        package var bytes = 4 * 1024 * 1024
        /// The largest number of subjects whose rate is remembered while nothing waits for them.
        package var idleSubjects = 4096

        /// Creates the usual limits.
        package init() {}
    }

    /// Names the line in which events of one subject wait for one hook.
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

    /// Says what became of an event.
    package enum Offer: Sendable, Hashable {
        /// It will run.
        case queued
        /// It took the place of an older event that had not run yet.
        case merged
        /// It will run when the rate of its subject allows.
        case delayed
        /// It took the place of an older event that was waiting for the rate.
        case suppressed
        /// The queue is full.
        case dropped
        /// The hook itself led to it.
        case cut
    }

    /// Pairs a line with the event to run.
    package struct Job: Sendable, Hashable {
        /// The line.
        package var key: Key
        /// The event.
        package var event: Event
    }

    private enum Phase: Sendable { case idle, waiting, queued, running }

    private struct Line: Sendable {
        var phase = Phase.idle
        var event: StoredEvent?
        /// The instant before which the event does not run.
        var start: Int64 = 0
        /// The instant past which newer events cannot move `start` by debouncing.
        var latest: Int64 = 0
        var isMetered = false
        var bucket: TokenBucket
    }

    private struct Lane: Sendable {
        var pace: HookPace
        var ready = Fifo<Key>()
        var running = 0
        var isListed = false
        /// Whether the hook is no longer there, and only a run goes on.
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

    /// The number of runs that go on.
    package private(set) var running = 0
    /// The number of events that wait.
    package private(set) var waiting = 0
    /// The number of subjects that the queue knows.
    package var subjects: Int { lines.count }

    /// Whether less than half of what may wait does, so that a source that can wait need not.
    package var hasRoom: Bool { waiting <= limits.entries / 2 && bytes <= limits.bytes / 2 }

    /// Creates an empty queue.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Sets which hooks there are; what waits for others is dropped, and their runs that go on are the last.
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

    /// Drops everything that waits and takes nothing any more.
    package mutating func close() {
        isClosed = true
        configure([])
    }

    /// Offers an event that matches the hook.
    package mutating func offer(_ event: Event, to hook: String, now: Int64) -> Offer {
        guard let lane = lanes[hook], !lane.isGone, !isClosed else { return .dropped }
        let pace = lane.pace
        if HookCause(event.cause).forbids(hook) { return .cut }
        let key = Key(hook: hook, subject: event.subject)
        var line = lines[key] ?? Line(bucket: TokenBucket(pace: pace, now: now))
        let isFirst = line.event == nil
        // What can start at once is not worth packing.
        let stored = StoredEvent(
            event, isPacked: running + waiting >= limits.concurrency || line.phase != .idle || pace.debounce > 0)
        let change = stored.bytes - (line.event?.bytes ?? 0)
        if isFirst && waiting >= limits.entries || bytes + change > limits.bytes { return .dropped }
        if isFirst {
            line.latest = now &+ pace.debounceLimit
            line.start = now &+ pace.debounce
            waiting += 1
        } else if pace.debounce > 0, line.phase == .waiting || line.phase == .running {
            line.start = max(line.start, min(now &+ pace.debounce, line.latest))
        }
        bytes += change
        line.event = stored
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

    /// Takes the next run, if there is one and a slot is free.
    package mutating func next(now: Int64) -> Job? {
        promote(now: now)
        guard running < limits.concurrency else { return nil }
        for _ in 0..<turns.count {
            guard let name = turns.popFirst(), var lane = lanes[name] else { continue }
            // One hook alone cannot take every slot: a stuck one would stop all others.
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
            return Job(key: key, event: event.unpacked)
        }
        return nil
    }

    /// Notes that a run has ended.
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

    /// The instant at which the next waiting event becomes due; nil while none waits for time to pass.
    package var wakeUp: Int64? { timers.first }

    private mutating func forget(_ line: inout Line) {
        guard let event = line.event else { return }
        line.event = nil
        line.isMetered = false
        waiting -= 1
        bytes -= event.bytes
    }

    /// Queues the line, or lets it wait for its debounce or its rate.
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

    /// Queues what has waited long enough; a line whose start has moved goes on waiting.
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

    /// Bounds what is remembered of quiet subjects: first those whose rate is unused go, then all.
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
