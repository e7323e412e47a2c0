import Cleat
import CleatEmbedded
import CleatTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(TestMachine.slowness))) struct EventTests {
    private func client() async throws -> Cleat {
        try await Cleat.inMemory(schemas: [lampSchema])
    }

    @Test func changesOfSettingsAndEmittedEventsComeInTheirOrder() async throws {
        let cleat = try await client()
        var events = try await cleat.events().makeAsyncIterator()
        try await cleat.set(.brightness, to: 10)
        try await cleat.emit("opened", subject: "door/front", ["BY": "guest"])
        try await cleat.unset(.brightness)
        let set = try #require(try await events.next())
        #expect(set.source == .setting && set.action == "set" && set.subject == "lamp/brightness")
        #expect(set.properties["GENERATION"] == "1" && set.properties["VALUE"] == "10" && set.properties["OLD"] == nil)
        #expect(set.missed == 0 && set.time != nil)
        let emitted = try #require(try await events.next())
        #expect(emitted.source == .app && emitted.action == "opened" && emitted.subject == "door/front")
        #expect(emitted.properties["BY"] == "guest" && emitted.properties["EMITTER_UID"] != nil)
        let unset = try #require(try await events.next())
        #expect(unset.action == "unset" && unset.properties["GENERATION"] == "2" && unset.properties["OLD"] == "10")
    }

    @Test func secretsAreNotInEvents() async throws {
        let cleat = try await client()
        var events = try await cleat.events(from: .setting).makeAsyncIterator()
        try await cleat.set(SettingKey<String?>("lamp/pin"), to: "4711")
        let event = try #require(try await events.next())
        #expect(event.subject == "lamp/pin" && event.properties["GENERATION"] == "1" && !"\(event)".contains("4711"))
    }

    @Test func aTrialThatRevertsIsAnEventOfEachSetting() async throws {
        let cleat = try await client()
        var events = try await cleat.events(from: .setting).makeAsyncIterator()
        try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 10
        } whileOnTrial: { _ in
        }
        var seen: [String] = []
        for _ in 0..<2 { seen.append(try #require(try await events.next()).properties["GENERATION"] ?? "none") }
        #expect(seen == ["1", "2"])
    }

    @Test func filtersBySourceActionAndSubject() async throws {
        let cleat = try await client()
        var all = try await cleat.events(from: .app, action: "o*", subject: "door/?").makeAsyncIterator()
        try await cleat.set(.brightness, to: 10)
        for (action, subject) in [("closed", "door/1"), ("opened", "window/1"), ("opened", "door/12")] {
            try await cleat.emit(action, subject: subject)
        }
        try await cleat.emit("opened", subject: "door/2")
        #expect(try await all.next()?.subject == "door/2")
    }

    @Test(arguments: [("[", nil), (nil, "\\"), (String(repeating: "a", count: 1_025), nil)] as [(String?, String?)])
    func refusesAPatternThatIsNotValid(_ action: String?, _ subject: String?) async throws {
        let cleat = try await client()
        let error = await #expect(throws: CleatError.self) {
            for try await _ in try await cleat.events(action: action, subject: subject) {}
        }
        #expect(error?.code == .refused && error?.remedy != nil)
    }

    @Test(arguments: [("Up", "s"), ("", "s"), ("up", ""), ("up", "/devices/x"), ("up", "a\nb")])
    func refusesAnEventThatIsNotValid(_ action: String, _ subject: String) async throws {
        let cleat = try await client()
        var events = try await cleat.events().makeAsyncIterator()
        let error = await #expect(throws: CleatError.self) { try await cleat.emit(action, subject: subject) }
        #expect(error?.code == .refused)
        try await cleat.emit("up", subject: "next")
        #expect(try await events.next()?.subject == "next", "the refused event was published")
    }

    @Test func aSlowReaderLosesTheOldestEventsAndIsToldSo() async throws {
        let cleat = try await client()
        var events = try await cleat.events(from: .setting, subject: "lamp/volume").makeAsyncIterator()
        var end = try await cleat.events(from: .app).makeAsyncIterator()
        let extra = 44
        for number in 1...(BoardEvents.buffer + extra) { try await cleat.set(.volume, to: Double(number)) }
        try await cleat.emit("counted", subject: "all")
        #expect(try await end.next()?.subject == "all")
        let first = try #require(try await events.next())
        #expect(first.missed == extra && first.properties["VALUE"] == "\(extra + 1)")
        let second = try #require(try await events.next())
        #expect(second.missed == 0 && second.properties["VALUE"] == "\(extra + 2)")
    }

    @Test func aCancelledReaderEnds() async throws {
        let cleat = try await client()
        let events = try await cleat.events()
        let reading = Task {
            for try await _ in events {}
            for try await _ in cleat.links {}
            return true
        }
        reading.cancel()
        #expect(try await reading.value)
    }

    @Test func nothingIsMissedBetweenTheCallAndTheFirstRead() async throws {
        let cleat = try await client()
        let events = try await cleat.events(from: .app)
        try await cleat.emit("early", subject: "door")
        var iterator = events.makeAsyncIterator()
        #expect(try await iterator.next()?.action == "early")
    }

    @Test func linksAndDevicesOfMemoryAreNone() async throws {
        let cleat = try await client()
        var links = cleat.links.makeAsyncIterator()
        #expect(try await links.next() == [])
        var devices = cleat.devices(in: "usb").makeAsyncIterator()
        #expect(try await devices.next() == [])
    }
}

