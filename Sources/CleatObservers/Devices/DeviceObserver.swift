package import CleatAPI
package import CleatIO

/// Follows the devices of the machine and publishes what happens to them on the bus.
///
/// The subject of an event is the devpath, and the action is the kernel's: `add`, `remove`, `change`, `move`, `bind`,
/// `unbind`, `online`, `offline`. If messages were lost, the observer walks all devices again and publishes the
/// differences as `add`, `remove` and `change` with the property `CLEAT_RESYNC=1`.
package actor DeviceObserver {
    /// The number of devices that a walk reads before other tasks of the loop run.
    private static let slice = 32

    private let loop: EventLoop
    private let bus: EventBus
    private let source: any DeviceEventSource
    private let sysfs: Sysfs
    private var tracker = DeviceTracker()
    private var walkers: [CheckedContinuation<Void, Never>] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var ended = false

    /// The number of times that all devices were walked again because messages had been lost.
    package private(set) var resyncs = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Makes an observer; it does nothing before ``run()``.
    package init(loop: EventLoop, bus: EventBus, source: any DeviceEventSource, sysfs: Sysfs) {
        self.loop = loop
        self.bus = bus
        self.source = source
        self.sysfs = sysfs
    }

    /// The source of the device messages.
    package nonisolated var backend: DeviceBackend { source.backend }

    /// The counters of the source.
    package var counters: DeviceSourceCounters {
        get async { await source.counters }
    }

    /// Walks all devices, then follows them until the task is cancelled.
    ///
    /// Messages that arrive during the walk are already published.
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

    /// True if the first walk over all devices is complete.
    package var hasSettled: Bool { tracker.isSettled }

    /// Waits until the first walk over all devices is complete, or the observer has ended.
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
            // During an event storm, subscribers get to run between two batches.
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
                // While walks have to be repeated, the pause before each one doubles, up to 1 s.
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

    /// Publishes the changes since a saved state, marked as having happened while the service was down.
    package func tellChanges(since old: [DeviceRecord]) {
        for difference in DeviceTable(old).differences(to: tracker.table) {
            bus.publish(draft(difference, mark: nil, restored: true))
        }
    }
}
