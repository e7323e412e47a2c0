import CleatTestSupport
import Testing

@testable import CleatObservers

@Suite("Device table")
struct DeviceTableTests {
    private func device(_ path: String, _ subsystem: String = "usb", driver: String? = nil) -> DeviceRecord {
        DeviceRecord(devpath: "/devices/" + path, subsystem: subsystem, driver: driver)
    }

    @Test("Devices are found, replaced and removed by path, in the order of bytes")
    func upkeep() {
        var table = DeviceTable([device("b"), device("a"), device("a/c"), device("a!b")])
        #expect(table.records.map(\.devpath) == ["/devices/a", "/devices/a!b", "/devices/a/c", "/devices/b"])
        table.update(device("a", driver: "hub"))
        #expect(table.device(at: "/devices/a")?.driver == "hub")
        #expect(table.count == 4)
        #expect(table.remove("/devices/a")?.driver == "hub")
        #expect(table.remove("/devices/a") == nil)
        #expect(table.device(at: "/devices/a/c") != nil)
    }

    @Test("A move renames everything below the path, and nothing else")
    func move() {
        var table = DeviceTable([device("eth0"), device("eth0/queues"), device("eth01"), device("x")])
        table.move(from: "/devices/eth0", to: "/devices/lan")
        #expect(
            table.records.map(\.devpath) == ["/devices/eth01", "/devices/lan", "/devices/lan/queues", "/devices/x"])
    }

    @Test("Differences name what came, went and changed; children go before their parents")
    func differences() {
        let old = DeviceTable([device("a"), device("a/b"), device("c"), device("d")])
        let new = DeviceTable([device("c", driver: "hub"), device("d"), device("e"), device("e/f")])
        let all = old.differences(to: new)
        #expect(
            all.map { $0.action + " " + $0.record.devpath } == [
                "remove /devices/a/b", "remove /devices/a", "change /devices/c", "add /devices/e", "add /devices/e/f",
            ])
        #expect(old.differences(to: new, ignoring: ["/devices/a", "/devices/c", "/devices/e"]).count == 2)
    }

    @Test("Random upkeep agrees with a dictionary", arguments: 1...10)
    func model(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var table = DeviceTable()
        var model: [String: DeviceRecord] = [:]
        for _ in 0..<500 {
            let record = device(
                "\(Int.random(in: 0..<40, using: &random))", "s\(Int.random(in: 0..<5, using: &random))")
            if Bool.random(using: &random) {
                table.update(record)
                model[record.devpath] = record
            } else {
                #expect(table.remove(record.devpath) == model.removeValue(forKey: record.devpath))
            }
        }
        #expect(table.records == model.values.sorted { $0.devpath.utf8.lexicographicallyPrecedes($1.devpath.utf8) })
    }
}

@Suite("Device tracker")
struct DeviceTrackerTests {
    private func message(
        _ action: String, _ path: String, number: Int? = nil, subsystem: String = "usb", _ more: [String] = []
    ) throws -> DeviceMessage {
        try DeviceMessage(
            kernel: Messages.kernel(
                action: action, devpath: path,
                ["SUBSYSTEM=\(subsystem)"] + (number.map { ["SEQNUM=\($0)"] } ?? []) + more))
    }

    private func record(_ path: String) -> DeviceRecord {
        DeviceRecord(devpath: path, subsystem: "usb")
    }

    private func expect(
        _ tracker: inout DeviceTracker, told expected: Bool, _ message: DeviceMessage,
        isListed: (String) -> Bool = { _ in true }
    ) {
        let told = tracker.handle(message, isListed: isListed)
        #expect(told == expected, "\(message.action) \(message.devpath)")
    }

    private func expect(_ tracker: inout DeviceTracker, _ expected: DeviceTracker.Outcome) {
        let outcome = tracker.endWalk()
        #expect(outcome == expected)
    }

    private func settled(_ paths: [String]) -> DeviceTracker {
        var tracker = DeviceTracker()
        tracker.beginWalk(sequenceNumber: 1)
        tracker.found(paths.map(record))
        expect(&tracker, .complete([]))
        return tracker
    }

    @Test("The first scan reports nothing, later ones the difference")
    func walks() {
        var tracker = settled(["/devices/a", "/devices/b"])
        #expect(tracker.isComplete)
        let walks = tracker.overrun()
        #expect(walks)
        tracker.beginWalk(sequenceNumber: 10)
        tracker.found([record("/devices/b"), record("/devices/c")])
        expect(&tracker, .complete([.disappeared(record("/devices/a")), .appeared(record("/devices/c"))]))
        #expect(tracker.table.records == [record("/devices/b"), record("/devices/c")])
    }

