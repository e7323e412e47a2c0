package import CleatSettings

extension InterfaceSettings {
    /// A bridge or bond of which an interface is a port.
    struct Controller: Equatable {
        let name: String
        /// The type of its link: `bridge`.
        let type: String
    }

    /// The virtual links of an interface, and those of which it is a member.
    struct Membership: Equatable {
        /// The virtual links that its settings describe; several are refused.
        var links: [VirtualLink] = []
        /// The bridges and bonds of which it is a port; several are refused.
        var controllers: [Controller] = []
        /// The names of the VLANs of which it is the parent.
        var vlans: [String] = []
        /// True if it has no settings, but is a member of a virtual link.
        var isImplied = false
    }

    /// The virtual link that its settings describe; nil if they describe none.
    var link: VirtualLink? { membership.links.first }

    /// Adds to each member of a virtual link what it is a member of; members without settings follow the others.
    static func connect(_ interfaces: inout [InterfaceSettings]) {
        for owner in interfaces {
            for link in owner.membership.links {
                for member in link.members {
                    let index = interfaces.firstIndex { $0.name == member } ?? interfaces.count
                    if index == interfaces.count {
                        let place = (try? path.appending(member).appending("enabled")) ?? path
                        var implied = InterfaceSettings(name: member, path: place)
                        implied.membership.isImplied = true
                        interfaces.append(implied)
                    }
                    if link.hasPorts {
                        interfaces[index].membership.controllers.append(Controller(name: owner.name, type: link.type))
                    } else {
                        interfaces[index].membership.vlans.append(owner.name)
                    }
                }
            }
        }
    }

    /// Returns the setting because of which an interface is configured: for a mere member that of its bridge, bond or VLAN.
    ///
    /// - Parameters:
    ///   - path: the path of the interface's first setting, which a member may lack.
    ///   - settings: the settings in force.
    /// - Returns: the setting.
    static func reason(for path: SettingPath, _ settings: LayeredSettings) -> SettingPath {
        guard path.segments.count > 3, Self.path.isPrefix(of: path), settings.inForce(path) == nil,
            let membership = all(in: settings).first(where: { $0.name == path.segments[2] })?.membership,
            membership.isImplied
        else { return path }
        let ports = membership.controllers.first.map { Self.path($0.name, "\($0.type)/ports") }
        return (ports ?? membership.vlans.first.map { Self.path($0, "vlan/parent") } ?? nil) ?? path
    }

    /// Returns the interfaces in an order in which the members of each virtual link precede it.
    static func inOrderOfMaking(_ interfaces: [InterfaceSettings]) -> [InterfaceSettings] {
        var (ordered, seen): ([InterfaceSettings], Set<String>) = ([], [])
        func visit(_ interface: InterfaceSettings) {
            guard seen.insert(interface.name).inserted else { return }
            let members = interface.membership.links.flatMap(\.members)
            if !members.isEmpty { interfaces.filter { members.contains($0.name) }.forEach(visit) }
            ordered.append(interface)
        }
        for interface in interfaces { visit(interface) }
        return ordered
    }

    /// Refuses settings of several interfaces that exclude each other.
    static func checkAll(_ interfaces: [InterfaceSettings], _ desired: inout DesiredState) {
        checkRoutes(of: interfaces, &desired)
        for interface in interfaces where interface.link != nil {
            var (inside, rest): (Set<String>, [String]) = ([], interface.membership.links.flatMap(\.members))
            while let name = rest.popLast() {
                guard inside.insert(name).inserted else { continue }
                rest += interfaces.first { $0.name == name }?.membership.links.flatMap(\.members) ?? []
            }
            if inside.contains(interface.name) {
                desired.refuse(interface.path, "makes \(interface.name) a part of itself; change its parent or ports")
            }
        }
        for interface in interfaces where interface.enabled == false {
            let isOn: (String) -> Bool = { name in interfaces.first { $0.name == name }?.enabled != false }
            guard let vlan = interface.membership.vlans.first(where: isOn) else { continue }
            desired.refuse(
                interface.path("enabled"),
                "is false, but the VLAN \(vlan) is on \(interface.name); switch off \(vlan), too")
        }
    }

