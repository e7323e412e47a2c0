internal import CleatIO
internal import CleatJSON
package import CleatSettings

extension SystemResources {
    /// Returns the Ethernet interfaces, and the Wi-Fi ones if they are asked for, of the running system that no settings configure.
    ///
    /// - Parameters:
    ///   - settings: the settings in force.
    ///   - found: the VLANs, bridges and bonds are added to what is not imported: their makers would make them again.
    ///   - withWireless: true for the Wi-Fi interfaces, too.
    /// - Returns: the names.
    /// - Throws: the reason why the interfaces could not be listed.
    fileprivate func importableInterfaces(
        _ settings: LayeredSettings, _ found: inout ImportedSettings, withWireless: Bool = false
    ) throws(ResourceError) -> [String] {
        var names: [String] = []
        for name in try self.names(ofClass: "net")
        where name != "lo" && InterfaceSettings(name).hasPlainName && !InterfaceSettings.isSet(name, settings) {
            // ARPHRD_ETHER; a tunnel has another type.
            let type = try linkType(of: name)
            if type.flatMap({ VirtualLink(type: $0) }) != nil {
                let link = try VirtualLinkResource(name: name).link(on: self).map { " (\($0))" } ?? ""
                found.skip(
                    "the kernel",
                    "has \(name)\(link), which another program makes; it stays as it is, and settings cannot have its name"
                )
            } else if type == nil || withWireless && type == Self.wirelessType,
                try value(ofAttribute: "/sys/class/net/\(name)/type") == "1"
            {
                names.append(name)
            }
        }
        return names
    }
}

extension NetworkManagerAdapter: ImportingAdapter {
    /// Adds the interfaces that profiles of others configure.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        let profiles = try ConnectionProfile.all(on: system)
        let names =
            system.isRunning
            ? try system.importableInterfaces(settings, &found, withWireless: true)
            : Array(Set(profiles.compactMap { $0.value("connection", "interface-name") })).sortedByBytes().filter {
                InterfaceSettings($0).hasPlainName && !InterfaceSettings.isSet($0, settings)
            }
        for name in names {
            guard let owner = try ConnectionProfile.owner(of: name, among: profiles, on: system) else { continue }
            let (interface, obstacles) = owner.contents(for: InterfaceSettings(name))
            if !interface.wifi.isEmpty {
                // The settings found are shown, and a passphrase is not.
                found.skip(owner.path, "is for the Wi-Fi of \(name); take it over with: cleat adopt interface:\(name)")
                continue
            }
            if obstacles.isEmpty { interface.add(to: &found, from: owner.path) }
            for obstacle in obstacles {
                let key = String(obstacle.prefix { $0 != "=" })
                found.skip(
                    owner.lines[key].map { "\(owner.path):\($0)" } ?? owner.path,
                    "has \(obstacle), which settings cannot express; \(name) stays as \(owner.words) configures it")
            }
        }
    }
}

extension NetworkdAdapter: ImportingAdapter {
    /// Adds the interfaces that files of others configure.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        if system.isRunning {
            for name in try system.importableInterfaces(settings, &found) {
                if let file = try NetworkdFile.file(of: name, on: system) {
                    try add(file, name, to: &found, on: system)
                }
            }
            return
        }
        var taken: Set<String> = []
        var general: NetworkdFile?
        for file in try NetworkdFile.all(on: system) {
            guard let names = file.names else {
                general = general ?? file
                found.skip(
                    "\(file.path):1",
                    "matches by a pattern, or not by names; it stays, and init on the running board reads it")
                continue
            }
            for name in names where taken.insert(name).inserted && !InterfaceSettings.isSet(name, settings) {
                // The first file that matches counts.
                if let general {
                    found.skip("\(file.path):1", "is for \(name), which \(general.path) may be for, too; it stays")
                } else {
                    try add(file, name, to: &found, on: system)
                }
            }
        }
    }

    /// Adds the settings of an interface, or the obstacles.
    private func add(
        _ file: NetworkdFile, _ name: String, to found: inout ImportedSettings, on system: SystemResources
    ) throws(ResourceError) {
        let mtu = try system.value(ofAttribute: "/sys/class/net/\(name)/mtu")
        let (interface, unknown) = file.contents(for: name, hasUsualMTU: mtu == nil || mtu == "1500")
        var obstacles = unknown.map {
            ($0.line, $0.text.hasPrefix("has ") ? $0.text : "has \($0.text), which settings cannot express")
        }
        let own = file.path.split(separator: "/").last ?? ""
        if String(own).utf8.lexicographicallyPrecedes("\(NetworkdFile.prefix)\(name).network".utf8) {
            obstacles.append(
                (1, "sorts before \(NetworkdFile.prefix)\(name).network, so it would still be used; rename it"))
        }
        for directory in NetworkdFile.directories where try !system.paths("\(directory)/\(own).d/*.conf").isEmpty {
            obstacles.append((1, "has drop-ins in \(directory)/\(own).d, which are not read"))
        }
        if obstacles.isEmpty { interface.add(to: &found, from: file.path) }
        for (line, reason) in obstacles {
            found.skip("\(file.path):\(line)", "\(reason); \(name) stays as that file configures it")
        }
    }
}