    @Test("A change that a scan has reported is not reported again by a delayed message, but a later one is")
    func duplicates() throws {
        var tracker = settled(["/devices/a"])
        tracker.beginWalk(sequenceNumber: 10)
        tracker.found([record("/devices/c")])
        _ = tracker.endWalk()
        try expect(&tracker, told: false, message("add", "/devices/c", number: 9))
        try expect(&tracker, told: true, message("add", "/devices/c", number: 9))
        try expect(&tracker, told: true, message("remove", "/devices/a", number: 11))
    }

    @Test("A message during a scan has precedence over the scan")
    func race() throws {
        var tracker = settled(["/devices/a"])
        tracker.beginWalk(sequenceNumber: 10)
        tracker.found([record("/devices/a"), record("/devices/gone")])
        try expect(&tracker, told: true, message("add", "/devices/new", number: 11))
        try expect(&tracker, told: true, message("remove", "/devices/gone", number: 12))
        expect(&tracker, .complete([]))
        #expect(tracker.table.records == [record("/devices/a"), record("/devices/new")])
    }

    @Test("A scan during which messages were lost, or paths moved, is repeated")
    func again() throws {
        var tracker = settled(["/devices/a"])
        tracker.beginWalk(sequenceNumber: 1)
        let walks = tracker.overrun()
        #expect(!walks)
        expect(&tracker, .walkAgain)
        tracker.beginWalk(sequenceNumber: 2)
        _ = try tracker.handle(message("move", "/devices/b", ["DEVPATH_OLD=/devices/a"])) { _ in true }
        expect(&tracker, .walkAgain)
        tracker.beginWalk(sequenceNumber: 3)
        tracker.found([record("/devices/b")])
        expect(&tracker, .complete([]))
    }

    @Test("A move changes the paths of the device and of all below it")
    func move() throws {
        var tracker = settled(["/devices/net/eth0", "/devices/net/eth0/phy"])
        let moved = try tracker.handle(message("move", "/devices/net/lan", ["DEVPATH_OLD=/devices/net/eth0"])) { _ in
            true
        }
        #expect(moved)
        #expect(tracker.table.records.map(\.devpath) == ["/devices/net/lan", "/devices/net/lan/phy"])
    }

    @Test("A device that no scan would find is reported but not kept")
    func unlisted() throws {
        var tracker = settled([])
        try expect(&tracker, told: true, message("add", "/devices/q/rx-0", subsystem: "queues")) { $0 != "queues" }
        try expect(&tracker, told: true, message("add", "/module/loop", subsystem: "module"))
        #expect(tracker.table.count == 0)
    }

    @Test("Lost messages never leave a wrong table", arguments: 1...20)
    func property(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var truth: Set<String> = []
        var number: UInt64 = 0
        var tracker = settled([])
        var told: Set<String> = []
        func apply(_ differences: [DeviceDifference]) {
            for difference in differences {
                if difference.action == "add" { told.insert(difference.record.devpath) }
                if difference.action == "remove" { told.remove(difference.record.devpath) }
            }
        }
        func step(lost: Bool) throws {
            let path = "/devices/\(Int.random(in: 0..<12, using: &random))"
            number += 1
            let action = truth.contains(path) ? "remove" : "add"
            if action == "add" { truth.insert(path) } else { truth.remove(path) }
            if lost { return }
            if try tracker.handle(message(action, path, number: Int(number)), isListed: { _ in true }) {
                if action == "add" { told.insert(path) } else { told.remove(path) }
            }
        }
        for _ in 0..<100 {
            try step(lost: false)
            guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
            for _ in 0..<5 { try step(lost: true) }
            let walks = tracker.overrun()
            #expect(walks)
            repeat {
                tracker.beginWalk(sequenceNumber: number)
                let seen = truth.sorted()
                tracker.found(seen.prefix(seen.count / 2).map(record))
                try step(lost: false)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    try step(lost: true)
                    _ = tracker.overrun()
                }
                tracker.found(seen.dropFirst(seen.count / 2).map(record))
                let outcome = tracker.endWalk()
                if case .complete(let differences) = outcome { apply(differences) }
                if outcome != .walkAgain { break }
            } while true
            #expect(Set(tracker.table.records.map(\.devpath)) == truth)
            #expect(told == truth)
        }
    }
}
