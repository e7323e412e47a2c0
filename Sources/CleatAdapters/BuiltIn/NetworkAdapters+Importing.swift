internal import CleatIO
internal import CleatJSON
package import CleatSettings

extension SystemResources {
    /// Returns the Ethernet interfaces of the running system that no settings configure.
    ///
    /// - Throws: the reason why the interfaces could not be listed.
    fileprivate func importableInterfaces(_ settings: LayeredSettings) throws(ResourceError) -> [String] {
        var names: [String] = []
        for name in try self.names(ofClass: "net")
        where name != "lo" && InterfaceSettings(name).hasPlainName && !InterfaceSettings.isSet(name, settings) {
            if try linkType(of: name) == nil { names.append(name) }
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
            ? try system.importableInterfaces(settings)
            : Array(Set(profiles.compactMap { $0.value("connection", "interface-name") })).sortedByBytes().filter {
                InterfaceSettings($0).hasPlainName && !InterfaceSettings.isSet($0, settings)
            }
        for name in names {
            guard let owner = try ConnectionProfile.owner(of: name, among: profiles, on: system) else { continue }
            let (interface, obstacles) = owner.contents(for: InterfaceSettings(name))
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
        var files: [(name: String, file: NetworkdFile)] = []
        if system.isRunning {
            for name in try system.importableInterfaces(settings) {
                if let file = try NetworkdFile.file(of: name, on: system) { files.append((name, file)) }
            }
        } else {
            for file in try NetworkdFile.all(on: system) {
                for name in file.names
                where !files.contains(where: { $0.name == name }) && !InterfaceSettings.isSet(name, settings) {
                    files.append((name, file))
                }
            }
        }
        for (name, file) in files {
            var obstacles = file.contents(for: name).obstacles.map {
                ($0.line, "has \($0.text), which settings cannot express")
            }
            let own = file.path.split(separator: "/").last ?? ""
            if String(own).utf8.lexicographicallyPrecedes("\(NetworkdFile.prefix)\(name).network".utf8) {
                obstacles.append(
                    (1, "sorts before \(NetworkdFile.prefix)\(name).network, so it would still be used; rename it"))
            }
            let dropIns =
                try system.paths("\(file.path).d/*.conf") + system.paths("/etc/systemd/network/\(own).d/*.conf")
            if !dropIns.isEmpty {
                obstacles.append((1, "has drop-ins, which are not read"))
            }
            if obstacles.isEmpty { file.contents(for: name).0.add(to: &found, from: file.path) }
            for (line, reason) in obstacles {
                found.skip("\(file.path):\(line)", "\(reason); \(name) stays as that file configures it")
            }
        }
    }
}

extension IfupdownAdapter: ImportingAdapter {
    /// Names the interfaces that other files define: ifupdown has no order of files by which Cleat's own would count.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        for path in try definingFiles(on: system) {
            let text = try system.text(of: path) ?? ""
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                let words = line.split { $0 == " " || $0 == "\t" }
                guard words.count > 1, words[0] == "iface", words[1] != "lo",
                    !InterfaceSettings.isSet(String(words[1]), settings)
                else { continue }
                found.skip(
                    "\(path):\(index + 1)",
                    "defines \(words[1]), which ifupdown would not take from Cleat next to that; to set it, remove its "
                        + "lines, and set network/interfaces/\(words[1]) on trial")
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
        for name in try system.importableInterfaces(settings) {
            guard let present = try system.interface(name), present.isUp, !present.addresses.isEmpty else { continue }
            guard !present.isLeased else {
                found.skip("the kernel", "has an address of \(name) for a limited time; another program leases it")
                continue
            }
            var interface = InterfaceSettings(name)
            interface.addresses = present.addresses.compactMap(\.address)
            for (key, value) in present.liveValues where key == "gateway" || key == "routes" {
                if key == "gateway" { interface.gateway = value.stringValue.flatMap { InternetAddress($0) } }
                if key == "routes" { interface.routes = value.arrayValue?.compactMap { InterfaceRoute($0) } }
            }
            interfaces.append(interface)
            if first == nil || first?.gateway == nil && interface.gateway != nil { first = interface }
        }
        for interface in interfaces { interface.add(to: &found, from: "the kernel") }
        guard let first, try system.linkTarget(of: "/etc/resolv.conf") == nil else { return }
        var (servers, domains): ([JSONValue], [JSONValue]) = ([], [])
        let path = "/etc/resolv.conf"
        for (index, line) in (try system.text(of: path) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let key = words.first, !key.hasPrefix("#"), !key.hasPrefix(";") else { continue }
            switch key {
            case "nameserver" where words.count == 2 && InternetAddress(words[1]) != nil:
                servers.append(.string(words[1]))
            case "search" where words.count > 1: domains = words.dropFirst().map { .string($0) }
            default:
                return found.skip("\(path):\(index + 1)", "has “\(key)”, which settings cannot express; the file stays")
            }
        }
        let base = try? Self.interfaces.appending(first.name)
        if !servers.isEmpty { found.add(try? base?.appending("dns"), .array(servers), from: path) }
        if !domains.isEmpty { found.add(try? base?.appending("search"), .array(domains), from: path) }
    }

    private static var interfaces: SettingPath { InterfaceSettings.path }
}
