import CleatTestSupport
import Testing

@testable import CleatObservers

@Suite("Route messages")
struct RouteMessageTests {
    @Test("A link is read with its attributes")
    func link() throws {
        let payload = Messages.link(
            index: 7, flags: 0x11043,
            [
                Messages.attribute(3, "eth0"), Messages.attribute(4, Messages.native(UInt32(1400))),
                Messages.attribute(1, [2, 0, 0xab, 0, 0, 1]), Messages.attribute(16, [6]), Messages.attribute(33, [1]),
                Messages.attribute(0x8000 | 18, Messages.attribute(1, "veth")),
            ])
        let (messages, malformed) = RouteMessage.parse(
            Messages.route(type: 16, flags: 2, sequence: 5, payload)
                + Messages.route(type: 3, flags: 0x12, sequence: 5, []))
        #expect(!malformed)
        try #require(messages.count == 2)
        #expect(
            messages[0].body
                == .link(
                    LinkRecord(
                        index: 7, name: "eth0", kind: "veth", hardwareType: 1, address: "02:00:ab:00:00:01", state: .up,
                        carrier: true, flags: LinkFlags(rawValue: 0x11043), mtu: 1400)))
        #expect(messages[0].multipart && !messages[0].interrupted && messages[0].sequence == 5)
        #expect(messages[1].body == .done && messages[1].interrupted)
    }

    @Test(
        "Addresses are read and written in their usual form",
        arguments: [
            ([192, 0, 2, 1], 24, "192.0.2.1/24"),
            ([UInt8](repeating: 0, count: 15) + [1], 128, "::1/128"),
            ([0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [5], 64, "2001:db8::5/64"),
            ([0xfe, 0x80] + [UInt8](repeating: 0, count: 14), 10, "fe80::/10"),
            ([0, 1, 0, 0, 0, 3, 0, 4, 0, 5, 0, 0, 0, 0, 0, 8], 64, "1:0:3:4:5::8/64"),
            ([0, 1, 0, 0, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8], 64, "1:0:3:4:5:6:7:8/64"),
            ([UInt8](repeating: 0, count: 16), 0, "::/0"),
        ] as [([UInt8], UInt8, String)])
    func address(_ bytes: [UInt8], _ prefixLength: UInt8, _ text: String) throws {
        let payload = Messages.address(
            index: 3, family: bytes.count == 4 ? 2 : 10, prefixLength: prefixLength, [Messages.attribute(1, bytes)])
        let message = try #require(RouteMessage.parse(Messages.route(type: 20, payload)).messages.first)
        guard case .address(let address) = message.body else {
            Issue.record("no address: \(message)")
            return
        }
        #expect(address.text == text)
        #expect(address.index == 3)
    }

    struct Odd: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var malformed: Bool
        var testDescription: String { name }
    }

    @Test(
        "Invalid parts are skipped or end the datagram",
        arguments: [
            Odd(name: "too short", bytes: [1, 2, 3], malformed: true),
            Odd(name: "length 0", bytes: Messages.route(type: 16, [], length: 0), malformed: true),
            Odd(name: "length beyond", bytes: Messages.route(type: 16, [], length: 4_000_000_000), malformed: true),
            Odd(name: "no body", bytes: Messages.route(type: 16, []), malformed: false),
            Odd(
                name: "bridge family",
                bytes: Messages.route(type: 16, Messages.link(index: 1, family: 7, [Messages.attribute(3, "br0")])),
                malformed: false),
            Odd(name: "no name", bytes: Messages.route(type: 16, Messages.link(index: 1, [])), malformed: false),
            Odd(
                name: "index 0", bytes: Messages.route(type: 16, Messages.link(index: 0, [Messages.attribute(3, "a")])),
                malformed: false),
            Odd(
                name: "long name",
                bytes: Messages.route(type: 16, Messages.link(index: 1, [Messages.attribute(3, "0123456789abcdef")])),
                malformed: false),
            Odd(
                name: "attribute of length 3",
                bytes: Messages.route(
                    type: 16, Messages.link(index: 1, [Messages.attribute(3, Array("a".utf8), length: 3)])),
                malformed: false),
            Odd(
                name: "attribute beyond",
                bytes: Messages.route(
                    type: 16, Messages.link(index: 1, [Messages.attribute(3, Array("a".utf8), length: 999)])),
                malformed: false),
            Odd(
                name: "address of 3 bytes",
                bytes: Messages.route(type: 20, Messages.address(index: 1, [Messages.attribute(1, [1, 2, 3])])),
                malformed: false),
            Odd(
                name: "prefix of 33",
                bytes: Messages.route(
                    type: 20, Messages.address(index: 1, prefixLength: 33, [Messages.attribute(1, [1, 2, 3, 4])])),
                malformed: false),
            Odd(
                name: "family 3",
                bytes: Messages.route(
                    type: 20, Messages.address(index: 1, family: 3, [Messages.attribute(1, [1, 2, 3, 4])])),
                malformed: false),
        ])
    func odd(_ odd: Odd) {
        let (messages, malformed) = RouteMessage.parse(odd.bytes)
        #expect(malformed == odd.malformed)
        for message in messages {
            if case .other = message.body { continue }
            Issue.record("taken for \(message.body)")
        }
    }

    @Test("Default routes of the main table are read, with each of several next hops; all others are not")
    func routes() {
        func bytes(_ family: UInt8, length: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, _ rest: [UInt8]) -> [UInt8]
        {
            Messages.route(type: 24, [family, length, 0, 0, table, 3, 0, type, 0, 0, 0, 0] + rest)
        }
        func parsed(_ bytes: [UInt8]) -> RouteMessage.Body? { RouteMessage.parse(bytes).messages.first?.body }
        let hop = Messages.attribute(4, Messages.native(Int32(2))) + Messages.attribute(5, [192, 0, 2, 1])
        let metric = Messages.attribute(6, Messages.native(Int32(100)))
        let plain = DefaultRoute(index: 2, gateway: [192, 0, 2, 1], metric: 100)
        #expect(parsed(bytes(2, hop + metric)) == .routes([plain]))
        #expect(plain.gatewayText == "192.0.2.1")
        let direct = Messages.attribute(4, Messages.native(Int32(3)))
        #expect(parsed(bytes(10, direct)) == .routes([DefaultRoute(index: 3, isIPv6: true)]))
        let six = [UInt8](repeating: 0, count: 15) + [1]
        let via = direct + Messages.attribute(18, Messages.native(UInt16(10)) + six)
        #expect(parsed(bytes(2, via)) == .routes([DefaultRoute(index: 3, gateway: six)]))
        // struct rtnexthop: length, flags, hops, index; the second way is dead, the last one too short.
        func way(_ index: Int32, flags: UInt8 = 0) -> [UInt8] {
            Messages.native(UInt16(16)) + [flags, 0] + Messages.native(index)
                + Messages.attribute(5, [10, 0, 0, UInt8(index)])
        }
        let several = Messages.attribute(9, way(4) + way(5, flags: 1) + way(6) + [7, 0, 0, 0])
        let ways = [
            DefaultRoute(index: 4, gateway: [10, 0, 0, 4]), DefaultRoute(index: 6, gateway: [10, 0, 0, 6]),
        ]
        #expect(parsed(bytes(2, several)) == .routes(ways))
        for other in [
            bytes(2, length: 24, hop), bytes(2, table: 255, hop), bytes(2, type: 6, hop), bytes(28, hop), bytes(2, []),
            bytes(2, hop + Messages.attribute(15, Messages.native(Int32(1000)))),
            bytes(2, Messages.attribute(4, Messages.native(Int32(-1)))),
            Messages.route(type: 24, [2, 0, 0]),
        ] {
            #expect(parsed(other) == .routes([]), "\(other)")
        }
    }

    @Test("An error reports its number")
    func failure() throws {
        let bytes = Messages.route(type: 2, Messages.native(Int32(-16)))
        #expect(RouteMessage.parse(bytes).messages.first?.body == .failure(errno: 16))
        let least = Messages.route(type: 2, Messages.native(Int32.min))
        #expect(RouteMessage.parse(least).messages.first?.body == .failure(errno: 0))
    }
}

