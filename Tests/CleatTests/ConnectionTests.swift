import CleatAPI
import CleatEmbedded
import Testing

@testable import Cleat

@Suite struct ConnectionTests {
    private func link(
        _ addresses: [String] = [], on name: String = "eth0", up: Bool = true, carrier: Bool = true,
        duplicates: [String] = [], routes: [LinkRoute] = [], type: String = "ether"
    ) -> NetworkLink {
        NetworkLink(
            Link(
                index: 2, name: name, type: type, state: up && carrier ? "up" : "down", carrier: carrier, up: up,
                mtu: 1500, addresses: addresses, duplicates: duplicates, routes: routes))
    }

    private let four = LinkRoute(family: .ipv4, gateway: "192.0.2.1", metric: 100)
    private let six = LinkRoute(family: .ipv6, gateway: "fe80::1", metric: 1)

    private func connection(
        _ links: [NetworkLink], after former: NetworkConnection = .disconnected
    ) -> NetworkConnection {
        NetworkConnection(links, after: former)
    }

    @Test func aLinkThatComesUpConnectsStepByStep() {
        let lo = link(["127.0.0.1/8", "::1/128"], on: "lo", type: "loopback")
        #expect(connection([]) == .disconnected)
        #expect(connection([lo]) == .disconnected, "the loopback link is no connection")
        #expect(connection([lo, link(up: false, carrier: false)]) == .disconnected)
        #expect(connection([lo, link(carrier: false)]) == .disconnected)
        #expect(connection([lo, link()]) == .connecting(link: "eth0"))
        for local in ["169.254.7.7/16", "fe80::7/64", "febf::7/64"] {
            #expect(connection([lo, link([local])]) == .connecting(link: "eth0"), "\(local)")
        }
        #expect(connection([lo, link(["192.0.2.7/24"])]) == .limited(link: "eth0", address: "192.0.2.7/24"))
        #expect(
            connection([lo, link(["fe80::7/64", "192.0.2.7/24"], routes: [four])])
                == .connected(link: "eth0", address: "192.0.2.7/24", gateway: "192.0.2.1"))
    }

    @Test func theRouteInUseDecides() {
        let cheap = LinkRoute(family: .ipv4, gateway: nil, metric: 50)
        let links = [
            link(["192.0.2.7/24"], routes: [four]), link(["198.51.100.7/32"], on: "wwan0", routes: [cheap]),
            link(["2001:db8::7/64"], on: "eth1", routes: [six]),
        ]
        #expect(connection(links) == .connected(link: "wwan0", address: "198.51.100.7/32", gateway: nil))
        #expect(
            connection([links[2]]) == .connected(link: "eth1", address: "2001:db8::7/64", gateway: "fe80::1"))
        // A route of a family without an address, or over a link that passes nothing, leads nowhere.
        #expect(connection([link(["192.0.2.7/24"], routes: [six])]) == .limited(link: "eth0", address: "192.0.2.7/24"))
        #expect(connection([link(["192.0.2.7/24"], carrier: false, routes: [four])]) == .disconnected)
    }

    @Test func aConnectionThatLosesItsCarrierIsDisconnectingUntilItsAddressIsGone() {
        let connected = connection([link(["192.0.2.7/24"], routes: [four])])
        let lost = connection([link(["192.0.2.7/24"], carrier: false)], after: connected)
        #expect(lost == .disconnecting(link: "eth0"))
        #expect(connection([link(["192.0.2.7/24"], carrier: false)], after: lost) == lost)
        #expect(connection([link(carrier: false)], after: lost) == .disconnected)
        #expect(connection([link(["192.0.2.7/24"], up: false, carrier: false)], after: lost) == .disconnected)
        #expect(connection([link(on: "eth1")], after: connected) == .connecting(link: "eth1"))
    }

    @Test func anAddressThatAnotherHostUsesIsAnError() {
        let address = "2001:db8::7/64"
        #expect(
            connection([link([address], duplicates: [address])]) == .error(link: "eth0", duplicate: address))
        #expect(
            connection([link(["192.0.2.7/24", address], duplicates: [address])])
                == .limited(link: "eth0", address: "192.0.2.7/24"), "another address is there")
    }

    @Test func memoryHasNoConnection() async throws {
        var states = try await Cleat.inMemory().connection.makeAsyncIterator()
        #expect(try await states.next() == .disconnected)
    }
}
