package import CleatAPI
package import CleatIO

/// Follows the devices of the machine and tells the bus what happens to them.
///
/// The subject of an event is the devpath, the action is the kernel's: `add`, `remove`, `change`, `move`, `bind`,
/// `unbind`, `online`, `offline`. Where messages were lost it looks at all devices again and tells the difference as
/// `add`, `remove` and `change` with the property `CLEAT_RESYNC=1`.
package actor DeviceObserver {
    /// How many devices are looked at before others have their turn.
    private static let slice = 32

    private let loop: EventLoop
    private let bus: EventBus
    private let source: any DeviceEventSource
    private let sysfs: Sysfs
    private var tracker = DeviceTracker()
    private var walkers: [CheckedContinuation<Void, Never>] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var ended = false

    /// How often all devices were looked at because messages had been lost.
    package private(set) var resyncs = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Makes an observer; nothing happens before ``run()``.
    package init(loop: EventLoop, bus: EventBus, source: any DeviceEventSource, sysfs: Sysfs) {
        self.loop = loop
        self.bus = bus
        self.source = source
        self.sysfs = sysfs
    }

    /// Which way it hears of devices.
    package nonisolated var backend: DeviceBackend { source.backend }

    /// What the source has counted.
    package var counters: DeviceSourceCounters {
        get async { await source.counters }
    }

    /// Looks at all devices, then follows them until the task is cancelled.
    package func run() async throws {
        defer { end() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.follow() }
            group.addTask { try await self.walkWhenNeeded() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func end() {
        ended = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Whether all devices have been looked at once.
    package var hasSettled: Bool { tracker.isSettled }

    /// Waits until all devices have been looked at once, or the observer has ended.
    package func settled() async {
        if tracker.isSettled || ended { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    // MARK: Messages

    private func follow() async throws {
        while true {
            let batch = try await source.receive()
            for message in batch.messages { take(message) }
            if batch.overrun, tracker.overrun() { needsWalk = true }
            // A storm of messages leaves room for those who are to hear of them.
            await loop.yield()
            try Task.checkCancellation()
        }
    }

    private func take(_ message: DeviceMessage) {
        let isNews = tracker.handle(message) { sysfs.lists($0) }
        guard isNews else { return }
        bus.publish(
            EventDraft(
                source: .device, action: message.action, subject: message.devpath, properties: message.properties))
    }

    // MARK: Walks

    private var needsWalk = true {
        didSet {
            guard needsWalk, let walker = walkers.popLast() else { return }
            walker.resume()
        }
    }

    private func walkWhenNeeded() async throws {
        while true {
            try await needOfWalk()
            if tracker.isSettled { resyncs += 1 }
            var pause = Duration.milliseconds(10)
            while case .walkAgain = try await walkOnce() {
                // Under a lasting storm each further look waits a little longer.
                try await loop.sleep(for: pause)
                pause = min(pause * 2, .seconds(1))
            }
        }
    }

    private func needOfWalk() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if needsWalk || Task.isCancelled { continuation.resume() } else { walkers.append(continuation) }
            }
        } onCancel: {
            loop.task { await self.wakeWalker() }
        }
        try Task.checkCancellation()
        needsWalk = false
    }

    private func wakeWalker() {
        walkers.popLast()?.resume()
    }

    private func walkOnce() async throws -> DeviceTracker.Outcome {
        tracker.beginWalk(sequenceNumber: sysfs.lastSequenceNumber)
        var walk = await source.walk()
        while let found = await walk.next(Self.slice) {
            tracker.found(found)
            await loop.yield()
            try Task.checkCancellation()
        }
        let outcome = tracker.endWalk()
        if case .settled(let differences) = outcome {
            for difference in differences { bus.publish(draft(difference, mark: "CLEAT_RESYNC", restored: false)) }
            for waiter in waiters { waiter.resume() }
            waiters = []
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

    /// All devices in the order of their paths, as they are kept.
    package var records: [DeviceRecord] { tracker.table.records }

    /// Returns one device with its properties, as sysfs and udevd's database have them now.
    package func device(at devpath: String) -> Device? {
        tracker.table.device(at: devpath).map(device)
    }

    /// Returns a page of devices in the order of their paths.
    ///
    /// - Parameters:
    ///   - subsystem: Only devices of this subsystem.
    ///   - after: The path after which the page begins.
    ///   - limit: The most devices on the page.
    /// - Returns: The devices, and the path to go on after where there are more.
    package func devices(
        subsystem: String? = nil, after: String? = nil, limit: Int = 64
    ) -> (devices: [Device], next: String?) {
        let table = tracker.table
        var index = after.map { table.place(of: $0) } ?? 0
        if let after, index < table.count, table[index].devpath == after { index += 1 }
        var page: [Device] = []
        var last: String?
        while index < table.count {
            let record = table[index]
            index += 1
            if let subsystem, record.subsystem != subsystem { continue }
            if page.count >= max(1, limit) { return (page, last) }
            page.append(device(record))
            last = record.devpath
        }
        return (page, nil)
    }

    private func device(_ record: DeviceRecord) -> Device {
        Device(
            devpath: record.devpath, subsystem: record.subsystem, devtype: record.devtype, name: record.name,
            node: record.node, driver: record.driver, properties: sysfs.properties(of: record).dictionary)
    }

    /// Tells the bus what has changed since a saved state, marked as having happened while the service was down.
    package func tellChanges(since old: [DeviceRecord]) {
        for difference in DeviceTable(old).differences(to: tracker.table) {
            bus.publish(draft(difference, mark: nil, restored: true))
        }
    }
}