@Suite("Link tracker")
struct LinkTrackerTests {
    private func message(
        _ body: RouteMessage.Body, sequence: UInt32? = nil, interrupted: Bool = false
    ) -> RouteMessage {
        RouteMessage(
            sequence: sequence ?? 0, multipart: sequence != nil, interrupted: interrupted, body: body)
    }

    private func link(_ index: Int32, _ name: String, up: Bool = false) -> LinkRecord {
        LinkRecord(
            index: index, name: name, state: up ? .up : .down, carrier: up,
            flags: up ? [.up, .running, .lowerUp] : [])
    }

    private let address = AddressRecord(index: 1, bytes: [192, 0, 2, 1], prefixLength: 24)

    /// A tracker that has seen these links.
    private func settled(
        _ links: [LinkRecord], _ addresses: [AddressRecord] = [], _ routes: [DefaultRoute] = []
    ) -> LinkTracker {
        var tracker = LinkTracker()
        dump(&tracker, tracker.begin(), links, addresses, routes)
        #expect(tracker.isComplete)
        return tracker
    }

    @discardableResult
    private func dump(
        _ tracker: inout LinkTracker, _ request: LinkTracker.Request, _ links: [LinkRecord],
        _ addresses: [AddressRecord] = [], _ routes: [DefaultRoute] = []
    ) -> [LinkChange] {
        var changes: [LinkChange] = []
        guard case .dumpLinks(let sequence) = request else {
            Issue.record("no dump: \(request)")
            return []
        }
        for link in links { changes += tracker.handle(message(.link(link), sequence: sequence)).changes }
        let (gone, _, next) = tracker.handle(message(.done, sequence: sequence))
        changes += gone
        guard case .dumpAddresses(let second) = next else {
            Issue.record("no dump of addresses: \(next)")
            return []
        }
        for address in addresses { changes += tracker.handle(message(.address(address), sequence: second)).changes }
        let (lost, _, third) = tracker.handle(message(.done, sequence: second))
        let (rest, _, last) = dumpRoutes(&tracker, third, routes)
        #expect(last == .complete)
        return changes + lost + rest
    }

