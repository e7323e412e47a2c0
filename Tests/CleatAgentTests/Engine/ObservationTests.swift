import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import Logging
import Synchronization
import SystemPackage
import Testing

@testable import CleatAgent
@testable import CleatObservers

/// The list of observers, with one of the test's own, without a process.
@Suite(.timeLimit(.minutes(2 * TestMachine.slowness))) struct ObservationTests {
    /// An observer that lists subjects, and saves and fails as a test wants.
    private final class FakeObserver: EventObserver {
        struct Fault: Error {}

        let source = EventSource.setting
        let name = "fake"
        let subjects: [String]
        let ends: Bool
        private let bus: EventBus
        private let gate = Mutex((isReady: false, isEnded: false, waiters: [CheckedContinuation<Void, Never>]()))

        init(_ subjects: [String], ends: Bool = false, on bus: EventBus) {
            (self.subjects, self.ends, self.bus) = (subjects, ends, bus)
        }

        func run() async throws {
            let waiters = gate.withLock { gate in
                (gate.isReady, gate.isEnded) = (!ends, ends)
                defer { gate.waiters = [] }
                return gate.waiters
            }
            for waiter in waiters { waiter.resume() }
            if ends { throw Fault() }
            try await untilCancelled()
        }

        var isReady: Bool { gate.withLock { $0.isReady } }

        func waitUntilReady() async {
            await withCheckedContinuation { waiter in
                let isOpen = gate.withLock { gate in
                    if !gate.isReady && !gate.isEnded { gate.waiters.append(waiter) }
                    return gate.isReady || gate.isEnded
                }
                if isOpen { waiter.resume() }
            }
        }

        var counters: [Counter] { [Counter(name: "fake.count", value: Int64(subjects.count))] }

        func inventory(after: String?, limit: Int) async -> InventoryPage {
            let rest = subjects.drop { subject in after.map { subject <= $0 } ?? false }
            let page = rest.prefix(limit)
            return InventoryPage(
                items: page.map { ($0, ["NAME": $0]) }, next: page.count < rest.count ? page.last : nil)
        }

        func savedState() async -> [UInt8]? { Array(subjects.joined(separator: ",").utf8) }

        func publishChanges(since saved: [UInt8]) async throws {
            bus.publish(
                EventDraft(
                    source: source, action: "since", subject: String(decoding: saved, as: UTF8.self), restored: true))
        }
    }

    private static func observation(
        _ directory: TemporaryDirectory, _ loop: EventLoop, _ bus: EventBus, _ observers: [any EventObserver]
    ) throws -> Observation {
        try Observation(
            loop: loop, bus: bus, choice: .kernel, runtime: directory.path, state: directory.path.appending("state"),
            log: .quiet, others: observers, pace: {})
    }

    /// Runs the observers until a body has ended, which is called once they have started.
    private static func run(
        _ observation: Observation, on loop: EventLoop, _ body: @Sendable () async throws -> Void
    ) async throws {
        let (started, report) = AsyncStream.makeStream(of: Void.self)
        let task = loop.task { await observation.run { report.finish() } }
        for await _ in started {}
        try await body()
        task.cancel()
        await task.value
    }

    @Test("An observer of any source is run, found by its source, and listed in pages")
    func listed() async throws {
        let directory = try TemporaryDirectory()
        try await withLoop { loop in
            let bus = EventBus(bootID: "boot")
            let subjects = (100..<300).map { "s\($0)" }
            let observation = try Self.observation(directory, loop, bus, [FakeObserver(subjects, on: bus)])
            #expect(
                observation.observers.map(\.name) == [
                    "devices", "links", "power supplies", "inbox", "programs", "fake",
                ])
            #expect(observation.observer(of: .setting)?.name == "fake" && observation.observer(of: .agent) == nil)
            try await Self.run(observation, on: loop) {
                let all = await observation.presentEvents(matching: EventFilter(sources: [.setting]))
                #expect(all.map(\.subject) == subjects && all.allSatisfy { $0.action == "present" && $0.sequence == 0 })
                let some = await observation.presentEvents(
                    matching: EventFilter(sources: [.setting], subject: Glob("s15*")))
                #expect(some.count == 10)
                let links = await observation.presentEvents(matching: EventFilter(sources: [.link]))
                #expect(!links.contains { $0.source != .link })
            }
        }
    }

    @Test("What is saved at the end is compared at the next start of the same boot", arguments: [true, false])
    func saved(isSameBoot: Bool) async throws {
        let directory = try TemporaryDirectory()
        try await withLoop { loop in
            let bus = EventBus(bootID: "boot")
            let first = try Self.observation(directory, loop, bus, [FakeObserver(["a", "b"], on: bus)])
            try await Self.run(first, on: loop) { await first.save(first.state) }
            let next = EventBus(bootID: isSameBoot ? "boot" : "next")
            let events = next.subscribe(matching: EventFilter(sources: [.setting]), buffer: 8)
            let second = try Self.observation(directory, loop, next, [FakeObserver(["a"], on: next)])
            try await Self.run(second, on: loop) {}
            guard case .event(let event)? = events.nextNow() else {
                #expect(!isSameBoot)
                return
            }
            #expect(isSameBoot && event.subject == "a,b" && event.restored)
        }
    }

    @Test("A state that is damaged, and an observer that ends, do not keep the others from running")
    func faults() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("no state", to: "observers")
        try await withLoop { loop in
            let bus = EventBus(bootID: "boot")
            let observation = try Self.observation(directory, loop, bus, [FakeObserver(["a"], ends: true, on: bus)])
            try await Self.run(observation, on: loop) {
                #expect(await observation.linkObserver.isReady)
                await observation.save(observation.state)
            }
            #expect(try directory.read("observers") == "no state", "one of them is not ready, so that nothing is saved")
        }
    }

    @Test("A link in the place of the inbox is not followed, and the others run")
    func inboxLink() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("state")
        try directory.makeDirectory("elsewhere")
        try Files.makeLink(directory.appending("state/files"), to: directory.appending("elsewhere"))
        try await withLoop { loop in
            let bus = EventBus(bootID: "boot")
            let observation = try Self.observation(directory, loop, bus, [])
            #expect(try names(in: directory.appending("elsewhere")).isEmpty)
            try await Self.run(observation, on: loop) { #expect(await observation.linkObserver.isReady) }
        }
    }

    @Test("A reload is refused before the service serves and once it ends, and runs one after the other")
    func reloader() async throws {
        let reloader = Reloader()
        #expect(await refusal { try await reloader.reload() } == "StoreFailed not-serving")
        try await withLoop { loop in
            let counter = RunCounter()
            reloader.attach { await counter.pass(loop) }
            let tasks = (0..<3).map { _ in loop.task { try await reloader.reload() } }
            for task in tasks { try await task.value }
            #expect(counter.runs == 3 && counter.most == 1)
        }
        reloader.attach(nil)
        #expect(await refusal { try await reloader.reload() } == "StoreFailed not-serving")
    }

    @Test("However often the files are read again, the service ends well", .tags(.fault))
    func manyReloads() async {
        await #expect(processExitsWith: .success) {
            let reloader = Reloader()
            try await withLoop { _ in
                reloader.attach {}
                for _ in 0..<20_000 { try await reloader.reload() }
                reloader.attach(nil)
            }
        }
    }

    /// Counts the runs of a function, and those at the same time.
    private final class RunCounter: Sendable {
        private let state = Mutex((runs: 0, present: 0, most: 0))
        var runs: Int { state.withLock { $0.runs } }
        var most: Int { state.withLock { $0.most } }

        func pass(_ loop: EventLoop) async {
            state.withLock { state in
                state.runs += 1
                state.present += 1
                state.most = max(state.most, state.present)
            }
            await loop.yield()
            state.withLock { $0.present -= 1 }
        }
    }
}
