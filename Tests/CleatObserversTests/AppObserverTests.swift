import CleatAPI
import CleatIO
import CleatTestSupport
import Synchronization
import Testing

@testable import CleatObservers

@Suite("events of programs")
struct AppObserverTests {
    private static let user = AppObserver.Emitter(uid: 1000, name: "pump", cause: "hook:a")

    /// A clock that the test advances.
    private final class Clock: Sendable {
        private let now = Mutex(BootTime(milliseconds: 1_000))

        var time: BootTime { now.withLock { $0 } }

        func advance(_ duration: Duration) { now.withLock { $0 = $0.advanced(by: duration) } }
    }

    private func withObserver(
        _ body: @escaping @Sendable (AppObserver, EventBus, Clock) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let (bus, clock) = (EventBus(bootID: "boot"), Clock())
            try await body(AppObserver(loop: loop, bus: bus, now: { clock.time }), bus, clock)
        }
    }

    @Test("an event has the source app, and the user of its emitter")
    func emitter() async throws {
        try await withObserver { observer, bus, _ in
            let subscription = bus.subscribe()
            let number = try await observer.emit(
                AppEvent(action: "button-pressed", subject: "door/front", properties: ["STATE": "on"]), by: Self.user)
            guard case .event(let record) = subscription.nextNow() else {
                Issue.record("no event was published")
                return
            }
            let event = record.event(bootID: "boot")
            #expect(event.sequence == number && event.source == .app && event.cause == "hook:a")
            #expect((event.action, event.subject) == ("button-pressed", "door/front"))
            #expect(event.properties == ["STATE": "on", "EMITTER_UID": "1000", "EMITTER": "pump"])
            _ = try await observer.emit(AppEvent(action: "a", subject: "b"), by: .init(uid: 7, name: nil))
            guard case .event(let nameless) = subscription.nextNow() else {
                Issue.record("no event was published")
                return
            }
            #expect(nameless.event(bootID: "boot").properties == ["EMITTER_UID": "7"])
        }
    }

    // MARK: Kept events

    /// Runs an observer, whose clock is the kernel's.
    private func withRunningObserver(
        _ body: @escaping @Sendable (AppObserver, EventSubscription) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let bus = EventBus(bootID: "boot")
            let observer = AppObserver(loop: loop, bus: bus)
            let events = bus.subscribe()
            let task = loop.task { try await observer.run() }
            try await body(observer, events)
            task.cancel()
            _ = await task.result
        }
    }

    private func next(_ events: EventSubscription) async throws -> EventRecord {
        guard case .event(let record)? = await events.next() else { throw CancellationError() }
        return record
    }

    private func event(_ action: String, _ subject: String = "tank", _ state: String = "low") -> AppEvent {
        AppEvent(action: action, subject: subject, properties: ["STATE": state])
    }

    @Test("A kept event is the present state of its subject; without a difference it is extended and not published")
    func kept() async throws {
        try await withRunningObserver { observer, events in
            let first = try await observer.emit(event("filled"), keep: 60_000, by: Self.user)
            #expect(try await observer.emit(event("filled"), keep: 60_000, by: Self.user) == first)
            #expect(try await next(events).sequence == first && events.nextNow() == nil)
            let second = try await observer.emit(event("filled", "tank", "high"), keep: 60_000, by: Self.user)
            #expect(second == first + 1)
            // An event that is not kept leaves the state as it is; that of another user is another one.
            _ = try await observer.emit(event("leaked"), by: Self.user)
            _ = try await observer.emit(event("filled", "tank", "new"), keep: 60_000, by: .init(uid: 7, name: nil))
            #expect(await observer.keptEvents.map { $0.properties["STATE"] } == ["high", "new"])
            let kept: any EventObserver = observer
            let page = await kept.inventory(after: nil, limit: 64)
            #expect(page.items.map(\.subject) == ["tank", "tank"])
            #expect(page.items.first?.properties["KEPT_ACTION"] == "filled")
            _ = try await observer.emit(event("emptied"), keep: 0, by: Self.user)
            #expect(await observer.keptEvents.map { $0.properties["STATE"] } == ["new"])
        }
    }

    @Test("At the end of its time, a kept event expires with its last properties, also behind one with a longer time")
    func expired() async throws {
        try await withRunningObserver { observer, events in
            _ = try await observer.emit(event("filled", "long"), keep: 86_400_000, by: Self.user)
            _ = try await observer.emit(event("filled", "short"), keep: 20, by: Self.user)
            let published = [try await next(events), try await next(events)]
            #expect(published.map(\.action) == ["filled", "filled"])
            let end = try await next(events)
            #expect((end.action, end.subject, end.properties["STATE"]) == ("expired", "short", "low"))
            #expect(end.properties["EMITTER"] == "pump" && end.draft.cause == nil)
            #expect(await observer.keptEvents.map(\.subject) == ["long"])
        }
    }

    @Test("An event that is emitted again is kept for the new time, a longer or a shorter one")
    func extended() async throws {
        try await withRunningObserver { observer, events in
            _ = try await observer.emit(event("filled", "shorter"), keep: 86_400_000, by: Self.user)
            _ = try await observer.emit(event("filled", "longer"), keep: 50, by: Self.user)
            _ = try await observer.emit(event("filled", "longer"), keep: 86_400_000, by: Self.user)
            _ = try await observer.emit(event("filled", "shorter"), keep: 100, by: Self.user)
            for subject in ["shorter", "longer"] { #expect(try await next(events).subject == subject) }
            let end = try await next(events)
            #expect((end.action, end.subject) == ("expired", "shorter"))
            #expect(await observer.keptEvents.map(\.subject) == ["longer"])
        }
    }

    @Test("The number of kept events is limited for a user and in all, and so is their time")
    func keptLimits() async throws {
        try await withRunningObserver { observer, _ in
            for keep in [-1, 86_400_001, .min, .max] as [Int64] {
                await #expect(throws: APIError.self) { try await observer.emit(event("a"), keep: keep, by: Self.user) }
            }
            for uid in 0..<4 as Range<UInt32> {
                let user = AppObserver.Emitter(uid: uid, name: nil)
                for number in 0..<16 {
                    _ = try await observer.emit(event("a", "s\(number)"), keep: 60_000, by: user)
                }
                await #expect(throws: APIError.self) {
                    try await observer.emit(event("a", "s16"), keep: 60_000, by: user)
                }
                // One that is kept already can still change.
                _ = try await observer.emit(event("b", "s15"), keep: 60_000, by: user)
            }
            let fifth = AppObserver.Emitter(uid: 4, name: nil)
            await #expect(throws: APIError.self) { try await observer.emit(event("a"), keep: 60_000, by: fifth) }
            _ = try await observer.emit(event("a", "s0"), keep: 0, by: .init(uid: 0, name: nil))
            _ = try await observer.emit(event("a"), keep: 60_000, by: fifth)
            #expect(await observer.keptEvents.count == 64)
        }
    }

    private static let long = String(repeating: "a", count: 65)

    @Test(
        "an invalid event publishes nothing",
        arguments: [
            AppEvent(action: "", subject: "s"), AppEvent(action: "Up", subject: "s"),
            AppEvent(action: "1up", subject: "s"), AppEvent(action: "-up", subject: "s"),
            AppEvent(action: "up\n", subject: "s"), AppEvent(action: long, subject: "s"),
            AppEvent(action: "up", subject: ""), AppEvent(action: "up", subject: "/devices/virtual/mem/null"),
            AppEvent(action: "up", subject: "a\u{0}b"), AppEvent(action: "up", subject: "a\u{9B}b"),
            AppEvent(action: "up", subject: String(repeating: "s", count: 256)),
            AppEvent(action: "up", subject: "s", properties: ["": "v"]),
            AppEvent(action: "up", subject: "s", properties: ["lower": "v"]),
            AppEvent(action: "up", subject: "s", properties: ["_A": "v"]),
            AppEvent(action: "up", subject: "s", properties: [long.uppercased(): "v"]),
            AppEvent(action: "up", subject: "s", properties: ["A": "line\nline"]),
            AppEvent(action: "up", subject: "s", properties: ["A": String(repeating: "v", count: 4_096)]),
            AppEvent(action: "up", subject: "s", properties: ["EMITTER_UID": "0"]),
            AppEvent(action: "up", subject: "s", properties: ["EMITTER": "root"]),
            AppEvent(
                action: "up", subject: "s",
                properties: Dictionary(uniqueKeysWithValues: (0..<33).map { ("P\($0)", "") })),
        ])
    func invalid(event: AppEvent) async throws {
        try await withObserver { observer, bus, _ in
            do {
                _ = try await observer.emit(event, by: Self.user)
                Issue.record("it was published")
            } catch let error as APIError {
                guard case .invalidEvent(let message) = error else { throw error }
                #expect(!message.isEmpty)
            }
            #expect(bus.lastSequence == 0)
            #expect(await observer.counters.first { $0.name == "programs.refused" }?.value == 1)
        }
    }

    @Test("an event of the largest size is published")
    func largest() async throws {
        try await withObserver { observer, bus, _ in
            let word = String(repeating: "a", count: AppEvent.wordBytes)
            let properties = [
                word.uppercased(): String(repeating: "v", count: AppEvent.propertyBytes - word.utf8.count)
            ]
            let subject = String(repeating: "s", count: AppEvent.subjectBytes)
            _ = try await observer.emit(
                AppEvent(action: word, subject: subject, properties: properties), by: Self.user)
            #expect(bus.lastSequence == 1)
        }
    }

    @Test("a user beyond the rate is refused with the time to wait, and no other user is")
    func rate() async throws {
        try await withObserver { observer, bus, clock in
            let event = AppEvent(action: "up", subject: "s")
            for _ in 0..<AppObserver.burst { _ = try await observer.emit(event, by: Self.user) }
            for _ in 0..<10_000 {
                do {
                    _ = try await observer.emit(event, by: Self.user)
                    Issue.record("it was published")
                } catch let error as APIError {
                    guard case .rateLimited(let wait, _) = error else { throw error }
                    #expect(wait == AppObserver.interval.milliseconds)
                }
            }
            #expect(bus.lastSequence == Int64(AppObserver.burst))
            #expect(await observer.counters.map(\.value) == [Int64(AppObserver.burst), 0, 10_000, 0])
            _ = try await observer.emit(event, by: .init(uid: 0, name: "root"))
            clock.advance(AppObserver.interval)
            _ = try await observer.emit(event, by: Self.user)
            #expect(bus.lastSequence == Int64(AppObserver.burst) + 2)
        }
    }

    @Test("an observer of programs is ready at once, and saves and lists nothing")
    func ready() async throws {
        try await withObserver { observer, _, _ in
            await observer.waitUntilReady()
            #expect(await observer.savedState() == nil)
            #expect(await observer.inventory(after: nil, limit: 10).items.isEmpty)
        }
    }
}
