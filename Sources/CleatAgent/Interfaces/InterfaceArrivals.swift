import CleatAPI
import CleatIO
import CleatObservers
import Logging

/// Has interfaces configured that appear while the service runs, where nothing else has charge of interfaces: a USB adapter
/// that is plugged in, and again after it was unplugged.
///
/// It waits for what the kernel tells, and for nothing else. One that comes and goes all the time is configured a few times
/// in a row, then only once in a while (``ArrivalMeter``).
actor InterfaceArrivals {
    /// How many events may wait.
    private static let buffer = 512

    private let loop: EventLoop
    private let engine: SettingsEngine
    private let bus: EventBus
    private let links: LinkObserver
    private let log: Logger
    /// How often each interface was configured; there are only those that something is set of.
    private var meters: [String: ArrivalMeter] = [:]
    /// Those that wait for their turn.
    private var slowed: Set<String> = []
    /// Those that wait for the end of a change on trial.
    private var waiting: Set<String> = []
    /// Those that were seen, by their numbers, so that what events that were lost have told can be found out.
    private var seen: [Int32: String] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Takes what it works with; nothing happens before ``run(_:)``.
    init(engine: SettingsEngine, bus: EventBus, links: LinkObserver, log: Logger) {
        loop = engine.loop
        self.engine = engine
        self.bus = bus
        self.links = links
        self.log = log
    }

    /// Begins to listen; to be called before the links are looked at.
    nonisolated func subscribe() -> EventSubscription {
        bus.subscribe(matching: EventFilter(sources: [.link, .agent]), buffer: Self.buffer)
    }

    /// Takes one interface after the other until the bus closes.
    func run(_ events: EventSubscription) async {
        await links.settled()
        for link in await links.table.links.values { seen[link.index] = link.name }
        // What has appeared since the settings were applied at the start is told by no event.
        for name in await engine.awaitedInterfaces.sorted() { await take(name) }
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
                log.warning("\(count) events came faster than interfaces could be configured; all are looked at again")
                await lookAgain()
            }
        }
    }

    /// Configures those that have waited for the end of a change on trial; some may have to wait on.
    private func takeWaiting() async {
        let again = waiting.sorted()
        waiting.removeAll()
        for name in again { await take(name) }
    }

    /// Finds those that have appeared, or have got another name, while nobody listened.
    private func lookAgain() async {
        let present = await links.table.links.mapValues(\.name)
        let appeared = present.filter { seen[$0.key] != $0.value }.values.sorted()
        seen = present
        for name in appeared { await take(name) }
        await takeWaiting()
    }

    /// Configures an interface that has appeared, now or later.
    private func take(_ name: String) async {
        guard await engine.isSet(interface: name), !slowed.contains(name) else { return }
        if let wait = meters[name, default: ArrivalMeter()].admit(.now()) {
            slowed.insert(name)
            log.warning("\(name) comes and goes; it is configured again in \(wait)")
            loop.task { [weak self, loop] in
                guard (try? await loop.sleep(for: wait)) != nil else { return }
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