@Suite(.timeLimit(.minutes(TestMachine.slowness))) struct BroadcasterTests {
    @Test func eachObserverGetsEachNoticeFromItsStart() async {
        let broadcaster = Broadcaster<Int>()
        broadcaster.publish(0)
        var first = broadcaster.notices().makeAsyncIterator()
        broadcaster.publish(1)
        var second = broadcaster.notices().makeAsyncIterator()
        broadcaster.publish(2)
        #expect(broadcaster.observerCount == 2)
        broadcaster.finish()
        broadcaster.publish(3)
        var seen: [[Int]] = [[], []]
        while let notice = await first.next() { seen[0].append(notice) }
        while let notice = await second.next() { seen[1].append(notice) }
        #expect(seen == [[1, 2], [2]])
        var late = broadcaster.notices().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func aNewObserverGetsTheLatestNoticeOfAState() async {
        let broadcaster = Broadcaster<String>(keepsLatest: true)
        var early = broadcaster.notices().makeAsyncIterator()
        for state in ["connecting", "connected"] { broadcaster.publish(state) }
        var late = broadcaster.notices().makeAsyncIterator()
        #expect(await late.next() == "connected")
        #expect(await early.next() == "connecting")
    }

    @Test func aSlowObserverLosesTheOldestNoticesAndDelaysNobody() async {
        let broadcaster = Broadcaster<Int>()
        var slow = broadcaster.notices(buffer: 2).makeAsyncIterator()
        var quick = broadcaster.notices(buffer: 100).makeAsyncIterator()
        for number in 0..<100 { broadcaster.publish(number) }
        #expect(await slow.next() == 98 && slow.missed == 98)
        #expect(await quick.next() == 0 && quick.missed == 0)
    }

    @Test func anObserverThatIsReleasedIsForgotten() async {
        let broadcaster = Broadcaster<Int>()
        do {
            var iterator = broadcaster.notices().makeAsyncIterator()
            broadcaster.publish(1)
            #expect(await iterator.next() == 1)
        }
        #expect(broadcaster.observerCount == 0)
    }

    @Test func manyTasksObserveAtOnce() async {
        let broadcaster = Broadcaster<Int>()
        let sums = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var sum = 0
                    for await notice in broadcaster.notices(buffer: 1_000) { sum += notice }
                    return sum
                }
            }
            while broadcaster.observerCount < 8 { await Task.yield() }
            for number in 1...1_000 { broadcaster.publish(number) }
            broadcaster.finish()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == Array(repeating: 500_500, count: 8))
    }

    @Test func aCancelledObserverEndsAlsoWhileNothingComes() async throws {
        let broadcaster = Broadcaster<Int>()
        let waiting = Task {
            for await _ in broadcaster.notices() {}
            return true
        }
        while broadcaster.observerCount == 0 { await Task.yield() }
        waiting.cancel()
        #expect(await waiting.value)
    }
}
