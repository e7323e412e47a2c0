import CleatAPI
import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatObservers

@Suite("power supplies")
struct PowerTests {
    /// Supplies whose properties a test changes, and which can hold up a reading.
    private final class Board: Sendable {
        private let state = Mutex<(properties: [String: [String: String]], readings: Int)>(([:], 0))

        var readings: Int { state.withLock { $0.readings } }

        func set(_ name: String, _ properties: [String: String]?) {
            state.withLock {
                $0.properties[name] = properties.map { values in
                    Dictionary(uniqueKeysWithValues: values.map { ("POWER_SUPPLY_" + $0.key, $0.value) })
                }
            }
        }

        /// Returns a reader, which waits before each supply until a hold, if there is one, is set.
        func reader(hold: BlockingOutcome<Void>? = nil) -> PowerReader {
            PowerReader {
                self.state.withLock { state in
                    state.readings += 1
                    return state.properties.keys.sorted()
                }
            } properties: { name in
                if let hold { _ = try? hold.wait(within: .seconds(30)) }
                return self.state.withLock { $0.properties[name].map { PropertyBlock($0) } }
            }
        }
    }

    private static let battery = ["TYPE": "Battery", "STATUS": "Discharging", "CAPACITY": "57"]

    /// Runs an observer of a board, whose events of the source `power` a body takes from the subscription.
    private func withObserver(
        _ board: Board, pace: PowerObserver.Pace = .init(), hold: BlockingOutcome<Void>? = nil, isNamed: Bool = true,
        _ body: @escaping @Sendable (PowerObserver, EventBus, EventSubscription) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let bus = EventBus(bootID: "boot")
            let observer = PowerObserver(loop: loop, bus: bus, reader: board.reader(hold: hold), pace: pace)
            let events = bus.subscribe(matching: EventFilter(sources: isNamed ? [.power] : nil))
            let task = loop.task { try await observer.run() }
            try await body(observer, bus, events)
            task.cancel()
            _ = await task.result
        }
    }

    private func report(_ bus: EventBus, _ path: String = "/devices/platform/fuel/power_supply/BAT0") {
        bus.publish(EventDraft(source: .device, action: "change", subject: path))
    }

    private func next(_ events: EventSubscription) async throws -> EventRecord {
        while let delivery = await events.next() {
            if case .event(let record) = delivery, record.source == .power { return record }
        }
        throw CancellationError()
    }

    // MARK: Values

    @Test(
        "the kernel's properties become typed values",
        arguments: [
            (["TYPE": "Battery", "CAPACITY": "0"], ["kind": "battery", "capacity": "0", "basis": "capacity"]),
            (["TYPE": "Battery", "CAPACITY": "101"], ["kind": "battery"]),
            (
                ["TYPE": "Battery", "CAPACITY": "-1", "CAPACITY_LEVEL": "Low"],
                ["kind": "battery", "capacity": "10", "basis": "level", "level": "low"]
            ),
            (
                [
                    "TYPE": "Battery", "ENERGY_NOW": "30000000", "ENERGY_FULL": "40000000", "CHARGE_NOW": "1",
                    "CHARGE_FULL": "1",
                ],
                ["kind": "battery", "capacity": "75", "basis": "energy"]
            ),
            (
                ["TYPE": "Battery", "CHARGE_NOW": "500", "CHARGE_FULL": "300"],
                ["kind": "battery", "capacity": "100", "basis": "charge"]
            ),
            (["TYPE": "Battery", "CHARGE_NOW": "9223372036854775807", "CHARGE_FULL": "1"], ["kind": "battery"]),
            (["TYPE": "Battery", "CHARGE_NOW": "5", "CHARGE_FULL": "0"], ["kind": "battery"]),
            (["TYPE": "Battery", "CAPACITY_LEVEL": "Unknown", "HEALTH": "Unknown"], ["kind": "battery"]),
            (
                [
                    "TYPE": "Battery", "STATUS": "Not charging", "HEALTH": "Over voltage", "PRESENT": "1",
                    "MODEL_NAME": "A b",
                ],
                ["kind": "battery", "status": "idle", "health": "over voltage", "present": "1", "model": "A b"]
            ),
            (["TYPE": "Battery", "STATUS": "Bogus"], ["kind": "battery", "status": "unknown"]),
            (["TYPE": "Battery", "SCOPE": "Device"], ["kind": "battery", "scope": "device"]),
            (
                [
                    "TYPE": "Battery", "VOLTAGE_NOW": "3850000", "CURRENT_NOW": "-120000", "TEMP": "-25",
                    "POWER_NOW": "9",
                ],
                ["kind": "battery", "voltage": "3850000", "current": "-120000", "temperature": "-25", "power": "9"]
            ),
            (["TYPE": "Mains", "ONLINE": "2"], ["kind": "mains", "online": "1"]),
            (["TYPE": "Mains", "ONLINE": "0"], ["kind": "mains", "online": "0"]),
            (["TYPE": "USB_DCP", "ONLINE": "x"], ["kind": "usb"]),
            (["TYPE": "UPS"], ["kind": "ups"]), (["TYPE": "Wireless"], ["kind": "wireless"]), ([:], ["kind": "other"]),
            (["TYPE": "Battery", "MODEL_NAME": String(repeating: "m", count: 65)], ["kind": "battery"]),
        ])
    func values(_ kernel: [String: String], _ expected: [String: String]) {
        let block = PropertyBlock(Dictionary(uniqueKeysWithValues: kernel.map { ("POWER_SUPPLY_" + $0.key, $0.value) }))
        var expected = expected
        expected["name"] = "BAT0"
        expected["scope"] = expected["scope"] ?? "board"
        let properties = Supply(name: "BAT0", block).properties.dictionary
        #expect(properties == Dictionary(uniqueKeysWithValues: expected.map { ($0.key.uppercased(), $0.value) }))
    }

    @Test("a sysfs is read: what older kernels leave out of the file too, and no supply that goes meanwhile")
    func sysfs() throws {
        let directory = try TemporaryDirectory()
        for name in ["class", "class/power_supply", "class/power_supply/AC", "class/power_supply/BAT0"] {
            try directory.makeDirectory(name)
        }
        _ = try directory.write(
            "POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_CAPACITY=40\n", to: "class/power_supply/BAT0/uevent")
        _ = try directory.write("Battery\n", to: "class/power_supply/BAT0/type")
        _ = try directory.write("Device\n", to: "class/power_supply/BAT0/scope")
        _ = try directory.write("POWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_ONLINE=1\n", to: "class/power_supply/AC/uevent")
        try directory.makeDirectory("class/power_supply/gone")
        // The kernel gives an empty file after an error of a driver.
        try directory.makeDirectory("class/power_supply/failing")
        _ = try directory.write("", to: "class/power_supply/failing/uevent")
        let sysfs = try Sysfs(path: directory.path.string)
        #expect(sysfs.powerSupply("failing") == [:] && sysfs.powerSupply("none") == nil)
        #expect(sysfs.powerSupplies == ["AC", "BAT0", "failing", "gone"])
        let found = PowerReader(sysfs).all().map { Supply(name: $0.name, $0.properties) }
        #expect(found.map(\.name) == ["AC", "BAT0", "failing", "gone"])
        #expect(found.map(\.kind) == [.mains, .battery, .other, .other])
        #expect(found.map(\.scope) == [.board, .device, .board, .board])
        #expect(found.map(\.capacity) == [nil, 40, nil, nil])
    }

    @Test("the devices of a walk, and a device that is listed, ask no driver of a power supply")
    func devices() throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("devices")
        for (subsystem, value) in [("power_supply", nil), ("net", "57")] {
            try directory.makeDirectory("devices/\(subsystem)")
            _ = try directory.write("POWER_SUPPLY_CAPACITY=57\n", to: "devices/\(subsystem)/uevent")
            let record = DeviceRecord(devpath: "/devices/\(subsystem)", subsystem: subsystem)
            let sysfs = try Sysfs(path: directory.path.string)
            #expect(sysfs.properties(of: record)["POWER_SUPPLY_CAPACITY"] == value)
            #expect(sysfs.isInitialized(record))
        }
    }

    // MARK: Events

    @Test("an event is published for a typed value alone, and names what has changed")
    func changes() async throws {
        let board = Board()
        board.set("BAT0", Self.battery)
        try await withObserver(board) { observer, bus, events in
            await observer.waitUntilReady()
            #expect(await observer.supplies(now: true).map(\.capacity) == [57])
            // Measured values change all the time: neither they nor a report without a change are events.
            board.set("BAT0", Self.battery.merging(["VOLTAGE_NOW": "1", "TEMP": "2"]) { $1 })
            #expect(await observer.supplies(now: true).map(\.voltage) == [1])
            board.set("BAT0", ["TYPE": "Battery", "STATUS": "Charging", "CAPACITY": "58"])
            report(bus)
            let change = try await next(events)
            #expect((change.action, change.subject) == ("change", "BAT0"))
            #expect(change.properties["CHANGED"] == "status capacity" && change.properties["STATUS"] == "charging")
            board.set("AC", ["TYPE": "Mains", "ONLINE": "1"])
            report(bus, "/devices/platform/charger/power_supply/AC")
            let added = try await next(events)
            #expect((added.action, added.subject, added.properties["ONLINE"]) == ("add", "AC", "1"))
            board.set("BAT0", nil)
            report(bus)
            let gone = try await next(events)
            // The last known properties.
            #expect((gone.action, gone.subject, gone.properties["CAPACITY"]) == ("remove", "BAT0", "58"))
            let page = await observer.inventory(after: nil, limit: 64)
            #expect(page.items.map(\.subject) == ["AC"])
        }
    }

    @Test("a storm of reports makes few readings")
    func storm() async throws {
        let board = Board()
        board.set("BAT0", Self.battery)
        try await withObserver(board) { observer, bus, _ in
            await observer.waitUntilReady()
            let before = board.readings
            for _ in 0..<10_000 { report(bus) }
            // None of them was lost to the observer, which each of them means the same to.
            #expect(bus.lost == 0)
            // It is answered by a reading that begins after the storm.
            _ = await observer.supplies(now: true)
            // Each reading asks for the names twice.
            #expect(board.readings - before <= 8)
        }
    }

    @Test("reports of other devices make no reading")
    func others() async throws {
        let board = Board()
        board.set("BAT0", ["TYPE": "Battery", "STATUS": "Full"])
        try await withObserver(board) { observer, bus, _ in
            await observer.waitUntilReady()
            let before = await observer.counters
            for _ in 0..<100 { report(bus, "/devices/platform/fuel/net/eth0") }
            report(bus, "/devices/virtual/power_supply")
            try await Task.sleep(for: .milliseconds(300))
            #expect(await observer.counters == before)
        }
    }

    // MARK: Polling

    private static func quick() -> PowerObserver.Pace {
        var pace = PowerObserver.Pace()
        (pace.poll, pace.gap, pace.afterLine) = (.milliseconds(20), .zero, .milliseconds(20))
        return pace
    }

    @Test("a battery that discharges is read again and again while somebody asks, and nothing else is")
    func polling() async throws {
        let board = Board()
        board.set("BAT0", Self.battery)
        try await withObserver(board, pace: Self.quick()) { observer, _, events in
            await observer.waitUntilReady()
            board.set("BAT0", Self.battery.merging(["CAPACITY": "56"]) { $1 })
            // No device has reported it.
            #expect(try await next(events).properties["CHANGED"] == "capacity")
            board.set("BAT0", ["TYPE": "Battery", "STATUS": "Full", "CAPACITY": "56"])
            #expect(try await next(events).properties["STATUS"] == "full")
            let full = board.readings
            try await Task.sleep(for: .milliseconds(300))
            #expect(board.readings == full)
        }
    }

    @Test("nobody asks: a subscriber to all events, or none, makes no reading; a hook that names the source does")
    func interest() async throws {
        let board = Board()
        board.set("BAT0", Self.battery)
        try await withObserver(board, pace: Self.quick(), isNamed: false) { observer, bus, events in
            await observer.waitUntilReady()
            let idle = board.readings
            try await Task.sleep(for: .milliseconds(300))
            #expect(board.readings == idle)
            board.set("BAT0", Self.battery.merging(["CAPACITY": "3"]) { $1 })
            await observer.setHooks(nameSource: true)
            #expect(try await next(events).properties["CAPACITY"] == "3")
            await observer.setHooks(nameSource: false)
            _ = await observer.supplies(now: true)
            let after = board.readings
            try await Task.sleep(for: .milliseconds(300))
            #expect(board.readings == after)
            // A subscriber that comes later is one who asks.
            let late = bus.subscribe(matching: EventFilter(sources: [.power]))
            board.set("BAT0", Self.battery.merging(["CAPACITY": "2"]) { $1 })
            observer.readAgain()
            #expect(try await next(late).properties["CAPACITY"] == "2")
        }
    }

    @Test("after a line has changed, the supplies are read five times more")
    func line() async throws {
        let board = Board()
        board.set("AC", ["TYPE": "Mains", "ONLINE": "1"])
        try await withObserver(board, pace: Self.quick(), isNamed: false) { observer, bus, events in
            await observer.waitUntilReady()
            board.set("AC", ["TYPE": "Mains", "ONLINE": "0"])
            report(bus, "/devices/platform/charger/power_supply/AC")
            #expect(try await next(events).properties["ONLINE"] == "0")
            let started = await observer.counters[1].value
            try await Task.sleep(for: .milliseconds(500))
            #expect(await observer.counters[1].value == started + 5)
        }
    }

    // MARK: Drivers that hang

    @Test("a driver that hangs holds up nobody, and is a problem that is reported")
    func hangs() async throws {
        let board = Board()
        board.set("BAT0", Self.battery)
        let hold = try BlockingOutcome<Void>()
        var pace = Self.quick()
        pace.limit = .milliseconds(500)
        try await withObserver(board, pace: pace, hold: hold) { observer, bus, events in
            await observer.waitUntilReady()
            #expect(await observer.isReady)
            #expect(await observer.supplies(now: true) == [])
            let problem = try #require(await observer.problem)
            #expect(problem.contains("a driver of a power supply has not answered"))
            report(bus)
            let started = await observer.counters[1].value
            try await Task.sleep(for: .milliseconds(200))
            // One reading at a time.
            #expect(await observer.counters[1].value == started)
            hold.set(.success(()))
            // A slow machine may need more than one time limit for it.
            while await observer.supplies(now: true).map(\.capacity) != [57] {}
            while await observer.problem != nil { try await Task.sleep(for: .milliseconds(10)) }
            _ = events
        }
    }

    @Test("a driver that fails is no news of its supply: the former values stay, are read again, and it is reported")
    func fails() async throws {
        let board = Board()
        board.set("BAT0", Self.battery)
        try await withObserver(board, pace: Self.quick()) { observer, _, events in
            await observer.waitUntilReady()
            board.set("BAT0", [:])
            while await observer.problem == nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(await observer.problem?.contains("the power supply BAT0 cannot read its values") == true)
            #expect(await observer.supplies(now: false).map(\.capacity) == [57])
            board.set("BAT0", Self.battery.merging(["CAPACITY": "55"]) { $1 })
            // It is still read as one that discharges, and the first event is that of its next value.
            #expect(try await next(events).properties["CHANGED"] == "capacity")
            #expect(await observer.problem == nil)
        }
    }

    @Test("the end of the observer does not wait for a driver")
    func endsWhileHanging() async throws {
        let board = Board()
        board.set("BAT0", Self.battery)
        let hold = try BlockingOutcome<Void>()
        let start = Mutex(BootTime.now())
        try await withObserver(board, hold: hold) { observer, _, _ in
            while board.readings == 0 { try await Task.sleep(for: .milliseconds(10)) }
            start.withLock { $0 = BootTime.now() }
        }
        // The driver hangs for thirty seconds; a busy machine takes some of them for the end itself.
        #expect(BootTime.now().duration(since: start.withLock(\.self)) < .seconds(15))
        hold.set(.success(()))
    }

    // MARK: The state that is saved

    @Test("what changed while the service was down is published as restored")
    func restored() async throws {
        let board = Board()
        board.set("BAT0", Self.battery)
        board.set("AC", ["TYPE": "Mains", "ONLINE": "1"])
        try await withObserver(board, isNamed: false) { observer, _, events in
            await observer.waitUntilReady()
            // As the service calls it; by the type itself, the protocol's default would be chosen.
            let kept: any EventObserver = observer
            let saved = try #require(await kept.savedState())
            try await kept.publishChanges(since: saved)
            board.set("BAT0", Self.battery.merging(["CAPACITY": "9"]) { $1 })
            board.set("AC", nil)
            #expect(await observer.supplies(now: true).count == 1)
            #expect(try await next(events).restored == false)
            #expect(try await next(events).restored == false)
            try await kept.publishChanges(since: saved)
            let (gone, changed) = (try await next(events), try await next(events))
            #expect(gone.restored && gone.action == "remove" && gone.subject == "AC")
            #expect(changed.restored && changed.properties["CHANGED"] == "capacity")
            for cut in [1, saved.count / 2, saved.count - 1] {
                await #expect(throws: ObserverError.self) {
                    try await kept.publishChanges(since: Array(saved.prefix(cut)))
                }
            }
        }
    }
}
