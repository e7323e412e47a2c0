package import CleatAPI
package import CleatIO

/// Follows the devices of the machine and publishes what happens to them on the bus.
///
/// The subject of an event is the devpath, and the action is the kernel's: `add`, `remove`, `change`, `move`, `bind`,
/// `unbind`, `online`, `offline`. If messages were lost, the observer walks all devices again and publishes the
/// differences as `add`, `remove` and `change` with the property `CLEAT_RESYNC=1`.
package actor DeviceObserver: EventObserver {
    /// The number of devices that a walk reads before other tasks of the loop run.
    private static let slice = 32

    private let loop: EventLoop
    private let bus: EventBus
    private let feed: any DeviceEventSource
    private let sysfs: Sysfs
    private let resynced: @Sendable () -> Void
    private var tracker = DeviceTracker()
    /// Rung when messages were lost, so that all devices are walked again.
    private let loss: Alarm
    private var gate = ReadyGate()

    /// The number of times that all devices were walked again because messages had been lost.
    package private(set) var resyncs = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Makes an observer; it does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - loop: The event loop that it runs on.
    ///   - bus: The bus that events are published on.
    ///   - source: The source of messages.
    ///   - sysfs: The devices.
    ///   - resynced: Called each time that all devices were walked again, because messages had been lost: those of
    ///     changes are not made up for.
    package init(
        loop: EventLoop, bus: EventBus, source: any DeviceEventSource, sysfs: Sysfs,
        resynced: @escaping @Sendable () -> Void = {}
    ) {
        self.resynced = resynced
        self.loop = loop
        self.bus = bus
        feed = source
        self.sysfs = sysfs
        loss = Alarm(loop: loop)
    }

    package nonisolated var source: EventSource { .device }
    package nonisolated var name: String { "devices" }

    /// The source of the device messages.
    package nonisolated var backend: DeviceBackend { feed.backend }

    package nonisolated var summary: String? { backend.description }

    package nonisolated var problem: String? {
        guard Sysfs.udevd == .abandoned else { return nil }
        return backend == .kernelGroup
            ? "udevd has ended and left \(Sysfs.udevControl): events come from the kernel, without udevd's properties and "
                + "names"
            : "udevd has ended and left \(Sysfs.udevControl): no device events come"
    }

    package var counters: [Counter] {
        get async {
            let messages = await messageCounters
            return [Counter](named: [
                "devices": count, "devices.received": messages.received, "devices.forged": messages.forged,
                "devices.malformed": messages.malformed, "devices.truncated": messages.truncated,
                "devices.overruns": messages.overruns, "devices.resyncs": resyncs,
            ])
        }
    }

    /// The counters of the source's messages.
    package var messageCounters: DeviceSourceCounters {
        get async { await feed.counters }
    }

    /// Walks all devices, then follows them until the task is cancelled.
    ///
    /// Messages that arrive during the walk are already published.
    package func run() async throws {
        defer { gate.end() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.follow() }
            group.addTask { try await self.walkWhenNeeded() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// True if the first walk over all devices is complete.
    package var isReady: Bool { gate.isReady }

    package func waitUntilReady() async {
        await withCheckedContinuation { gate.add($0) }
    }

    // MARK: Messages

    private func follow() async throws {
        while true {
            let batch = try await feed.receive()
            for message in batch.messages { handle(message) }
            if batch.overrun, tracker.overrun() { loss.ring() }
            // During an event storm, subscribers get to run between two batches.
            await loop.yield()
            try Task.checkCancellation()
        }
    }

    private func handle(_ message: DeviceMessage) {
        let isNews = tracker.handle(message) { sysfs.lists($0) }
        guard isNews else { return }
        bus.publish(
            EventDraft(
                source: .device, action: message.action, subject: message.devpath, properties: message.properties))
    }

    // MARK: Walks

    private func walkWhenNeeded() async throws {
        while true {
            let isAgain = tracker.isComplete
            if isAgain { resyncs += 1 }
            var pause = Duration.milliseconds(10)
            while case .walkAgain = try await walkOnce() {
                // While walks have to be repeated, the pause before each one doubles, up to 1 s.
                try await loop.sleep(for: pause)
                pause = min(pause * 2, .seconds(1))
            }
            if isAgain { resynced() }
            try await loss.wait()
        }
    }

    private func walkOnce() async throws -> DeviceTracker.Outcome {
        tracker.beginWalk(sequenceNumber: sysfs.lastSequenceNumber)
        var walk = await feed.walk()
        while let found = await walk.next(Self.slice) {
            tracker.found(found)
            await loop.yield()
            try Task.checkCancellation()
        }
        let outcome = tracker.endWalk()
        if case .complete(let differences) = outcome {
            for difference in differences { bus.publish(draft(difference, mark: "CLEAT_RESYNC", restored: false)) }
            gate.becomeReady()
        }
        return outcome
    }

    private func draft(_ difference: DeviceDifference, mark: String?, restored: Bool) -> EventDraft {
        var properties = difference.record.properties(action: difference.action)
        if difference.action != "remove" {
            properties = sysfs.properties(of: difference.record)
            properties.append("ACTION", difference.action)
        }
        if let mark { properties.append(mark, "1") }
        return EventDraft(
            source: .device, action: difference.action, subject: difference.record.devpath, properties: properties,
            restored: restored)
    }

    // MARK: The present

    /// The number of devices.
    package var count: Int { tracker.table.count }

    /// All devices in the order of their paths, as the observer's table has them.
    package var records: [DeviceRecord] { tracker.table.records }

    /// Returns one device with its properties, as sysfs and udevd's database have them now; nil if it is not known.
    package func device(at devpath: String) -> Device? {
        tracker.table.device(at: devpath).map(device)
    }

    /// Returns a page of devices in the order of their paths.
    ///
    /// - Parameters:
    ///   - subsystem: The only subsystem to return devices of; nil for all.
    ///   - after: The path after which the page starts; nil for the first page.
    ///   - limit: The largest number of devices on the page.
    /// - Returns: The devices, and the path to pass as `after` for the next page; nil on the last page.
    package func devices(
        subsystem: String? = nil, after: String? = nil, limit: Int = 64
    ) -> (devices: [Device], next: String?) {
        let page = tracker.table.page(subsystem: subsystem, after: after, limit: limit)
        return (page.records.map(device), page.next)
    }

    package func inventory(after: String?, limit: Int) async -> InventoryPage {
        await waitUntilReady()
        let page = tracker.table.page(subsystem: nil, after: after, limit: limit)
        return InventoryPage(
            items: page.records.map { ($0.devpath, sysfs.properties(of: $0)) }, next: page.next)
    }

    private func device(_ record: DeviceRecord) -> Device {
        Device(
            devpath: record.devpath, subsystem: record.subsystem, devtype: record.devtype, name: record.name,
            node: record.node, driver: record.driver, properties: sysfs.properties(of: record).dictionary)
    }

    // MARK: The state that is saved

    package func savedState() -> [UInt8]? { tracker.table.encoded() }

    package func publishChanges(since saved: [UInt8]) throws {
        for difference in try DeviceTable(decoding: saved).differences(to: tracker.table) {
            bus.publish(draft(difference, mark: nil, restored: true))
        }
    }
}
