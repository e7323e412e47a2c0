import CleatAPI
import CleatHooks
import CleatObservers
import CleatTestSupport
import Testing

@Suite("The queue of hooks")
struct HookQueueTests {
    private func queue(_ hooks: [Hook] = [.make()], _ change: (inout HookQueue.Limits) -> Void = { _ in }) -> HookQueue
    {
        var limits = HookQueue.Limits()
        change(&limits)
        var queue = HookQueue(limits: limits)
        queue.configure(hooks)
        return queue
    }

    private func event(_ sequence: Int64, _ subject: String = "eth0", cause: String? = nil) -> EventRecord {
        .make(subject, sequence: sequence, cause: cause)
    }

    @Test("starts a run at once")
    func starts() {
        var queue = queue()
        #expect(queue.next(now: 0) == nil)
        #expect(queue.offer(event(1), to: "hook", now: 0) == .queued)
        #expect(queue.next(now: 0)?.event.sequence == 1)
        #expect(queue.running == 1 && queue.waiting == 0)
        #expect(queue.next(now: 0) == nil)
        queue.finish(.init(hook: "hook", subject: "eth0"), now: 1)
        #expect(queue.running == 0 && queue.wakeUp == nil)
    }

    @Test("merges while queued, and runs with the newest event")
    func mergesQueued() {
        var queue = queue()
        #expect(queue.offer(event(1), to: "hook", now: 0) == .queued)
        #expect(queue.offer(event(2), to: "hook", now: 0) == .merged)
        #expect(queue.offer(event(3), to: "hook", now: 0) == .merged)
        #expect(queue.next(now: 0)?.event.sequence == 3)
        #expect(queue.next(now: 0) == nil)
    }

    @Test("queues exactly once while running")
    func queuesOnceWhileRunning() {
        var queue = queue()
        _ = queue.offer(event(1), to: "hook", now: 0)
        let job = queue.next(now: 0)
        #expect(queue.offer(event(2), to: "hook", now: 1) == .queued)
        #expect(queue.offer(event(3), to: "hook", now: 2) == .merged)
        #expect(queue.offer(event(4), to: "hook", now: 3) == .merged)
        #expect(queue.next(now: 3) == nil)
        if let key = job?.key { queue.finish(key, now: 4) }
        #expect(queue.next(now: 4)?.event.sequence == 4)
        if let key = job?.key { queue.finish(key, now: 5) }
        #expect(queue.next(now: 5) == nil)
    }

    @Test("runs subjects concurrently, up to the limit and in turn")
    func concurrency() {
        var queue = queue([.make("a"), .make("b")]) { $0.concurrency = 4 }
        for number in 0..<6 { _ = queue.offer(event(Int64(number), "s\(number)"), to: "a", now: 0) }
        for number in 6..<8 { _ = queue.offer(event(Int64(number), "s\(number)"), to: "b", now: 0) }
        var started: [Int64] = []
        while let job = queue.next(now: 0) { started.append(job.event.sequence) }
        #expect(started == [0, 6, 1, 7])
    }

    @Test("leaves a slot to others when one hook is stuck")
    func oneHookCannotTakeAll() {
        var queue = queue([.make("stuck"), .make("other")]) { $0.concurrency = 4 }
        for number in 0..<10 { _ = queue.offer(event(Int64(number), "s\(number)"), to: "stuck", now: 0) }
        var started = 0
        while queue.next(now: 0) != nil { started += 1 }
        #expect(started == 3)
        _ = queue.offer(event(99), to: "other", now: 1)
        #expect(queue.next(now: 1)?.key.hook == "other")
    }

    @Test("keeps to the concurrency of a hook")
    func hookConcurrency() {
        var queue = queue([.make("one", pace: HookPace(concurrency: 1))])
        _ = queue.offer(event(1, "a"), to: "one", now: 0)
        _ = queue.offer(event(2, "b"), to: "one", now: 0)
        let first = queue.next(now: 0)
        #expect(first?.event.sequence == 1)
        #expect(queue.next(now: 0) == nil)
        if let first { queue.finish(first.key, now: 1) }
        #expect(queue.next(now: 1)?.event.sequence == 2)
    }