    private func dumpRoutes(
        _ tracker: inout LinkTracker, _ request: LinkTracker.Request, _ routes: [DefaultRoute]
    ) -> (changes: [LinkChange], resync: Bool, request: LinkTracker.Request) {
        guard case .dumpRoutes(let sequence) = request else {
            Issue.record("no dump of routes: \(request)")
            return ([], false, .none)
        }
        for route in routes {
            let step = tracker.handle(message(.routes([route]), sequence: sequence))
            #expect(step.changes.isEmpty && step.request == .none)
        }
        return tracker.handle(message(.done, sequence: sequence))
    }

    private func words(_ changes: [LinkChange]) -> [String] {
        changes.map {
            $0.action.rawValue + " " + $0.link.name + ($0.fields.isEmpty ? "" : " " + $0.fields.joined(separator: ","))
        }
    }

    @Test("The first scan reports nothing, messages afterwards everything")
    func life() {
        var tracker = settled([link(1, "eth0")])
        func tell(_ body: RouteMessage.Body) -> [String] { words(tracker.handle(message(body)).changes) }
        #expect(tell(.link(link(1, "eth0"))) == [])
        #expect(tell(.link(link(1, "eth0", up: true))) == ["carrier-gained eth0", "up eth0", "changed eth0 admin"])
        #expect(tell(.link(link(1, "lan", up: true))) == ["renamed lan"])
        #expect(tell(.address(address)) == ["address-added lan"])
        #expect(tell(.address(address)) == [])
        var tentative = address
        tentative.flags |= 0x40
        #expect(tell(.address(tentative)) == ["address-changed lan"])
        #expect(tell(.link(link(2, "wlan0", up: true))) == ["added wlan0", "up wlan0"])
        var other = link(2, "wlan0", up: true)
        other.mtu = 1400
        other.address = "02:00:00:00:00:01"
        #expect(tell(.link(other)) == ["changed wlan0 mtu,address"])
        #expect(tell(.linkRemoved(index: 2, name: nil)) == ["down wlan0", "removed wlan0"])
        #expect(tell(.linkRemoved(index: 1, name: "lan")) == ["address-removed lan", "down lan", "removed lan"])
        #expect(tell(.linkRemoved(index: 1, name: "lan")) == [])
        #expect(tell(.addressRemoved(address)) == [])
    }

