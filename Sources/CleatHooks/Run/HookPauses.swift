internal import CleatAPI
internal import CleatObservers

/// The hooks that do not run for a time: paused by a user, or since their own runs trigger them again.
///
/// A change that a hook makes with `cleat` carries its cause. What its program changes in the kernel does not, so a loop
/// through the kernel is found by an experiment: if each of a hook's last runs on a subject was followed by an event
/// during it or right after it, and by none at another time, the hook rests for ``rest``. An event of that subject
/// meanwhile has another source, and the hook goes on; without one, it stays paused. Times are in milliseconds.
struct HookPauses: Sendable {
    /// The number of such runs within ``period`` after which a hook rests.
    static let runs = 20
    static let period: Int64 = 60_000
    /// The time after a run in which an event counts as its effect.
    static let delay: Int64 = 100
    /// The time without a run in which an event shows another source.
    static let rest: Int64 = 5_000
    /// The number of subjects beyond which those without a recent run are forgotten.
    private static let subjects = 256

    /// The runs on one subject, each of which was followed by the next.
    private struct Chain: Sendable {
        var first: Int64
        var count = 0
        /// The last time at which an event counts as an effect of the run; the largest number during it.
        var until = Int64.max
        /// True if no event came at another time since the last run.
        var isOwn = true
    }

    /// One paused hook.
    struct Pause: Sendable {
        /// The subject of the loop; nil if a user has paused the hook.
        var subject: String?
        /// The end of the rest; nil once it has shown a loop, or if a user has paused the hook.
        var decision: Int64?
    }

    private var chains: [HookQueue.Key: Chain] = [:]
    private var pauses: [String: Pause] = [:]
    /// The events that came for paused hooks, without their properties.
    private var held = HookOverflow()

    /// The hooks that a loop or a user has paused.
    var paused: [String: Pause] { pauses.filter { $0.value.decision == nil } }

    /// The time at which the next rest ends; nil if no hook rests.
    var nextDecision: Int64? { pauses.values.compactMap(\.decision).min() }

    /// Returns true if a hook does not run now.
    func contains(_ hook: String) -> Bool { pauses[hook] != nil }

    /// Records an event that has matched; returns true if it shows that a hook that rests is in no loop.
    mutating func arrived(_ key: HookQueue.Key, now: Int64) -> Bool {
        if let pause = pauses[key.hook] { return pause.decision != nil && pause.subject == key.subject }
        if let until = chains[key]?.until, now > until { chains[key]?.isOwn = false }
        return false
    }

    /// Records that a run is about to start; returns false if the hook rests instead.
    mutating func mayStart(_ key: HookQueue.Key, now: Int64) -> Bool {
        if pauses[key.hook] != nil { return false }
        if chains.count >= Self.subjects { chains = chains.filter { $0.value.until >= now } }
        var chain = chains[key] ?? Chain(first: now)
        if !chain.isOwn || now - chain.first > Self.period { chain = Chain(first: now) }
        chain.count += 1
        chain.until = .max
        guard chain.count <= Self.runs else {
            chains[key] = nil
            pauses[key.hook] = Pause(subject: key.subject, decision: now + Self.rest)
            return false
        }
        chains[key] = chain
        return true
    }

    /// Records the end of a run.
    mutating func ended(_ key: HookQueue.Key, now: Int64) { chains[key]?.until = now + Self.delay }

    /// Keeps an event of a paused hook; returns false if there is no space for it.
    mutating func hold(_ event: EventRecord, for hook: String) -> Bool { held.add(event, to: hook) }

    /// The events that wait for paused hooks.
    var events: [PendingHookEvent] { held.events }

    /// Pauses a hook for a user; one that is paused already stays as it is.
    mutating func pause(_ hook: String) {
        if paused[hook] == nil { pauses[hook] = Pause() }
    }

    /// Resumes a hook; returns what was held for it.
    mutating func resume(_ hook: String) -> [(key: HookQueue.Key, entry: HookOverflow.Entry)] {
        pauses[hook] = nil
        return held.take(hook)
    }

    /// Ends the rests that are over; returns those hooks with the subjects of their loops.
    mutating func decide(now: Int64) -> [(hook: String, subject: String)] {
        var loops: [(hook: String, subject: String)] = []
        for (hook, pause) in pauses {
            guard let decision = pause.decision, decision <= now else { continue }
            pauses[hook]?.decision = nil
            loops.append((hook, pause.subject ?? ""))
        }
        return loops
    }

    /// Forgets the hooks that are not among these.
    mutating func removeAll(except hooks: Set<String>) {
        pauses = pauses.filter { hooks.contains($0.key) }
        chains = chains.filter { hooks.contains($0.key.hook) }
        held.removeAll(except: hooks)
    }
}
