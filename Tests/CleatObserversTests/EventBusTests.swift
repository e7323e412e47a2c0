import CleatAPI
import CleatIO
import CleatTestSupport
import Testing

@testable import CleatObservers

@Suite("Event bus")
struct EventBusTests {
    private let bus = EventBus(bootID: "boot") {
        EventStamp(time: WallTime(milliseconds: 0), bootTime: BootTime(milliseconds: 42), synchronised: true)
    }

    private func draft(_ subject: String, _ action: String = "add", source: EventSource = .device) -> EventDraft {
        EventDraft(source: source, action: action, subject: subject, properties: ["KEY": "value"])
    }

    private func all(_ subscription: EventSubscription) -> [String] {
        var found: [String] = []
        while let delivery = subscription.nextNow() {
            switch delivery {
            case .event(let event): found.append("\(event.sequence) \(event.subject)")
            case .lost(let count): found.append("lost \(count)")
            }
        }
        return found
    }

    @Test("An event is numbered from 1, dated and delivered unchanged")
    func event() throws {
        let subscription = bus.subscribe()
        var draft = draft("/devices/a")
        draft.cause = "tx1"
        draft.restored = true
        #expect(bus.publish(draft) == 1)
        #expect(bus.publish(self.draft("/devices/b")) == 2)
        let expected = Event(
            sequence: 1, source: .device, action: "add", subject: "/devices/a", properties: ["KEY": "value"],
            time: "1970-01-01T00:00:00.000Z", bootID: "boot", bootTime: 42, synchronised: true, cause: "tx1",
            restored: true)
        guard case .event(let record) = subscription.nextNow() else {
            Issue.record("the event is missing")
            return
        }
        #expect(record.event(bootID: bus.bootID) == expected)
        #expect(bus.lastSequence == 2)
        #expect(bus.instance.utf8.count == 32)
        #expect(EventBus(bootID: "boot").instance != bus.instance)
    }

    @Test("A slow subscriber keeps the newest, and is notified of the number lost before them")
    func slow() {
        let slow = bus.subscribe(buffer: 3)
        let quick = bus.subscribe()
        for number in 1...10 { bus.publish(draft("s\(number)")) }
        #expect(all(slow) == ["lost 7", "8 s8", "9 s9", "10 s10"])
        #expect(all(quick).count == 10)
        #expect(bus.lost == 7)
        bus.publish(draft("s11"))
        #expect(all(slow) == ["11 s11"])
    }

    @Test("A slow subscriber keeps fewer large events, but always the newest")
    func slowAndLarge() {
        let slow = bus.subscribe(buffer: 16)
        for number in 1...40 {
            var large = draft("s\(number)")
            large.properties.append("VALUE", String(repeating: "x", count: number == 40 ? 60_000 : 8_000))
            bus.publish(large)
            #expect(slow.backlog <= 4)
        }
        #expect(all(slow) == ["lost 39", "40 s40"])
        #expect(bus.lost == 39)
    }

    @Test("Filters select the named events")
    func filters() throws {
        let links = bus.subscribe(matching: EventFilter(sources: [.link]))
        let removals = bus.subscribe(matching: EventFilter(action: Glob("rem*")))
        let loops = bus.subscribe(matching: EventFilter(sources: [.device], subject: Glob("*/loop?")))
        bus.publish(draft("/devices/block/loop1"))
        bus.publish(draft("eth0", "removed", source: .link))
        bus.publish(draft("/devices/block/loop10", "remove"))
        #expect(all(links) == ["2 eth0"])
        #expect(all(removals) == ["2 eth0", "3 /devices/block/loop10"])
        #expect(all(loops) == ["1 /devices/block/loop1"])
    }