    /// Refuses invalid settings of a virtual link, or of a port.
    func checkLinks(_ desired: inout DesiredState) {
        let links = membership.links
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
        let controllers = membership.controllers
        guard let controller = controllers.first else { return }
        if controllers.count > 1 {
            desired.refuse(
                path,
                "is of \(name), a port of \(controller.name) and of \(controllers[1].name); remove it from one of the two"
            )
        }
        if controller.type == link?.type {
            desired.refuse(
                path,
                "is of \(name), a \(controller.type), which cannot be a port of the \(controller.type) \(controller.name); "
                    + "remove it there")
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
            ("dhcp", ip.dhcp == true), ("addresses", ip.addresses?.isEmpty == false), ("gateway", ip.gateway != nil),
            ("routes", ip.routes?.isEmpty == false), ("dns", resolver.dns?.isEmpty == false),
            ("search", resolver.search?.isEmpty == false),
            ("metric", ip.metric != nil), ("ipv6", ip.ipv6 != nil), ("privacy", ip.privacy != nil),
            ("wifi", !wifi.isEmpty),
        ]
        return keys.filter(\.1).map(\.0)
    }

    /// Refuses virtual interfaces that are there and that Cleat has not made, and ports of those.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - desired: the desired state, for its problems.
    ///   - system: the system, which is only read.
    ///   - isOwn: returns true if Cleat has made an interface.
    static func checkOwners(
        _ settings: LayeredSettings, _ desired: inout DesiredState, on system: SystemResources,
        isOwn: (String) throws(ResourceError) -> Bool
    ) {
        let virtual = all(in: settings).filter { $0.link != nil && $0.hasPlainName }
        guard system.isRunning, let first = virtual.first else { return }
        do throws(ResourceError) {
            let present = try InterfaceControl(kernel: system.kernel, name: first.name, stage: .inspect).allLinks()
            for interface in virtual {
                guard let link = interface.link else { continue }
                // The module of bonds makes one without ports.
                let isUnused = present[interface.name]??.isUnusedBond == true && link.type == "bond"
                if let found = present[interface.name], !isUnused, try !isOwn(interface.name) {
                    desired.refuse(
                        interface.path,
                        "is of \(interface.name), which is there\(found.map { " (\($0))" } ?? "") and not made by Cleat; choose "
                            + "another name, or remove it first")
                }
                for port in link.hasPorts ? link.members : [] {
                    guard let owner = present.first(where: { $0.value?.owns(port) == true })?.key,
                        !virtual.contains(where: { $0.name == owner }), try !isOwn(owner)
                    else { continue }
                    desired.refuse(
                        interface.path,
                        "is of \(interface.name), whose port \(port) is one of \(owner); remove it there first")
                }
            }
        } catch {
            desired.refuse(first.path, "cannot be applied: \(error)")
        }
    }
}

extension VirtualLink {
    /// True if it is a bond without ports.
    fileprivate var isUnusedBond: Bool { type == "bond" && members.isEmpty }

    /// Returns true if an interface is one of its ports.
    fileprivate func owns(_ port: String) -> Bool { hasPorts && members.contains(port) }
}

/// Interfaces that depend on each other as members of VLANs, bridges and bonds.
package enum ConnectedInterfaces {
    /// Returns the interfaces whose own link, or whose membership, a change of settings changes, and all that are made
    /// of these.
    package static func changed(from old: LayeredSettings, to new: LayeredSettings) -> Set<String> {
        func connected(_ settings: LayeredSettings) -> [InterfaceSettings] {
            InterfaceSettings.all(in: settings).filter {
                !$0.membership.links.isEmpty || !$0.membership.controllers.isEmpty
            }
        }
        let (before, after) = (connected(old), connected(new))
        var changed: Set<String> = []
        for name in Set((before + after).map(\.name)) {
            let (was, now) = (before.first { $0.name == name }, after.first { $0.name == name })
            if was?.membership.links != now?.membership.links
                || was?.membership.controllers != now?.membership.controllers
            {
                changed.insert(name)
            }
        }
        var owners: [String] = []
        repeat {
            owners = (before + after).filter { interface in
                interface.membership.links.contains { !changed.isDisjoint(with: $0.members) }
            }.map(\.name).filter { changed.insert($0).inserted }
        } while !owners.isEmpty
        return changed
    }
}
