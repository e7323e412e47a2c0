package import CleatAPI
package import CleatIO

/// Follows the power supplies of the machine and publishes the changes of their typed values on the bus.
///
/// The subject of an event is the name of a supply, the actions are `add`, `remove` and `change`, and `CHANGED` names
/// the values that differ. Supplies are read when the kernel reports one of them, a few times more after a line was
/// plugged or unplugged, and, since some drivers report nothing while the charge falls, every 30 s while a battery
/// discharges and a subscriber or hook names the source. Otherwise nothing wakes the service.
///
/// A driver asks its hardware, which may take long or for ever. So a thread of its own reads, one reading at a time,
/// and no caller waits for it longer than ``Pace/limit``.
package actor PowerObserver: EventObserver {
    /// The times of the observer.
    package struct Pace: Sendable {
        /// The time between two readings while a battery discharges.
        package var poll = Duration.seconds(30)
        /// The time between two readings after a line has changed.
        package var afterLine = Duration.seconds(1)
        /// The number of readings after a line has changed.
        package var readingsAfterLine = 5
        /// The shortest time between two readings.
        package var gap = Duration.milliseconds(100)
        /// The longest time that a caller waits for a reading.
        package var limit = Duration.seconds(5)

        /// Creates the times of the service.
        package init() {}
    }

    /// The progress of the readings.
    private struct Readings {
        /// The number of the last reading that was started; 0 before the first.
        var started = 0
        var isRunning = false
        /// True if a reading has to be started as soon as possible.
        var isDue = true
        /// The number of readings that are still to come after the change of a line.
        var left = 0
        /// The instant at which the last reading was started, or has ended.
        var instant = BootTime(milliseconds: 0)
        /// The tasks that wait for the end of a reading, with its number.
        var waiters: [(number: Int, alarm: Alarm)] = []
        /// The supplies whose drivers failed in the last reading.
        var failed: [String] = []
        var failure: WorkerError?
    }

    private nonisolated let loop: EventLoop
    private let bus: EventBus
    private let reader: PowerReader
    private let pace: Pace
    private let messages: EventSubscription
    private let worker = Worker(name: "power", idleExit: .seconds(1))
    private let alarm: Alarm
    private var readings = Readings()
    /// The supplies as they were read last; nil before the first reading has ended.
    private var present: [PowerRecord]?
    private var interest = (gate: ReadyGate(), hooks: false)

    package nonisolated var source: EventSource { .power }
    package nonisolated var name: String { "power supplies" }
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates an observer, which takes the device events of a bus from now on.
    package init(loop: EventLoop, bus: EventBus, reader: PowerReader, pace: Pace = Pace()) {
        self.loop = loop
        self.bus = bus
        self.reader = reader
        self.pace = pace
        alarm = Alarm(loop: loop)
        messages = bus.subscribe(
            matching: EventFilter(sources: [.device], subject: Glob("*/power_supply/*")), coalescing: true)
    }

    package var counters: [Counter] {
        [Counter](named: ["power.supplies": present?.count ?? 0, "power.readings": readings.started])
    }

    package var problem: String? {
        if let failure = readings.failure { return "the power supplies were not read: \(failure)" }
        if let name = readings.failed.first {
            return
                "the driver of the power supply \(name) cannot read its values, so the former ones are shown; see the "
                + "kernel's log"
        }
        guard readings.isRunning, isOverdue(.now()) else { return nil }
        return "a driver of a power supply has not answered for \(pace.limit.milliseconds / 1_000) s or more, so the "
            + "supplies are shown as they were; read the files below /sys/class/power_supply to find it"
    }

    // MARK: Reading

    package func run() async throws {
        defer { end() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.follow() }
            group.addTask { try await self.readWhenDue() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func end() {
        interest.gate.end()
        for waiter in readings.waiters { waiter.alarm.ring() }
        readings.waiters = []
    }

    private func follow() async {
        while await messages.next() != nil { request() }
    }

    private func request() {
        readings.isDue = true
        alarm.ring()
    }

    private func readWhenDue() async throws {
        while true {
            let now = BootTime.now()
            if readings.isRunning {
                // A state that a driver holds back is not waited for.
                if isOverdue(now) { interest.gate.becomeReady() }
                let hold = interest.gate.isReady ? nil : readings.instant.advanced(by: pace.limit)
                try await alarm.wait(until: hold)
            } else if let next, next > now {
                try await alarm.wait(until: next)
            } else if next != nil {
                start(now)
            } else {
                try await alarm.wait()
            }
        }
    }

    private func isOverdue(_ now: BootTime) -> Bool { now >= readings.instant.advanced(by: pace.limit) }

    /// The instant of the next reading; nil if none is needed.
    private var next: BootTime? {
        if readings.started == 0 { return readings.instant }
        if readings.isDue { return readings.instant.advanced(by: pace.gap) }
        if readings.left > 0 { return readings.instant.advanced(by: pace.afterLine) }
        let discharges = present?.contains { $0.supply.isDischarging } ?? false
        guard discharges, interest.hooks || bus.isNamed(.power) else { return nil }
        return readings.instant.advanced(by: pace.poll)
    }

    private func start(_ now: BootTime) {
        if !readings.isDue, readings.left > 0 { readings.left -= 1 }
        readings.started += 1
        (readings.isRunning, readings.isDue, readings.instant) = (true, false, now)
        // Most boards have no supply, and need no thread for that.
        guard !reader.names().isEmpty else { return took([]) }
        // The task is not part of the group, which could not end before a driver answers.
        loop.task { [weak self, worker, reader] in
            do {
                await self?.took(try await worker.run { reader.all() })
            } catch {
                await self?.failed(error as? WorkerError)
            }
        }
    }

    private func took(_ supplies: [(name: String, properties: PropertyBlock)]) {
        readings.failure = nil
        readings.failed = supplies.filter(\.properties.isEmpty).map(\.name)
        let former = Dictionary((present ?? []).map { ($0.supply.name, $0) }) { first, _ in first }
        let records = supplies.map { name, properties in
            // An error of a driver is no news of its supply.
            properties.isEmpty ? former[name] ?? PowerRecord(name, [:]) : PowerRecord(name, properties)
        }
        if let former = present {
            for event in PowerRecord.events(from: former, to: records, restored: false) { bus.publish(event) }
            if Self.lines(former) != Self.lines(records) { readings.left = pace.readingsAfterLine }
        }
        present = records
        ended()
    }

    private func failed(_ error: WorkerError?) {
        readings.failure = error
        ended()
    }

    private func ended() {
        (readings.isRunning, readings.instant) = (false, .now())
        interest.gate.becomeReady()
        let number = readings.started
        for waiter in readings.waiters where waiter.number <= number { waiter.alarm.ring() }
        readings.waiters.removeAll { $0.number <= number }
        alarm.ring()
    }

    private static func lines(_ records: [PowerRecord]) -> [String: Bool?] {
        let lines = records.map(\.supply).filter(\.isLine)
        return Dictionary(lines.map { ($0.name, $0.online) }) { first, _ in first }
    }

    // MARK: Interest

    /// Has the supplies read again: a subscriber has come that names the source, or events of devices were lost.
    package nonisolated func readAgain() {
        loop.task { [weak self] in await self?.request() }
    }

    /// Sets whether a hook names the source.
    package func setHooks(nameSource: Bool) {
        interest.hooks = nameSource
        alarm.ring()
    }

    // MARK: The present

    /// True once the supplies have been read, or a driver holds that up.
    package var isReady: Bool { interest.gate.isReady }

    package func waitUntilReady() async {
        await withCheckedContinuation { interest.gate.add($0) }
    }

    /// Returns all supplies in order of their names, as they were read last.
    ///
    /// - Parameter now: True to read them first; if a driver does not answer in time, they are those of the last
    ///   reading nevertheless.
    /// - Returns: The supplies.
    package func supplies(now: Bool) async -> [Supply] {
        await waitUntilReady()
        if now, !interest.gate.hasEnded {
            let waiter = Alarm(loop: loop)
            readings.waiters.append((readings.started + 1, waiter))
            request()
            // A caller that has gone needs no answer.
            try? await waiter.wait(until: BootTime.now().advanced(by: pace.limit))
            readings.waiters.removeAll { $0.alarm === waiter }
        }
        return present?.map(\.supply) ?? []
    }

    package func inventory(after: String?, limit: Int) async -> InventoryPage {
        await waitUntilReady()
        return InventoryPage(items: (present ?? []).map { ($0.supply.name, $0.supply.properties) })
    }

    // MARK: The state that is saved

    package func savedState() -> [UInt8]? { present.map(PowerRecord.encoded) }

    package func publishChanges(since saved: [UInt8]) throws {
        guard let present else { return }
        for event in PowerRecord.events(from: try PowerRecord.decoded(saved), to: present, restored: true) {
            bus.publish(event)
        }
    }
}