    @Test("Replay continues at the subscriber's position, without gap or repetition")
    func replay() {
        for number in 1...5 { bus.publish(draft("s\(number)")) }
        let subscription = bus.subscribe(after: (bus.instance, 3))
        bus.publish(draft("s6"))
        #expect(subscription.resumed)
        #expect(all(subscription) == ["4 s4", "5 s5", "6 s6"])
        let present = bus.subscribe(after: (bus.instance, 6))
        #expect(present.resumed && all(present).isEmpty)
        let other = bus.subscribe(after: ("another", 3))
        #expect(!other.resumed && all(other).isEmpty)
        let future = bus.subscribe(after: (bus.instance, 7))
        #expect(!future.resumed)
        #expect(!bus.subscribe(after: (bus.instance, -1)).resumed)
        let filtered = bus.subscribe(matching: EventFilter(subject: Glob("s[25]")), after: (bus.instance, 0))
        #expect(all(filtered) == ["2 s2", "5 s5"])
    }

    @Test("Events that are no longer kept for replay are reported as lost, in their position")
    func replayLimit() {
        for number in 1...(EventBus.replayLimit + 10) { bus.publish(draft("s\(number)")) }
        let subscription = bus.subscribe(buffer: 2, after: (bus.instance, 4))
        for number in 1...5 { bus.publish(draft("t\(number)")) }
        let found = all(subscription)
        #expect(found.first == "lost 6")
        #expect(found.dropFirst().first == "11 s11")
        #expect(found.count == 1 + EventBus.replayLimit + 1 + 2)
        #expect(Array(found.suffix(3)) == ["lost 3", "1038 t4", "1039 t5"])
    }

    @Test("The bytes that are kept for replay are bounded")
    func replayBytes() {
        let large = PropertyBlock(["A": String(repeating: "x", count: 10_000)])
        for _ in 0..<500 { bus.publish(EventDraft(source: .agent, action: "a", subject: "s", properties: large)) }
        let found = all(bus.subscribe(after: (bus.instance, 0)))
        #expect(found.count > 90 && found.count < 110)
    }

    @Test("A waiting subscriber is woken by the event, and by the end of its task or of the bus")
    func waiting() async throws {
        let bus = bus
        try await withLoop { loop in
            let subscription = bus.subscribe()
            let reader = loop.task {
                var subjects: [String] = []
                for await delivery in subscription {
                    if case .event(let event) = delivery { subjects.append(event.subject) }
                }
                return subjects
            }
            await loop.yield()
            bus.publish(EventDraft(source: .agent, action: "a", subject: "one"))
            await loop.yield()
            bus.publish(EventDraft(source: .agent, action: "a", subject: "two"))
            bus.publish(EventDraft(source: .agent, action: "a", subject: "three"))
            await loop.yield()
            reader.cancel()
            #expect(await reader.value == ["one", "two", "three"])
            let closing = bus.subscribe()
            let last = loop.task { await closing.next() }
            await loop.yield()
            bus.close()
            #expect(await last.value == nil)
            #expect(bus.publish(EventDraft(source: .agent, action: "a", subject: "late")) == 0)
            #expect(await bus.subscribe().next() == nil)
        }
    }

    @Test("Dropping the last reference unsubscribes")
    func dropping() {
        var subscription: EventSubscription? = bus.subscribe()
        #expect(bus.subscribers == 1)
        _ = subscription?.instance
        subscription = nil
        #expect(bus.subscribers == 0)
    }

    @Test("Five thousand events at once reach a subscriber that reads in turn")
    func burst() async throws {
        let bus = bus
        try await withLoop { loop in
            let subscription = bus.subscribe()
            let reader = loop.task {
                var count = 0
                while count < 5_000, let delivery = await subscription.next() {
                    guard case .event(let event) = delivery else { return -1 }
                    count += 1
                    if event.sequence != count { return -1 }
                }
                return count
            }
            for turn in 0..<79 {
                for number in 0..<64 where turn * 64 + number < 5_000 {
                    bus.publish(EventDraft(source: .device, action: "add", subject: "/devices/\(number)"))
                }
                await loop.yield()
            }
            #expect(await reader.value == 5_000)
        }
    }
}
