import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore
import CleatTestSupport
import Logging
import Synchronization
import SystemPackage
import Testing

@testable import CleatAgent

/// The interfaces that appear while the service runs, with the limit of their rate, without a process.
@Suite(.timeLimit(.minutes(2 * TestMachine.slowness))) struct InterfaceArrivalsTests {
    private static let mtu = "network/interfaces/eth0/mtu"

    /// The parts of a test of arrivals: the events of the service, and the pauses of the limit.
    private final class Watch: Sendable {
        let bench: Bench
        let events: EventSubscription
        private let durations = Mutex<[Duration]>([])
        private let release: AsyncStream<Void>.Continuation

        /// The parts of the bench that other tasks may use.
        struct Bench: Sendable {
            let loop: EventLoop
            let bus: EventBus
            let engine: SettingsEngine
            let kernel: BenchKernel
        }

        init(_ bench: Bench, release: AsyncStream<Void>.Continuation) {
            self.bench = bench
            events = bench.bus.subscribe(matching: EventFilter(sources: [.agent]), buffer: 256)
            self.release = release
        }

        /// The pauses so far, each as long as the meter wants.
        var pauses: [Duration] { durations.withLock { $0 } }

        /// Records a pause.
        func pause(_ duration: Duration) { durations.withLock { $0.append(duration) } }

        /// Ends a pause.
        func endPause() { release.yield() }

        /// Reports an interface, as its observer does.
        func appear(_ name: String, as action: LinkAction = .added) {
            bench.bus.publish(EventDraft(source: .link, action: action.rawValue, subject: name))
        }

        /// Waits for the next event about an interface.
        func next() async -> String {
            while case .event(let event)? = await events.next() {
                if event.action.hasPrefix("interface-") { return "\(event.action) \(event.subject)" }
            }
            return "the bus is closed"
        }

        /// Lets all that can run do so.
        func settle() async { for _ in 0..<32 { await bench.loop.yield() } }

        /// True if an event about an interface was published that was not waited for.
        var hasMore: Bool {
            while case .event(let event)? = events.nextNow() {
                if event.action.hasPrefix("interface-") { return true }
            }
            return false
        }

        func set(_ path: String, _ value: JSONValue, id: String? = nil, confirm: Int64? = nil) async throws {
            _ = try await bench.engine.set(
                .init(changes: [.init(path: path, value: value)], id: id, confirm: confirm),
                author: EngineBench.root, cause: nil)
        }
    }

    /// Runs a test while arrivals are followed.
    private static func with(
        prepare: @escaping @Sendable (Watch) async throws -> Void,
        _ body: @escaping @Sendable (Watch) async throws -> Void
    ) async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            let (releases, release) = AsyncStream.makeStream(of: Void.self)
            let watch = Watch(
                Watch.Bench(loop: bench.loop, bus: bench.bus, engine: bench.engine, kernel: bench.kernel),
                release: release)
            try await prepare(watch)
            // The links of this machine are not those of the bench.
            let links = try LinkObserver(loop: bench.loop, bus: EventBus(bootID: "other"))
            let now = bench.now
            let arrivals = InterfaceArrivals(
                engine: bench.engine, bus: bench.bus, links: links, log: .quiet, now: { now }
            ) { wait in
                watch.pause(wait)
                for await _ in releases { return }
                throw CancellationError()
            }
            let observing = bench.loop.task { try? await links.run() }
            let events = arrivals.subscribe()
            let following = bench.loop.task { await arrivals.run(events) }
            try await body(watch)
            bench.bus.close()
            release.finish()
            await following.value
            observing.cancel()
            await observing.value
        }
    }

    @Test(
        "An interface with settings is configured when it appears or is renamed; others, and other events, are not",
        arguments: [LinkAction.added, .renamed])
    func appears(_ action: LinkAction) async throws {
        try await Self.with(prepare: { try await $0.set(Self.mtu, 1_400) }) { (watch: Watch) async throws in
            watch.bench.kernel.plug("eth0")
            watch.bench.kernel.plug("eth1")
            for other in LinkAction.allCases where other != .added && other != .renamed {
                watch.appear("eth0", as: other)
            }
            watch.appear("eth1", as: action)
            await watch.settle()
            #expect(!watch.hasMore && watch.bench.kernel.mtu(of: "eth0") == 1_500)
            watch.appear("eth0", as: action)
            #expect(await watch.next() == "interface-configured eth0")
            #expect(watch.bench.kernel.mtu(of: "eth0") == 1_400 && watch.bench.kernel.mtu(of: "eth1") == 1_500)
        }
    }

    @Test("An interface that was missing at startup, and has appeared since, is configured without an event")
    func awaited() async throws {
        try await Self.with(prepare: { watch in
            try await watch.set(Self.mtu, 1_400)
            await watch.bench.engine.reconcileAtStartup(.boot, isComplete: true)
            watch.bench.kernel.plug("eth0")
        }) { (watch: Watch) async throws in
            #expect(await watch.next() == "interface-configured eth0")
            #expect(watch.bench.kernel.mtu(of: "eth0") == 1_400)
        }
    }

    @Test("One that cannot be configured is reported, and the next one is configured")
    func fails() async throws {
        try await Self.with(prepare: { watch in
            try await watch.set(Self.mtu, 1_400)
            watch.bench.kernel.plug("eth0")
        }) { (watch: Watch) async throws in
            watch.bench.kernel.fail([.route(.setLink)])
            watch.appear("eth0")
            #expect(await watch.next() == "interface-failed eth0")
            watch.bench.kernel.fail([])
            watch.appear("eth0")
            #expect(await watch.next() == "interface-configured eth0")
        }
    }

    @Test("One that is part of a change on trial waits for its end", arguments: [true, false])
    func waits(isConfirmed: Bool) async throws {
        try await Self.with(prepare: { watch in
            try await watch.set(Self.mtu, 1_300)
            watch.bench.kernel.plug("eth0")
            try await watch.set(Self.mtu, 1_400, id: "t", confirm: 60_000)
        }) { (watch: Watch) async throws in
            // It was unplugged, and plugged in again.
            watch.bench.kernel.unplug("eth0")
            watch.bench.kernel.plug("eth0")
            watch.appear("eth0")
            await watch.settle()
            #expect(!watch.hasMore && watch.bench.kernel.mtu(of: "eth0") == 1_500)
            if isConfirmed {
                _ = try await watch.bench.engine.confirm("t")
            } else {
                _ = try await watch.bench.engine.abort("t", author: EngineBench.root)
            }
            #expect(await watch.next() == "interface-configured eth0")
            #expect(watch.bench.kernel.mtu(of: "eth0") == (isConfirmed ? 1_400 : 1_300))
        }
    }

    @Test("Where events were lost, an interface that waits is not forgotten")
    func lost() async throws {
        try await Self.with(prepare: { watch in
            try await watch.set("network/interfaces/eth1/mtu", 1_300)
            for name in ["eth0", "eth1"] { watch.bench.kernel.plug(name) }
            try await watch.set(Self.mtu, 1_400, id: "t", confirm: 60_000)
        }) { (watch: Watch) async throws in
            let (engine, loop) = (watch.bench.engine, watch.bench.loop)
            watch.appear("eth0")
            await watch.settle()
            watch.bench.kernel.set(mtu: 1_500, of: "eth0")
            // The end of the trial, a flood and another arrival follow each other, as each waits for the lock.
            let tasks = await engine.writeLock.withLock {
                let end = loop.task { _ = try await engine.confirm("t") }
                await watch.settle()
                let flood = loop.task {
                    await engine.writeLock.withLock {
                        for _ in 0..<1_000 { watch.appear("eth2", as: .changed) }
                    }
                }
                await watch.settle()
                watch.appear("eth1")
                await watch.settle()
                return (end, flood)
            }
            try await tasks.0.value
            await tasks.1.value
            #expect(await watch.next() == "interface-configured eth1")
            #expect(await watch.next() == "interface-configured eth0")
            #expect(watch.bench.kernel.mtu(of: "eth0") == 1_400)
        }
    }

    @Test("One that comes and goes is configured a few times in a row, then once after a pause")
    func metered() async throws {
        try await Self.with(prepare: { watch in
            try await watch.set(Self.mtu, 1_400)
            watch.bench.kernel.plug("eth0")
        }) { (watch: Watch) async throws in
            for _ in 0..<InterfaceArrivals.meter.burst {
                watch.appear("eth0")
                #expect(await watch.next() == "interface-configured eth0")
            }
            for _ in 0..<3 { watch.appear("eth0") }
            await watch.settle()
            #expect(watch.pauses == [InterfaceArrivals.meter.interval])
            #expect(!watch.hasMore, "while it waits, further arrivals are not configured")
            // The clock stands still, so that it is too early after the pause, too.
            watch.endPause()
            await watch.settle()
            #expect(watch.pauses == [InterfaceArrivals.meter.interval, InterfaceArrivals.meter.interval])
            #expect(!watch.hasMore)
        }
    }
}