extension IfupdownAdapter: ImportingAdapter {
    /// Adds the interfaces that the main file defines, and names those of other files, which ifupdown would read next to
    /// Cleat's own.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        let isRead = Self.readsDirectory(try system.text(of: Self.main) ?? "", asBusyBox: try Self.isBusyBox(system))
        for path in try definingFiles(on: system) {
            let file = InterfacesFile(try system.text(of: path) ?? "")
            var seen: Set<String> = ["lo"]
            for part in file.parts where part.words.count > 1 && part.words[0] == "iface" {
                let name = part.words[1]
                guard seen.insert(name).inserted, !InterfaceSettings.isSet(name, settings) else { continue }
                var (interface, obstacles) = file.contents(for: name)
                if !isRead {
                    obstacles = [
                        (
                            part.lines[0] + 1,
                            "has no line “source-directory \(Self.directory)”, which Cleat's file needs"
                        )
                    ]
                } else if path != Self.main {
                    obstacles = [(part.lines[0] + 1, "defines it in a file of its own: move its lines to \(Self.main)")]
                } else if !interface.hasPlainName {
                    obstacles = [(part.lines[0] + 1, "has a pattern, or a name that settings cannot express")]
                }
                if obstacles.isEmpty { interface.add(to: &found, from: "\(path):\(part.lines[0] + 1)") }
                for (line, text) in obstacles {
                    found.skip("\(path):\(line)", "\(text); \(name) stays as that file configures it")
                }
            }
        }
    }
}

extension InterfacesAdapter: ImportingAdapter {
    /// Adds the addresses, gateways and routes of interfaces as the kernel has them, and the name servers.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        var first: InterfaceSettings?
        var interfaces: [InterfaceSettings] = []
        for name in try system.importableInterfaces(settings, &found) {
            guard let present = try system.interface(name), present.isUp, !present.addresses.isEmpty else { continue }
            let isPlain = present.addresses.allSatisfy { address in
                address.isPlain && address.address.map { KernelAddress($0, of: name).isSame(as: address) } ?? false
            }
            let routes = present.routes.compactMap(\.plainSetting)
            guard isPlain, routes.count == present.routes.count, !present.routes.contains(where: \.isByDHCP) else {
                found.skip(
                    "the kernel",
                    "has an address or a route of \(name) that settings cannot express, or that another program leases; it stays"
                )
                continue
            }
            var interface = InterfaceSettings(name)
            interface.ip.addresses = present.addresses.compactMap(\.address)
            if present.mtu != 1500 { interface.mtu = present.mtu }
            for route in routes {
                interface.take(route.destination.prefix == 0 ? nil : route.destination, route.gateway, route.metric)
            }
            interfaces.append(interface)
            if first == nil || first?.ip.gateway == nil && interface.ip.gateway != nil { first = interface }
        }
        for interface in interfaces { interface.add(to: &found, from: "the kernel") }
        guard let first, try system.linkTarget(of: "/etc/resolv.conf") == nil else { return }
        var (servers, domains): ([JSONValue], [JSONValue]) = ([], [])
        let path = "/etc/resolv.conf"
        let text = try system.text(of: path) ?? ""
        if text.hasPrefix(WrittenByCleat.mark) { return }
        for (number, line) in text.numberedLines {
            let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let key = words.first, !key.hasPrefix("#"), !key.hasPrefix(";") else { continue }
            switch key {
            case "nameserver" where words.count == 2 && InternetAddress(words[1]) != nil:
                servers.append(.string(words[1]))
            case "search" where words.count > 1: domains = words.dropFirst().map { .string($0) }
            default:
                return found.skip("\(path):\(number)", "has “\(key)”, which settings cannot express; the file stays")
            }
        }
        let base = try? Self.interfaces.appending(first.name)
        if !servers.isEmpty { found.add(try? base?.appending("dns"), .array(servers), from: path) }
        if !domains.isEmpty { found.add(try? base?.appending("search"), .array(domains), from: path) }
    }

    private static var interfaces: SettingPath { InterfaceSettings.path }
}