    @Test("waits until a subject is quiet, but not for ever")
    func debounces() {
        var queue = queue([.make(pace: HookPace(debounce: 100, debounceLimit: 250))])
        #expect(queue.offer(event(1), to: "hook", now: 0) == .queued)
        #expect(queue.next(now: 0) == nil)
        #expect(queue.wakeUp == 100)
        #expect(queue.offer(event(2), to: "hook", now: 90) == .merged)
        #expect(queue.next(now: 100) == nil)
        #expect(queue.wakeUp == 190)
        #expect(queue.offer(event(3), to: "hook", now: 180) == .merged)
        #expect(queue.offer(event(4), to: "hook", now: 240) == .merged)
        #expect(queue.next(now: 249) == nil)
        #expect(queue.next(now: 250)?.event.sequence == 4)
        #expect(queue.wakeUp == nil)
    }

    @Test("debounces what comes during a run, too")
    func debouncesWhileRunning() {
        var queue = queue([.make(pace: HookPace(debounce: 100))])
        _ = queue.offer(event(1), to: "hook", now: 0)
        let job = queue.next(now: 100)
        _ = queue.offer(event(2), to: "hook", now: 110)
        _ = queue.offer(event(3), to: "hook", now: 150)
        if let job { queue.finish(job.key, now: 160) }
        #expect(queue.next(now: 249) == nil)
        #expect(queue.wakeUp == 250)
        #expect(queue.next(now: 250)?.event.sequence == 3)
    }

    @Test("meters each subject, and the last state arrives")
    func meters() {
        var queue = queue([.make(pace: HookPace(burst: 2, perSecond: 10))])
        var runs: [Int64] = []
        for sequence in 1...6 {
            let offer = queue.offer(event(Int64(sequence)), to: "hook", now: 0)
            #expect(offer == (sequence <= 2 ? .queued : sequence == 3 ? .delayed : .suppressed), "\(sequence)")
            if let job = queue.next(now: 0) {
                runs.append(job.event.sequence)
                queue.finish(job.key, now: 0)
            }
        }
        #expect(runs == [1, 2])
        #expect(queue.wakeUp == 100)
        #expect(queue.offer(event(7, "eth1"), to: "hook", now: 0) == .queued, "another subject has a rate of its own")
        #expect(queue.next(now: 0)?.event.sequence == 7)
        #expect(queue.next(now: 99) == nil)
        #expect(queue.next(now: 100)?.event.sequence == 6)
    }

    @Test(
        "gives a subject its rate in the long run",
        arguments: [(1, 1), (30, 5), (5, 1000)] as [(Int64, Int64)])
    func longRun(burst: Int64, perSecond: Int64) {
        var queue = queue([.make(pace: HookPace(burst: burst, perSecond: perSecond))])
        var runs: Int64 = 0
        for now in Int64(0)..<10_000 {
            _ = queue.offer(event(now), to: "hook", now: now)
            if let job = queue.next(now: now) {
                runs += 1
                queue.finish(job.key, now: now)
            }
        }
        let expected = burst + perSecond * 10
        #expect(abs(runs - min(expected, 10_000)) <= burst + 1)
    }

    @Test("interrupts a loop")
    func loop() {
        var queue = queue([.make("a"), .make("b")])
        #expect(queue.offer(event(1, cause: "hook:a"), to: "a", now: 0) == .cut)
        #expect(queue.offer(event(1, cause: "hook:a"), to: "b", now: 0) == .queued)
        #expect(queue.offer(event(2, cause: "hook:a hook:b"), to: "a", now: 0) == .cut)
    }