    @Test("After an overrun the difference is reported")
    func resync() {
        var tracker = settled([link(1, "eth0"), link(2, "eth1", up: true)], [address])
        let request = tracker.overrun()
        let changes = dump(&tracker, request, [link(1, "lan"), link(3, "new")])
        #expect(words(changes) == ["renamed lan", "added new", "down eth1", "removed eth1", "address-removed lan"])
        #expect(tracker.table.links.count == 2)
    }

    @Test("A dump that was interrupted by a change is repeated before a link is reported as removed")
    func interrupted() {
        var tracker = settled([link(1, "eth0"), link(2, "eth1")])
        guard case .dumpLinks(let first) = tracker.overrun() else { return }
        _ = tracker.handle(message(.link(link(1, "eth0")), sequence: first, interrupted: true))
        let (changes, _, request) = tracker.handle(message(.done, sequence: first))
        #expect(changes.isEmpty)
        guard case .dumpLinks(let second) = request else {
            Issue.record("not made again")
            return
        }
        #expect(second != first)
        let later = dump(&tracker, request, [link(1, "eth0")])
        #expect(words(later) == ["removed eth1"])
    }

    @Test("Messages lost during a dump make it start again at its end")
    func overrunDuringDump() {
        var tracker = settled([link(1, "eth0")])
        guard case .dumpLinks(let first) = tracker.overrun() else { return }
        let second = tracker.overrun()
        #expect(second == .none)
        let (_, _, request) = tracker.handle(message(.done, sequence: first))
        let changes = dump(&tracker, request, [link(1, "eth0")])
        #expect(changes.isEmpty)
    }

    @Test("Messages between the parts of a dump are processed in their order")
    func between() {
        var tracker = settled([link(1, "eth0")])
        guard case .dumpLinks(let sequence) = tracker.overrun() else { return }
        _ = tracker.handle(message(.link(link(1, "eth0")), sequence: sequence))
        let removal = tracker.handle(message(.linkRemoved(index: 1, name: nil))).changes
        #expect(words(removal) == ["removed eth0"])
        let addition = tracker.handle(message(.link(link(5, "usb0")))).changes
        #expect(words(addition) == ["added usb0"])
        let end = tracker.handle(message(.done, sequence: sequence)).changes
        #expect(end.isEmpty)
        #expect(tracker.table.links.keys.sorted() == [5])
    }

    private let route = DefaultRoute(index: 1, gateway: [192, 0, 2, 254], metric: 100)

    @Test("A message of a default route makes the routes be read again, and their difference is reported")
    func routes() {
        var tracker = settled([link(1, "eth0", up: true), link(2, "eth1", up: true)], [address])
        let other = DefaultRoute(index: 2, isIPv6: true, metric: 1024)
        let unused = tracker.handle(message(.routes([]))).request
        #expect(unused == .none, "another route")
        let added = tracker.handle(message(.routes([route])))
        #expect(added.changes.isEmpty && tracker.announces)
        let (changes, resync, end) = dumpRoutes(&tracker, added.request, [other, route])
        #expect(words(changes) == ["route-added eth0", "route-added eth1"] && !resync && end == .complete)
        #expect(changes[0].properties["GATEWAY"] == "192.0.2.254" && changes[0].properties["METRIC"] == "100")
        #expect(changes[1].properties["GATEWAY"] == nil && changes[1].properties["FAMILY"] == "ipv6")
        let removed = tracker.handle(message(.routesRemoved([route])))
        let gone = dumpRoutes(&tracker, removed.request, [other]).changes
        #expect(words(gone) == ["route-removed eth0"])
        #expect(tracker.table.routes == [other])
    }

