internal import CleatSettings

extension InterfaceSettings {
    /// A bridge or bond of which an interface is a port.
    struct Controller: Equatable {
        let name: String
        /// The type of its link: `bridge`.
        let type: String
    }

    /// The virtual link that its settings describe; nil if they describe none.
    var link: VirtualLink? { links.first }

    /// Adds to each member of a virtual link what it is a member of; members without settings follow the others.
    static func connect(_ interfaces: inout [InterfaceSettings]) {
        for owner in interfaces where owner.enabled != false {
            for link in owner.links {
                for member in link.members {
                    let index = interfaces.firstIndex { $0.name == member } ?? interfaces.count
                    if index == interfaces.count {
                        var implied = InterfaceSettings(member)
                        implied.isImplied = true
                        interfaces.append(implied)
                    }
                    if link.hasPorts {
                        interfaces[index].controllers.append(Controller(name: owner.name, type: link.type))
                    } else {
                        interfaces[index].vlans.append(owner.name)
                    }
                }
            }
        }
    }

    /// Returns the interfaces in an order in which the members of each virtual link precede it.
    static func inOrderOfMaking(_ interfaces: [InterfaceSettings]) -> [InterfaceSettings] {
        var (ordered, seen): ([InterfaceSettings], Set<String>) = ([], [])
        func visit(_ interface: InterfaceSettings) {
            guard seen.insert(interface.name).inserted else { return }
            let members = interface.links.flatMap(\.members)
            for member in interfaces where members.contains(member.name) { visit(member) }
            ordered.append(interface)
        }
        for interface in interfaces { visit(interface) }
        return ordered
    }

    /// Refuses settings of several interfaces that exclude each other.
    static func checkAll(_ interfaces: [InterfaceSettings], _ desired: inout DesiredState) {
        checkRoutes(of: interfaces, &desired)
        for interface in interfaces where interface.link != nil {
            var (inside, rest): (Set<String>, [String]) = ([], interface.links.flatMap(\.members))
            while let name = rest.popLast() {
                guard inside.insert(name).inserted else { continue }
                rest += interfaces.first { $0.name == name }?.links.flatMap(\.members) ?? []
            }
            if inside.contains(interface.name) {
                desired.refuse(interface.path, "makes \(interface.name) a part of itself; change its parent or ports")
            }
        }
        for interface in interfaces where interface.enabled == false {
            guard let vlan = interface.vlans.first else { continue }
            desired.refuse(
                interface.path("enabled"),
                "is false, but the VLAN \(vlan) is on \(interface.name); switch off \(vlan), too")
        }
    }

    /// Refuses invalid settings of a virtual link, or of a port.
    func checkLinks(_ desired: inout DesiredState) {
        if links.count > 1 {
            desired.refuse(
                path, "is of \(name), which cannot be a \(links[0].type) and a \(links[1].type); unset one of the two")
        }
        if case .vlan(let number) = link?.kind, number == nil || link?.members.isEmpty == true {
            desired.refuse(
                path, "is of the VLAN \(name), which needs a number and a parent; set vlan/id and vlan/parent")
        }
        if link != nil, !wifi.isEmpty {
            desired.refuse(path, "is of \(name), a virtual interface, which joins no Wi-Fi network; unset wifi")
        }
        guard let controller = controllers.first else { return }
        if controllers.count > 1 {
            desired.refuse(
                path,
                "is of \(name), a port of \(controller.name) and of \(controllers[1].name); remove it from one of the two"
            )
        }
        for key in ownKeys {
            desired.refuse(
                path(key),
                "is set, but \(name) is a port of \(controller.name), which has the addresses; unset it, or set it for "
                    + "\(controller.name)")
        }
    }

    /// The keys of settings that a port cannot have.
    private var ownKeys: [StaticString] {
        let keys: [(StaticString, Bool)] = [
            ("dhcp", dhcp == true), ("addresses", addresses?.isEmpty == false), ("gateway", gateway != nil),
            ("routes", routes?.isEmpty == false), ("dns", dns?.isEmpty == false), ("search", search?.isEmpty == false),
            ("metric", metric != nil), ("ipv6", ipv6 != nil), ("privacy", privacy != nil), ("wifi", !wifi.isEmpty),
        ]
        return keys.filter(\.1).map(\.0)
    }

    /// Refuses virtual interfaces whose name an interface of the system has that is none of their kind.
    static func checkNames(_ settings: LayeredSettings, _ desired: inout DesiredState, on system: SystemResources) {
        for interface in all(in: settings) where interface.link != nil {
            do throws(ResourceError) {
                let type = try system.linkType(of: interface.name)
                if let reason = try interface.misfit(type, on: system) { desired.refuse(interface.path, reason) }
            } catch {
                desired.refuse(interface.path, "cannot be applied: \(error)")
            }
        }
    }

    /// Returns the reason why an interface of the system cannot become the virtual link: the end of a sentence.
    ///
    /// - Parameters:
    ///   - type: its type (``SystemResources/linkType(of:)``); nil for Ethernet.
    ///   - system: the system, which is only read.
    /// - Returns: nil if it can, or if there is no such interface.
    /// - Throws: the reason why the system could not be read.
    func misfit(_ type: String?, on system: SystemResources) throws(ResourceError) -> String? {
        guard let link, type != link.type, try system.isThere("/sys/class/net/\(name)") else { return nil }
        return "is of \(name), which is there and is no \(link.type); choose another name"
    }
}
