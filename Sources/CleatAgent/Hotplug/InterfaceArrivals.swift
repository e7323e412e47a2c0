import CleatAPI
import CleatIO
import CleatObservers
import CleatOrder
import Logging

/// Configures interfaces that appear while the service runs, if no other program manages interfaces at that time: a USB
/// adapter that is plugged in, and again after it was unplugged.
///
/// It waits for events of the kernel only. An interface that comes and goes all the time is configured a few times in a
/// row, then at a limited rate (``meter``).
actor InterfaceArrivals {
    /// The maximum number of events that wait.
    private static let buffer = 512
    /// The meter of an interface that has not appeared yet: 5 configurations in a row, then one every two seconds.
    static let meter = RateLimiter(burst: 5, interval: .seconds(2))

    private let engine: SettingsEngine
    private let bus: EventBus
    private let links: LinkObserver
    private let log: Logger
    private let now: @Sendable () -> BootTime
    private let pause: @Sendable (Duration) async throws -> Void
    /// The meters of the interfaces; only those with settings have one.
    private var meters: [String: RateLimiter] = [:]
    /// The interfaces that wait because of the rate limit.
    private var slowed: Set<String> = []
    /// The interfaces that wait for the end of a change on trial.
    private var waiting: Set<String> = []
    /// The names of the known interfaces, by their indexes, which show after lost events which ones are new.
    private var seen: [Int32: String] = [:]

    private nonisolated var loop: EventLoop { engine.loop }
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates the object; nothing happens before ``run(_:)``.
    ///
    /// - Parameters:
    ///   - engine: The engine that configures interfaces.
    ///   - bus: The bus with the events of links and changes.
    ///   - links: The observer of links.
    ///   - log: The log that failures are written to.
    ///   - now: Reads the clock of the rate limit.
    ///   - pause: Waits until an interface may be configured again; nil for a timer of the loop.
    init(
        engine: SettingsEngine, bus: EventBus, links: LinkObserver, log: Logger,
        now: @escaping @Sendable () -> BootTime = BootTime.now,
        pause: (@Sendable (Duration) async throws -> Void)? = nil
    ) {
        let loop = engine.loop
        self.now = now
        self.pause = pause ?? { try await loop.sleep(for: $0) }
        self.engine = engine
        self.bus = bus
        self.links = links
        self.log = log
    }

    /// Subscribes to the events; to be called before the links are listed.
    nonisolated func subscribe() -> EventSubscription {
        bus.subscribe(matching: EventFilter(sources: [.link, .agent]), buffer: Self.buffer)
    }

    /// Configures one interface after the other until the bus closes.
    func run(_ events: EventSubscription) async {
        await links.waitUntilReady()
        for link in await links.table.links.values { seen[link.index] = link.name }
        // No event announces interfaces that have appeared since the settings were applied at startup.
        for name in await Array(engine.awaitedInterfaces).sortedByBytes() { await take(name) }
        while let delivery = await events.next() {
            switch delivery {
            case .event(let event) where event.source == .link:
                if event.action == LinkAction.added.rawValue || event.action == LinkAction.renamed.rawValue {
                    await take(event.subject)
                }
            case .event(let event):
                guard event.action == "change-confirmed" || event.action == "change-reverted" else { continue }
                await takeWaiting()
            case .lost(let count):
                log.warning("\(count) events came faster than interfaces could be configured; all are checked again")
                await lookAgain()
            }
        }
    }

    /// Configures the interfaces that have waited for the end of a change on trial; some may have to wait longer.
    private func takeWaiting() async {
        let again = waiting.ordered(by: <)
        waiting.removeAll()
        for name in again { await take(name) }
    }

    /// Finds the interfaces that have appeared, or were renamed, while events were lost.
    private func lookAgain() async {
        let present = await links.table.links.mapValues(\.name)
        let appeared = present.filter { seen[$0.key] != $0.value }.values.ordered(by: <)
        seen = present
        for name in appeared { await take(name) }
        await takeWaiting()
    }

    /// Configures an interface that has appeared, now or later.
    private func take(_ name: String) async {
        guard await engine.isSet(interface: name), !slowed.contains(name) else { return }
        if let wait = meters[name, default: Self.meter].admit(now()) {
            slowed.insert(name)
            log.warning("\(name) comes and goes; it is configured again in \(wait)")
            loop.task { [weak self, pause] in
                guard (try? await pause(wait)) != nil else { return }
                await self?.takeSlowed(name)
            }
            return
        }
        await configure(name)
    }

    private func takeSlowed(_ name: String) async {
        slowed.remove(name)
        await take(name)
    }

    private func configure(_ name: String) async {
        if let index = await links.table.links.first(where: { $0.value.name == name })?.key { seen[index] = name }
        switch await engine.configure(appeared: name) {
        case .unwanted, .gone, .configured: break
        case .waiting: waiting.insert(name)
        case .failed(let reason): log.error("\(name) has appeared and could not be configured: \(reason)")
        }
    }
}
