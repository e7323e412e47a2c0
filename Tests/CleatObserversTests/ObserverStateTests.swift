import CleatAPI
import CleatTestSupport
import Testing

@testable import CleatObservers

@Suite("Saved state")
struct ObserverStateTests {
    private let devices = DeviceTable([
        DeviceRecord(
            devpath: "/devices/a", subsystem: "usb", devtype: "usb_device", node: "/dev/a", driver: "hub"),
        DeviceRecord(devpath: "/devices/a/b c\t\u{e4}", subsystem: "net"),
    ])
    private let links = LinkTable(
        links: [
            LinkRecord(
                index: 2, name: "eth0", kind: "veth", hardwareType: 1, address: "02:00:00:00:00:01", state: .up,
                carrier: true, flags: [.up, .lowerUp], mtu: 9_000),
            LinkRecord(index: 1, name: "lo", hardwareType: 772, state: .unknown),
        ],
        addresses: [
            AddressRecord(index: 2, bytes: [192, 0, 2, 1], prefixLength: 24),
            AddressRecord(
                index: 2, bytes: [0xfe, 0x80] + [UInt8](repeating: 7, count: 14), prefixLength: 64, scope: 253),
        ],
        routes: [
            DefaultRoute(index: 2, gateway: [192, 0, 2, 254], metric: 100), DefaultRoute(index: 2, isIPv6: true),
        ])

    private var state: ObserverState {
        ObserverState(bootID: "boot", sections: [(.device, devices.encoded()), (.link, links.encoded())])
    }

    @Test("A saved state is read back")
    func roundTrip() throws {
        let read = try ObserverState(decoding: state.encoded())
        #expect(read.bootID == state.bootID)
        #expect(read.sections.map(\.source) == [.device, .link])
        #expect(try DeviceTable(decoding: read.sections[0].state).records == devices.records)
        #expect(try LinkTable(decoding: read.sections[1].state) == links)
    }

    @Test("Sections of unknown sources are skipped")
    func unknownSource() throws {
        let bytes = Array("cleat-observers 1\0boot\0sun\u{0}2\0\0\0device\u{0}0\0end\0".utf8)
        #expect(try ObserverState(decoding: bytes).sections.map(\.source) == [.device])
    }

    @Test(
        "A section whose length is not a valid one is refused", arguments: ["-1", "3", "9223372036854775807", "x", ""])
    func length(_ text: String) {
        let bytes = Array("cleat-observers 1\0boot\0device\0\(text)\0ab".utf8)
        #expect(throws: ObserverError.self) { try ObserverState(decoding: bytes) }
    }

    @Test("A saved table that is truncated inside of a record is refused")
    func cutTable() {
        let device = DeviceTable([DeviceRecord(devpath: "/devices/a", subsystem: "usb")]).encoded()
        for length in 1..<device.count {
            #expect(throws: ObserverError.self) { try DeviceTable(decoding: Array(device[..<length])) }
        }
        let link = LinkTable(links: [LinkRecord(index: 1, name: "lo")], addresses: []).encoded()
        for length in 1..<link.count {
            #expect(throws: ObserverError.self) { try LinkTable(decoding: Array(link[..<length])) }
        }
    }

    @Test("A truncated state is refused, wherever it ends")
    func cut() {
        let bytes = state.encoded()
        for length in 0..<bytes.count {
            #expect(throws: ObserverError.self) { try ObserverState(decoding: Array(bytes[..<length])) }
        }
    }

    @Test("Changed and random bytes never trap", arguments: 1...10)
    func hostile(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            var bytes = state.encoded()
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let read = try? ObserverState(decoding: bytes) {
                #expect(try ObserverState(decoding: read.encoded()).encoded() == read.encoded())
                for (_, section) in read.sections {
                    if let table = try? DeviceTable(decoding: section) {
                        #expect(table.records.allSatisfy { $0.devpath.hasPrefix("/") })
                        #expect(try DeviceTable(decoding: table.encoded()).records == table.records)
                    }
                    if let table = try? LinkTable(decoding: section) {
                        #expect(try LinkTable(decoding: table.encoded()) == table)
                    }
                }
            }
        }
    }

    @Test("Another form is refused")
    func otherForm() {
        let error = #expect(throws: ObserverError.self) {
            try ObserverState(decoding: Array("cleat-observers 2\0b\0E\0".utf8))
        }
        #expect(error?.code == .state)
    }

    @Test("The difference between two tables of links is the change in between")
    func linkDifference() {
        let old = LinkTable(
            links: [LinkRecord(index: 1, name: "eth0"), LinkRecord(index: 2, name: "usb0", state: .up)],
            addresses: [AddressRecord(index: 1, bytes: [192, 0, 2, 1], prefixLength: 24)],
            routes: [DefaultRoute(index: 1), DefaultRoute(index: 2)])
        let new = LinkTable(
            links: [LinkRecord(index: 1, name: "lan", state: .up, carrier: true), LinkRecord(index: 3, name: "wlan0")],
            addresses: [AddressRecord(index: 1, bytes: [192, 0, 2, 2], prefixLength: 24)],
            routes: [DefaultRoute(index: 1), DefaultRoute(index: 3, metric: 7)])
        #expect(
            old.changes(to: new).map { "\($0.action.rawValue) \($0.link.name)" } == [
                "route-removed usb0", "down usb0", "removed usb0", "renamed lan", "carrier-gained lan", "up lan",
                "added wlan0", "address-removed lan", "address-added lan", "route-added wlan0",
            ])
        #expect(new.changes(to: new).isEmpty)
    }
}