    @Test("is bounded in entries and in bytes")
    func bounded() {
        var few = queue { $0.entries = 2 }
        #expect(few.offer(event(1, "a"), to: "hook", now: 0) == .queued)
        #expect(few.offer(event(2, "b"), to: "hook", now: 0) == .queued)
        #expect(few.offer(event(3, "c"), to: "hook", now: 0) == .dropped)
        #expect(
            few.offer(event(4, "a"), to: "hook", now: 0) == .merged, "the newest event of a queued subject has room")
        var small = queue { $0.bytes = 1000 }
        #expect(small.offer(event(1, "a"), to: "hook", now: 0) == .queued)
        let large = EventRecord.make("b", properties: ["P": String(repeating: "x", count: 1000)])
        #expect(small.offer(large, to: "hook", now: 0) == .dropped)
        #expect(small.offer(event(2, "b"), to: "hook", now: 0) == .queued)
    }

    @Test("forgets quiet subjects")
    func forgets() {
        var queue = queue { $0.idleSubjects = 100 }
        for number in 0..<10_000 {
            _ = queue.offer(event(Int64(number), "s\(number)"), to: "hook", now: 0)
            if let job = queue.next(now: 0) { queue.finish(job.key, now: 0) }
            #expect(queue.subjects <= 102)
        }
    }

    @Test("drops the entries of removed hooks, and keeps the others")
    func reconfigures() {
        var queue = queue([.make("a"), .make("b"), .make("c", pace: HookPace(debounce: 100))])
        _ = queue.offer(event(1), to: "a", now: 0)
        let running = queue.next(now: 0)
        _ = queue.offer(event(2), to: "a", now: 0)
        _ = queue.offer(event(3), to: "b", now: 0)
        _ = queue.offer(event(4), to: "c", now: 0)
        queue.configure([.make("b")])
        #expect(queue.waiting == 1 && queue.running == 1 && queue.wakeUp == nil)
        #expect(queue.offer(event(5), to: "a", now: 0) == .dropped)
        if let running { queue.finish(running.key, now: 1) }
        #expect(queue.next(now: 1)?.event.sequence == 3)
        #expect(queue.next(now: 1000) == nil)
        #expect(queue.running == 1)
    }

    @Test("continues with a hook that is loaded again while its last run continues")
    func comesAgain() {
        var queue = queue([.make("a")])
        _ = queue.offer(event(1), to: "a", now: 0)
        let running = queue.next(now: 0)
        queue.configure([])
        queue.configure([.make("a")])
        #expect(queue.offer(event(2), to: "a", now: 0) == .queued)
        #expect(queue.next(now: 0) == nil, "the subject still runs")
        if let running { queue.finish(running.key, now: 1) }
        #expect(queue.next(now: 1)?.event.sequence == 2)
    }

    @Test("accepts nothing once it is closed")
    func closes() {
        var queue = queue()
        _ = queue.offer(event(1), to: "hook", now: 0)
        queue.close()
        #expect(queue.waiting == 0 && queue.next(now: 0) == nil)
        #expect(queue.offer(event(2), to: "hook", now: 0) == .dropped)
    }

    @Test("never loses the newest event of a subject", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func newestArrives(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let hooks = [
            Hook.make("a"), .make("b", pace: HookPace(debounce: 7, debounceLimit: 20)),
            .make("c", pace: HookPace(burst: 1, perSecond: 50)),
        ]
        var queue = queue(hooks) { $0.idleSubjects = 2 }
        var newest: [HookQueue.Key: Int64] = [:]
        var seen: [HookQueue.Key: Int64] = [:]
        var running: [HookQueue.Key] = []
        var now: Int64 = 0
        for sequence in Int64(1)...3000 {
            now += Int64.random(in: 0...3, using: &random)
            let key = HookQueue.Key(
                hook: ["a", "b", "c"].randomElement(using: &random) ?? "a", subject: "s\(sequence % 7)")
            #expect(queue.offer(event(sequence, key.subject), to: key.hook, now: now) != .dropped)
            newest[key] = sequence
            while Bool.random(using: &random), let job = queue.next(now: now) {
                #expect(!running.contains(job.key), "one run a subject at a time")
                running.append(job.key)
                #expect((seen[job.key] ?? 0) < job.event.sequence, "events go forward")
                seen[job.key] = job.event.sequence
            }
            #expect(running.count <= 4 && queue.running == running.count)
            if Bool.random(using: &random), !running.isEmpty {
                queue.finish(running.removeFirst(), now: now)
            }
        }
        while queue.running > 0 || queue.waiting > 0 {
            while let key = running.popLast() { queue.finish(key, now: now) }
            while let job = queue.next(now: now) {
                running.append(job.key)
                seen[job.key] = job.event.sequence
            }
            if running.isEmpty {
                guard let wakeUp = queue.wakeUp else { break }
                now = wakeUp
            }
        }
        #expect(seen == newest)
        #expect(queue.waiting == 0 && queue.running == 0)
    }

    @Test("holds a burst of events of other subjects, and returns each unchanged")
    func burst() {
        var queue = queue()
        var properties: [String: String] = [:]
        for number in 0..<12 { properties["ID_PROPERTY_\(number)"] = "value number \(number)" }
        let count = Int64(TestMachine.rounds(5000, briefly: 1000))
        for number in 1...count {
            let event = EventRecord.make("/devices/virtual/s\(number)", sequence: number, properties: properties)
            #expect(queue.offer(event, to: "hook", now: 0) == .queued)
        }
        var runs: Int64 = 0
        while let job = queue.next(now: 0) {
            runs += 1
            let expected = Event.make("/devices/virtual/s\(runs)", sequence: runs, properties: properties)
            #expect(job.event.event(bootID: expected.bootID) == expected)
            queue.finish(job.key, now: 0)
        }
        #expect(runs == count && queue.waiting == 0)
    }
}
