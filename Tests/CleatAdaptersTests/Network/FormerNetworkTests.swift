import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of interface settings, and of their stored states, when another service runs the network.
@Suite(.tags(.fault), .enabled(if: TestLink.isAvailable, "\(TestLink.reason)"))
struct FormerNetworkTests {
    private static let file = Resource.file("/etc/systemd/network/10-cleat-cleat0.network")
    private static let interface = Resource.interface("cleat0")

    private static func board() throws -> TestBoard {
        try TestBoard(isRunning: true) { root in try makeDirectories(root + "/run/systemd/netif/state") }
    }

    @Test("With Wi-Fi the interface waits as before; the networks wait, too, if NetworkManager joined them")
    func wireless() async throws {
        try await OwnNamespaces.run {
            let board = try TestBoard(isRunning: true) { root in
                for path in ["/run/systemd/netif/state", "/usr/sbin/wpa_supplicant"] {
                    try makeDirectories(root + path)
                }
            }
            let set = try InterfacesAdapterTests.settings([
                ("wlan0/addresses", ["192.0.2.5/24"]), ("wlan0/wifi/home/ssid", "home"),
                ("wlan0/wifi/home/security", "open"),
            ])
            let network = Resource.file("/etc/systemd/network/10-cleat-wlan0.network")
            let joined = Resource.file("/etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
            let byKernel = [
                Resource.interface("wlan0"): KnownResource(adapter: "interfaces", hasOrigin: true),
                joined: KnownResource(adapter: "wpa_supplicant", wanted: "w", found: "f", hasOrigin: true),
            ]
            let first = board.set.reconcile(set, known: byKernel, .restart, on: board.system)
            #expect(first.drift.filter(\.isHeld).map(\.resource) == [network], "\(first)")
            #expect(!first.change.resources.contains(network) && first.forgotten.isEmpty, "\(first)")

            let profile = Resource.file("/etc/NetworkManager/system-connections/cleat-wlan0+home.nmconnection")
            let byManager = [profile: KnownResource(adapter: "networkmanager", hasOrigin: true)]
            for occasion in [Reconciliation.Occasion.boot, .restart, .inspect] {
                let second = board.set.reconcile(set, known: byManager, occasion, on: board.system)
                #expect(second.drift.filter(\.isHeld).map(\.resource) == [joined, network], "\(second)")
                #expect(second.change.isEmpty && second.forgotten.isEmpty, "\(second)")
            }
            let asked = board.set.reconcile(set, known: byManager, .repair([joined, network]), on: board.system)
            #expect(asked.change.resources.contains(joined) && asked.change.resources.contains(network), "\(asked)")
            #expect(asked.drift.allSatisfy { !$0.isHeld }, "\(asked)")
        }
    }

    @Test(
        "It waits at startup, and for changes; once its service was reported, what the interface was is released untouched"
    )
    func networkd() async throws {
        try await OwnNamespaces.run {
            let board = try Self.board()
            let link = try TestLink("cleat0")
            let set = try InterfacesAdapterTests.settings([("cleat0/addresses", ["192.0.2.5/24"])])
            let before = try kernelDump(link.name)
            let formerly = [Self.interface: KnownResource(adapter: "interfaces", hasOrigin: true)]
            for occasion in [Reconciliation.Occasion.boot, .restart, .inspect, .repair([])] {
                let found = board.set.reconcile(set, known: formerly, occasion, on: board.system)
                #expect(found.change.isEmpty && found.forgotten.isEmpty, "\(occasion): \(found)")
                #expect(found.drift.map(\.resource) == [Self.file] && found.drift.allSatisfy(\.isHeld), "\(found)")
            }
            let asked = board.set.reconcile(set, known: formerly, .repair([Self.file]), on: board.system)
            #expect(asked.change.resources == [Self.file] && asked.drift.isEmpty, "\(asked)")

            // A change leaves it alone, and refuses to be about it.
            var holding = board.set
            holding.heldInterfaces = ["cleat0"]
            let path = try SettingPath("network/interfaces/cleat0/mtu")
            #expect(holding.reasonNotToFollow(path)?.contains("cleat reapply") == true)
            #expect(board.set.reasonNotToFollow(path) == nil)
            let other = try InterfacesAdapterTests.settings([
                ("cleat0/addresses", ["192.0.2.5/24"]), ("cleat1/addresses", ["192.0.2.9/24"]),
            ])
            let files = [Resource.file("/etc/systemd/network/10-cleat-cleat1.network")]
            #expect(holding.change(from: set, to: other).resources == files)
            #expect(holding.change(from: set, to: try board.settings([])).isEmpty)

            // It was reported.
            var told = formerly
            told[Self.file] = KnownResource(adapter: "networkd", wanted: "w", found: "f", hasOrigin: true)
            for occasion in [Reconciliation.Occasion.restart, .repair([])] {
                let found = board.set.reconcile(set, known: told, occasion, on: board.system)
                #expect(found.forgotten == [Self.interface], "\(found)")
                #expect(!found.change.resources.contains(Self.interface))
                #expect(!found.drift.contains { $0.resource == Self.interface && $0.setting == nil }, "\(found)")
            }
            // Nothing is set any more.
            let gone = board.set.reconcile(try board.settings([]), known: formerly, .restart, on: board.system)
            #expect(gone.forgotten == [Self.interface] && gone.change.isEmpty, "\(gone)")
            #expect(try kernelDump(link.name) == before)
        }
    }

    @Test(
        "Without a former service everything is applied: on the first boot of an image, and for a later interface")
    func first() async throws {
        try await OwnNamespaces.run {
            let board = try Self.board()
            let set = try InterfacesAdapterTests.settings([("cleat0/addresses", ["192.0.2.5/24"])])
            let found = board.set.reconcile(set, known: [:], .boot, on: board.system)
            #expect(found.change.resources == [Self.file] && found.drift.isEmpty, "\(found)")
        }
    }

    @Test("An address that the kernel does not list as managed is not missed")
    func linkLocal() async throws {
        try await OwnNamespaces.run {
            let board = try TestBoard(isRunning: true)
            let link = try TestLink("cleat0")
            var origins: [Resource: Memento] = [:]
            let set = try InterfacesAdapterTests.settings([("cleat0/addresses", ["fe80::1234/64", "192.0.2.5/24"])])
            let applied = try AppliedChange(board, from: try board.settings([]), to: set, origins: &origins)
            #expect(applied.isSuccess, "\(applied.results)")
            _ = link
        }
    }
}
