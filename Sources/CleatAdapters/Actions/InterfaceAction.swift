internal import CleatSettings

/// What is done to a network interface between the programs of the service that configures it, and after them.
package struct InterfaceAction: Hashable, Sendable {
    /// What is done.
    package enum Kind: Hashable, Sendable {
        /// The first of these programs that does not fail ends what was configured; then the addresses that are still there
        /// are removed (`RTM_DELADDR`).
        case takeDown([ActionCommand])
        /// The interface becomes what it was; nil where that is not known yet. Where an address was leased, the program has
        /// the DHCP client run again.
        case giveBack(InterfaceSnapshot?, leased: ActionCommand?)
        /// The kernel is asked until the interface is what its settings say, or the time for that is over.
        case check(ConfiguredInterface)
    }

    /// The interface's name.
    package let name: String
    /// What is done to it.
    package let kind: Kind

    /// Takes both.
    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// What it does, for people.
    package var title: String {
        switch kind {
        case .takeDown: "take \(name) down"
        case .giveBack: "bring \(name) back as it was before Cleat"
        case .check: "check \(name) in the kernel"
        }
    }

    /// The programs that it may run.
    var commands: [ActionCommand] {
        switch kind {
        case .takeDown(let commands): commands
        case .giveBack(_, let leased): leased.map { [$0] } ?? []
        case .check: []
        }
    }
}

/// Says what the kernel must show of an interface once a service has configured it.
package struct ConfiguredInterface: Hashable, Sendable {
    /// The interface's name.
    package let name: String
    /// What it shall be; it may have more than that.
    package let state: InterfaceState
    /// The file that the service reads.
    let file: Resource
    /// A setting that it follows.
    let path: SettingPath
    /// The service that configures it, for people.
    let service: String
    /// A path that is there while the service runs; nil where there is none.
    let needs: String?
    /// Whether the service only takes note when it is told, and does its work later: it waits for a carrier before it gives
    /// the interface its addresses, and may first remove what it then makes again.
    let isTakenUpLater: Bool
    /// Whether it may have addresses of IPv4 besides, by DHCP.
    let usesDHCP: Bool
}
