internal import CleatIO
internal import CleatSettings

/// An operation on a network interface between and after the programs of the service that configures it.
package struct InterfaceAction: Equatable, Sendable {
    /// The kind of operation.
    package enum Kind: Equatable, Sendable {
        /// Runs these programs until one succeeds, to end the former configuration; then removes the remaining
        /// addresses (`RTM_DELADDR`).
        case takeDown([ActionCommand])
        /// Restores the interface to a snapshot; nil if it is not known yet.
        ///
        /// If an address was leased, the program starts the DHCP client again.
        case giveBack(InterfaceSnapshot?, leased: ActionCommand?)
        /// Runs these programs until one has joined its Wi-Fi network, or could not though it is in range.
        case join([ActionCommand])
        /// Makes wpa_supplicant read its file again, and waits until it has joined a network.
        case reconfigure(SupplicantGoal)
        /// Starts the DHCP client by this program, unless it runs.
        case lease(ActionCommand)
        /// Ends the DHCP client; the server keeps the lease.
        ///
        /// The default route of the lease is removed, unless one of these addresses reaches its gateway; nil if the
        /// former state has been restored.
        case endLease(reaching: [InterfaceAddress]?)
        /// Changes the parameters of a virtual link that is there, by rtnetlink.
        case change(VirtualLink)
        /// Queries the kernel until the interface matches its settings, or the time limit has passed.
        case check(ConfiguredInterface)
    }

    /// A part of the line that a program prints if it has joined a network and waits for addresses.
    static let joiningMark = "Timeout expired"

    /// The interface's name.
    package let name: String
    /// The kind of operation.
    package let kind: Kind

    /// Creates an operation on an interface.
    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// The operation as text for users.
    package var title: String {
        switch kind {
        case .takeDown: "take \(name) down"
        case .giveBack: "restore \(name) as it was before Cleat"
        case .reconfigure: "make wpa_supplicant read the networks of \(name)"
        case .join: "join a Wi-Fi network with \(name)"
        case .lease: "start the DHCP client of \(name)"
        case .endLease: "end the DHCP client of \(name)"
        case .change(let link): "set the \(link.type) \(name) in the kernel"
        case .check: "check \(name) in the kernel"
        }
    }

    /// The programs that the operation may run.
    var commands: [ActionCommand] {
        switch kind {
        case .takeDown(let commands), .join(let commands): commands
        case .giveBack(_, let leased): leased.map { [$0] } ?? []
        case .lease(let command): [command]
        case .check, .reconfigure, .change, .endLease: []
        }
    }
}

/// Describes the state that the kernel must show once a service has configured an interface.
package struct ConfiguredInterface: Equatable, Sendable {
    /// The interface's name.
    package let name: String
    /// The expected state; the interface may have more addresses and routes than these.
    package let state: InterfaceState
    /// The files that the service reads: one, or one for each Wi-Fi network.
    let files: [Resource]
    /// A setting that the interface follows.
    let path: SettingPath
    /// The name of the service that configures the interface, for messages.
    let service: String
    /// The sign that the service runs; nil if there is no service to run.
    let needs: RunningSign?
    /// True if the service configures the interface after its program has returned.
    ///
    /// It waits for a carrier before it adds the addresses, and may first remove and recreate present ones.
    let isTakenUpLater: Bool
    /// True if the interface may have more IPv4 addresses, by DHCP.
    let usesDHCP: Bool
    /// True if the service chooses the metric of a route without one.
    let choosesMetrics: Bool
    /// The parameters of the kernel that the service sets.
    var kernelValues: [KernelExpectation] = []
    /// The virtual link that it is; nil if it is none.
    var link: VirtualLink?
    /// The name of the bridge or bond of which it is a port; nil if it is none.
    var controller: String?
    /// The words in the command line of its DHCP client, if Cleat starts that; nil if it does not.
    var client: [String]?
}

extension ConfiguredInterface {
    /// Returns true if the service that configures the interface runs.
    func isUsed(on system: SystemResources) -> Bool {
        (try? needs?.isPresent(on: system)) ?? true
    }

    /// Returns the settings that the interface lacks, and true if the link itself is up and as set; nil if there is no
    /// such interface.
    ///
    /// The settings are ends of sentences that begin with the interface's name.
    func missing(on system: SystemResources) throws(ResourceError) -> (words: [String], isLinkAsSet: Bool)? {
        var difference: String?
        if let link { difference = try VirtualLinkResource(name: name).difference(from: link, on: system) }
        guard let present = try system.interface(name) else {
            // A VLAN without its parent is made when that appears.
            return difference.map { ([$0], false) }
        }
        var words = difference.map { [$0] } ?? []
        if let controller,
            try VirtualLinkResource(name: controller).link(on: system)?.members.contains(name) != true
        {
            words.append("is no port of \(controller)")
        }
        let isConnected = words.isEmpty
        if let client, !ProcessNames.contains(service, with: client) { words.append("has no DHCP client") }
        words += state.missing(of: name, in: present, anyMetric: choosesMetrics)
        if let gateway = state.gateway, gateway.bits == 128, words.contains(state.lackOfGateway),
            try InterfaceResource(name: name).gateways(on: system).contains(gateway)
        {
            words.removeAll { $0 == state.lackOfGateway }
        }
        for expectation in kernelValues {
            if let difference = try expectation.difference(on: system) { words.append(difference) }
        }
        let isLinkAsSet = (state.isUp ?? present.isUp) == present.isUp && (state.mtu ?? present.mtu) == present.mtu
        return (words, isLinkAsSet && present.isUp && isConnected)
    }

    /// Returns true if a service that works by itself has a carrier, and no IPv4 address by DHCP yet.
    func lacksLease(on system: SystemResources) throws(ResourceError) -> Bool {
        guard isTakenUpLater, usesDHCP, state.isUp == true, InterfaceResource(name: name).hasCarrier(on: system)
        else { return false }
        return try system.interface(name)?.hasIPv4 == false
    }

    /// Compares the interface with its settings.
    ///
    /// It returns nil if there is no such interface, or if the service still waits for a carrier.
    ///
    /// Additional IPv4 addresses count as differences only if no DHCP client can have added them.
    func differences(on system: SystemResources) throws(ResourceError) -> [InterfaceDifference]? {
        guard let (missing, isAsSet) = try missing(on: system) else { return nil }
        let present = try system.interface(name)
        if isTakenUpLater, isAsSet, !InterfaceResource(name: name).hasCarrier(on: system) { return nil }
        var words = missing
        if let addresses = state.addresses, !usesDHCP, state.isUp != false {
            let wanted = addresses.map { KernelAddress($0, of: name) }
            words += (present?.addresses ?? []).compactMap { address in
                guard let text = address.address, text.address.bits == 32,
                    !wanted.contains(where: { $0.isSame(as: address) })
                else { return nil }
                return "also has the address \(text)"
            }
        }
        return words.map {
            InterfaceDifference(
                words: $0, setting: path,
                adoption: .impossible("is configured by \(service), which would configure it otherwise"))
        }
    }
}
