import CleatAPI
import CleatObservers
import Testing

@testable import CleatHooks

/// The pauses behind a reference, so that expectations can change them.
private final class Pauses {
    private var pauses = HookPauses()

    var paused: [String: HookPauses.Pause] { pauses.paused }
    var nextDecision: Int64? { pauses.nextDecision }
    func contains(_ hook: String) -> Bool { pauses.contains(hook) }
    func arrived(_ key: HookQueue.Key, now: Int64) -> Bool { pauses.arrived(key, now: now) }
    func mayStart(_ key: HookQueue.Key, now: Int64) -> Bool { pauses.mayStart(key, now: now) }
    func ended(_ key: HookQueue.Key, now: Int64) { pauses.ended(key, now: now) }
    func hold(_ event: EventRecord, for hook: String) -> Bool { pauses.hold(event, for: hook) }
    func pause(_ hook: String) { pauses.pause(hook) }
    func resume(_ hook: String) -> [(key: HookQueue.Key, entry: HookOverflow.Entry)] { pauses.resume(hook) }
    func decide(now: Int64) -> [(hook: String, subject: String)] { pauses.decide(now: now) }
    func removeAll(except hooks: Set<String>) { pauses.removeAll(except: hooks) }
}

@Suite("Hooks that trigger themselves")
struct HookPausesTests {
    private let key = HookQueue.Key(hook: "hook", subject: "eth0")

    /// Runs the hook again and again, each run with an event some time after its start; returns the number of runs until
    /// it rests, and the time of that.
    private func runs(
        _ pauses: Pauses, most: Int, every period: Int64, lasting: Int64 = 5, event: Int64 = 3
    ) -> (count: Int, now: Int64) {
        var now: Int64 = 1_000_000
        for count in 0..<most {
            guard pauses.mayStart(key, now: now) else { return (count, now) }
            if event <= lasting {
                #expect(!pauses.arrived(key, now: now + event))
                pauses.ended(key, now: now + lasting)
            } else {
                pauses.ended(key, now: now + lasting)
                #expect(!pauses.arrived(key, now: now + event))
            }
            now += period
        }
        return (most, now)
    }

    @Test("rest after twenty runs, and are paused if nothing else triggers them")
    func loop() {
        for event: Int64 in [3, 105] {
            let pauses = Pauses()
            let (count, now) = runs(pauses, most: 100, every: 200, event: event)
            #expect(count == HookPauses.runs)
            #expect(pauses.contains("hook") && pauses.paused.isEmpty, "it only rests")
            #expect(pauses.nextDecision == now + HookPauses.rest)
            #expect(
                !pauses.arrived(HookQueue.Key(hook: "hook", subject: "eth1"), now: now + 1), "that is another subject")
            #expect(!pauses.arrived(HookQueue.Key(hook: "other", subject: "eth0"), now: now + 1))
            #expect(pauses.decide(now: now + HookPauses.rest - 1).isEmpty)
            let loops = pauses.decide(now: now + HookPauses.rest)
            #expect(loops.map(\.hook) == ["hook"] && loops.map(\.subject) == ["eth0"])
            #expect(pauses.paused["hook"]?.subject == "eth0")
            #expect(pauses.nextDecision == nil)
            #expect(!pauses.arrived(key, now: now + 60_000), "a paused hook is resumed by a user only")
            #expect(!pauses.mayStart(key, now: now + 60_000))
            _ = pauses.resume("hook")
            #expect(pauses.mayStart(key, now: now + 60_001))
        }
    }

    @Test("go on if an event comes while they rest: a slow hook of a busy subject")
    func busy() {
        let pauses = Pauses()
        let (count, now) = runs(pauses, most: 100, every: 2_000, lasting: 1_950, event: 1_000)
        #expect(count == HookPauses.runs)
        #expect(pauses.arrived(key, now: now + 1_000))
        #expect(pauses.resume("hook").isEmpty)
        #expect(!pauses.contains("hook"))
        #expect(pauses.mayStart(key, now: now + 1_001))
    }

    @Test("are no loop with an event at another time, or with few runs a minute")
    func others() {
        var pauses = Pauses()
        #expect(runs(pauses, most: 500, every: 200, event: 106).count == 500, "links that flap")
        pauses = Pauses()
        #expect(runs(pauses, most: 200, every: 3_100).count == 200)
        pauses = Pauses()
        for number in 0..<2_000 {
            let key = HookQueue.Key(hook: "hook", subject: "s\(number)")
            #expect(pauses.mayStart(key, now: Int64(number)))
            pauses.ended(key, now: Int64(number))
        }
    }

    @Test("keep the newest event of each subject until they are resumed")
    func held() {
        let pauses = Pauses()
        pauses.pause("hook")
        #expect(pauses.paused["hook"]?.subject == nil && !pauses.mayStart(key, now: 1))
        for sequence: Int64 in 1...3 {
            #expect(pauses.hold(.make(action: "a\(sequence)", sequence: sequence), for: "hook"))
        }
        #expect(pauses.hold(.make("eth1"), for: "other"))
        let taken = pauses.resume("hook")
        #expect(taken.map(\.key) == [key] && taken.map(\.entry.action) == ["a3"])
        #expect(pauses.resume("hook").isEmpty)
        pauses.pause("hook")
        pauses.removeAll(except: [])
        #expect(!pauses.contains("hook") && pauses.resume("other").isEmpty)
    }
}
