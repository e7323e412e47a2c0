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
            #expect(await observer.counters.map(\.value) == [Int64(AppObserver.burst), 0, 10_000])
            _ = try await observer.emit(event, by: .init(uid: 0, name: "root"))
            clock.advance(AppObserver.interval)
            _ = try await observer.emit(event, by: Self.user)
            #expect(bus.lastSequence == Int64(AppObserver.burst) + 2)
        }
    }

    @Test("an observer of programs is ready at once, and saves and lists nothing")
    func ready() async throws {
        try await withObserver { observer, _, _ in
            try await observer.run()
            await observer.waitUntilReady()
            #expect(await observer.savedState() == nil)
            #expect(await observer.inventory(after: nil, limit: 10).items.isEmpty)
        }
    }
}