    @Test("Routes that the kernel removes without a message are found: with a link switched off, or an address")
    func silentRemoval() {
        for cause in [RouteMessage.Body.link(link(1, "eth0")), .addressRemoved(address)] {
            var tracker = settled([link(1, "eth0", up: true)], [address], [route])
            let request = tracker.handle(message(cause)).request
            let gone = dumpRoutes(&tracker, request, []).changes
            #expect(words(gone) == ["route-removed eth0"], "\(cause)")
        }
        var tracker = settled([link(1, "eth0", up: true)], [], [route])
        let removal = tracker.handle(message(.linkRemoved(index: 1, name: nil))).changes
        #expect(words(removal) == ["route-removed eth0", "down eth0", "removed eth0"])
        #expect(tracker.table.routes.isEmpty)
    }

    @Test("A route that changes during a dump makes another one, and does not delay the first state")
    func routesDuringDump() {
        var tracker = LinkTracker()
        guard case .dumpLinks(let first) = tracker.begin() else { return }
        _ = tracker.handle(message(.link(link(1, "eth0", up: true)), sequence: first))
        guard case .dumpAddresses(let second) = tracker.handle(message(.done, sequence: first)).request,
            case .dumpRoutes(let third) = tracker.handle(message(.done, sequence: second)).request
        else {
            Issue.record("the dumps are not in their order")
            return
        }
        let meanwhile = tracker.handle(message(.routesRemoved([route]))).request
        #expect(meanwhile == .none && !tracker.announces)
        let end = tracker.handle(message(.done, sequence: third))
        #expect(end.changes.isEmpty && tracker.announces)
        let (changes, _, last) = dumpRoutes(&tracker, end.request, [route])
        #expect(words(changes) == ["route-added eth0"] && last == .complete)
    }

    @Test("After a dump of routes that messages were lost in, all is read again")
    func overrunDuringRoutes() {
        var tracker = settled([link(1, "eth0", up: true)], [], [route])
        guard case .dumpRoutes(let sequence) = tracker.handle(message(.routes([route]))).request else {
            Issue.record("no dump of routes")
            return
        }
        let meanwhile = tracker.overrun()
        #expect(meanwhile == .none)
        let request = tracker.handle(message(.done, sequence: sequence)).request
        #expect(tracker.table.routes == [route], "routes were forgotten")
        let changes = dump(&tracker, request, [link(1, "eth0", up: true)], [], [route])
        #expect(changes.isEmpty)
    }

    @Test("A refused dump is requested again later, and nothing is forgotten")
    func refused() {
        var tracker = settled([link(1, "eth0")])
        guard case .dumpLinks(let sequence) = tracker.overrun() else { return }
        let refusal = RouteMessage(
            sequence: sequence, multipart: false, interrupted: false, body: .failure(errno: 12))
        let request = tracker.handle(refusal).request
        #expect(request == .retryLater(errno: 12))
        #expect(tracker.table.links.count == 1)
        let changes = dump(&tracker, tracker.begin(), [link(1, "eth0")])
        #expect(changes.isEmpty)
    }

    @Test("The properties of an event have the link, the address and the difference")
    func properties() {
        var link = link(4, "wg0", up: true)
        link.kind = "wireguard"
        link.hardwareType = 65_534
        let change = LinkChange(.addressAdded, link, oldName: "x", fields: ["mtu"], address: address)
        #expect(
            change.properties.dictionary == [
                "INTERFACE": "wg0", "IFINDEX": "4", "TYPE": "none", "OPERSTATE": "up", "CARRIER": "1", "MTU": "1500",
                "FLAGS": "UP,RUNNING,LOWER_UP", "KIND": "wireguard", "OLD_NAME": "x", "CHANGED": "mtu",
                "IP_ADDRESS": "192.0.2.1/24", "FAMILY": "ipv4", "SCOPE": "global",
            ])
    }
}
