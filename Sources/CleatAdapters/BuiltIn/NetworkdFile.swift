internal import CleatIO
internal import CleatJSON
internal import CleatSettings

/// A file of systemd-networkd that Cleat has not written (systemd.network(5)).
struct NetworkdFile {
    /// The directories with such files, by their precedence.
    static let directories = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { $0 + "/systemd/network" }
    /// The sections that a file has once; an empty value resets a key of all of them.
    private static let single = ["Match", "Link", "Network", "DHCP", "DHCPv4", "DHCPv6", "IPv6AcceptRA", "Time"]
    /// The prefix of the names of Cleat's own files.
    static let prefix = "10-cleat-"
    /// The largest number of lines that are read.
    private static let limit = 16_384

    /// One assignment, with the number of its line and of its section.
    struct Entry {
        let section: String
        /// The sections of a file are numbered, as several can have one name.
        let part: Int
        let key: String
        let value: String
        let line: Int
    }

    /// The path of the file.
    let path: String
    /// The assignments in their order; an empty value, which resets a list, has removed the former ones.
    private(set) var entries: [Entry] = []
    /// The reason why the file cannot be read whole; nil if it can.
    private(set) var fault: String?

    /// Reads a file from its text.
    init(path: String, text: String) {
        self.path = path
        var (section, part) = ("", 0)
        for (number, line) in text.numberedLines {
            guard number <= Self.limit else {
                fault = "has more than \(Self.limit) lines"
                break
            }
            let line = Substring(line.trimmed)
            guard let first = line.first, first != "#", first != ";" else { continue }
            if line.last == "\\" { fault = "has a line that is continued on the next one" }
            if first == "[" {
                section = String(line.dropFirst().prefix { $0 != "]" })
                part += 1
            } else if let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].trimmed
                let value = line[line.index(after: equals)...].trimmed
                if value.isEmpty {
                    let isSingle = Self.single.contains(section)
                    entries.removeAll { $0.section == section && $0.key == key && (isSingle || $0.part == part) }
                    continue
                }
                entries.append(Entry(section: section, part: part, key: key, value: value, line: number))
            }
        }
        if entries.isEmpty { fault = fault ?? "has no assignments" }
    }

    /// Returns the values of a key.
    private func values(_ section: String, _ key: String) -> [String] {
        entries.filter { $0.section == section && $0.key == key }.map(\.value)
    }

    /// The interfaces that the file names; nil if it matches by a pattern, or by anything but names.
    var names: [String]? {
        let words = values("Match", "Name").flatMap { $0.split(separator: " ").map(String.init) }
        guard !words.isEmpty, entries.allSatisfy({ $0.section != "Match" || $0.key == "Name" }),
            words.allSatisfy({ InterfaceSettings($0).hasPlainName })
        else { return nil }
        return words
    }

    /// Returns what systemd-networkd publishes of an interface, by its words; nil if it does not know the interface.
    static func state(
        of interface: String, on system: SystemResources
    ) throws(ResourceError) -> [String: String]? {
        guard let index = try system.value(ofAttribute: "/sys/class/net/\(interface)/ifindex"),
            let text = try system.text(of: "/run/systemd/netif/links/\(index)")
        else { return nil }
        return values(text)
    }

    /// Returns the values of a file of systemd's state, by their words.
    static func values(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "\n").map { line in
            (String(line.prefix { $0 != "=" }), String(line.drop { $0 != "=" }.dropFirst()))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Returns name servers and search domains of such values as settings express them.
    static func resolver(
        _ values: [String: String], _ servers: String, _ domains: String
    ) -> [(key: String, value: JSONValue)] {
        [("dns", servers), ("search", domains)].compactMap { key, word in
            values[word].map { value in
                (key, .array(value.split(separator: " ").map { .string(String($0)) }))
            }
        }
    }

    /// Returns the file by which systemd-networkd configures an interface; nil if it is none, or Cleat's own.
    ///
    /// - Throws: the reason why it could not be read.
    static func file(of interface: String, on system: SystemResources) throws(ResourceError) -> NetworkdFile? {
        guard let path = try state(of: interface, on: system)?["NETWORK_FILE"],
            let name = path.split(separator: "/").last, !name.hasPrefix(prefix), let text = try system.text(of: path)
        else { return nil }
        return NetworkdFile(path: path, text: text)
    }

    /// Returns the files that name interfaces, for a system that does not run; the first one of an interface counts.
    ///
    /// - Throws: the reason why one could not be read.
    static func all(on system: SystemResources) throws(ResourceError) -> [NetworkdFile] {
        var paths: [String: String] = [:]
        for directory in directories {
            for path in try system.paths("\(directory)/*.network") {
                let name = String(path.split(separator: "/").last ?? "")
                if paths[name] == nil { paths[name] = path }
            }
        }
        var files: [NetworkdFile] = []
        for name in Array(paths.keys).sortedByBytes() where !name.hasPrefix(prefix) {
            guard let path = paths[name], let text = try system.text(of: path) else { continue }
            files.append(NetworkdFile(path: path, text: text))
        }
        return files
    }

    /// Returns the file as settings of an interface, and the assignments that settings cannot express.
    ///
    /// - Parameters:
    ///   - interface: the interface's name.
    ///   - hasUsualMTU: true unless the interface has another MTU than Ethernet's 1500.
    /// - Returns: the settings, and the assignments.
    func contents(
        for interface: String, hasUsualMTU: Bool = true
    ) -> (InterfaceSettings, obstacles: [(line: Int, text: String)]) {
        var found = InterfaceSettings(interface)
        var obstacles: [(line: Int, text: String)] = []
        var routes: [Int: (destination: InterfaceAddress?, gateway: InternetAddress?, metric: UInt32?)] = [:]
        var (hasLinkLocal, accepts): (Bool, Bool?) = (true, nil)
        // The sections that have the metric, of which [DHCP] stands for both.
        var ranked: [(section: String, line: Int)] = []
        if let fault { obstacles.append((1, fault)) }
        found.ip.dhcp = false
        for entry in entries where entry.section != "Match" {
            let value = entry.value
            var isTaken = true
            func isTrue() -> Bool? {
                [
                    "yes": true, "true": true, "1": true, "on": true, "no": false, "false": false, "0": false,
                    "off": false,
                ][value.lowercased()]
            }
            switch (entry.section, entry.key) {
            case ("Link", "MTUBytes"):
                found.mtu = UInt32(value)
                isTaken = found.mtu != nil
            case ("Network", "Description"), ("Network", "LLDP"): break
            case ("Network", "DHCP"):
                switch value.lowercased() {
                // Router advertisements start a client of DHCPv6 in both cases.
                case "yes", "true", "ipv4": found.ip.dhcp = true
                case "no", "false": found.ip.dhcp = false
                default: isTaken = false
                }
            case ("Network", "Address"), ("Address", "Address"):
                // An address of zeros stands for one of a pool.
                let address = InterfaceAddress(value).flatMap { $0.address.bytes.contains { $0 != 0 } ? $0 : nil }
                isTaken = address != nil
                if let address { found.ip.addresses = (found.ip.addresses ?? []) + [address] }
            case ("Network", "Gateway"):
                let gateway = InternetAddress(value)
                isTaken = gateway != nil && found.ip.gateway == nil
                if isTaken { found.ip.gateway = gateway }
            case ("Network", "DNS"):
                for word in value.split(separator: " ") {
                    guard let server = InternetAddress(word) else {
                        isTaken = false
                        continue
                    }
                    found.resolver.dns = (found.resolver.dns ?? []) + [server]
                }
            case ("Network", "Domains"):
                let words = value.split(separator: " ").map(String.init)
                isTaken = !words.contains { $0.hasPrefix("~") }
                if isTaken { found.resolver.search = (found.resolver.search ?? []) + words }
            case ("Network", "LinkLocalAddressing"):
                hasLinkLocal = value.lowercased() == "ipv6"
                isTaken = hasLinkLocal || isTrue() == false
            case ("Network", "IPv6AcceptRA"):
                accepts = isTrue()
                isTaken = accepts != nil
            case ("Network", "IPv6PrivacyExtensions"):
                found.ip.privacy = isTrue()
                isTaken = found.ip.privacy != nil
            case ("DHCPv4", "RouteMetric"), ("DHCP", "RouteMetric"), ("IPv6AcceptRA", "RouteMetric"),
                ("DHCPv6", "RouteMetric"):
                let metric = UInt32(value)
                isTaken = metric != nil && (found.ip.metric == nil || found.ip.metric == metric)
                if isTaken { found.ip.metric = metric }
                ranked.append((entry.section, entry.line))
            // netplan writes it always; it has an effect only if the server sends an MTU.
            case ("DHCPv4", "UseMTU"), ("DHCP", "UseMTU"): isTaken = isTrue() == false || hasUsualMTU
            case ("Route", "Destination"):
                let network: InterfaceAddress? =
                    value == "default"
                    ? nil
                    : InterfaceAddress(value)
                        ?? InterfaceAddress(value + (value.utf8.contains(UInt8(ascii: ":")) ? "/128" : "/32"))
                isTaken = value == "default" || network != nil
                routes[entry.part, default: (nil, nil, nil)].destination = network
            case ("Route", "Gateway"):
                let gateway = InternetAddress(value)
                isTaken = gateway != nil
                routes[entry.part, default: (nil, nil, nil)].gateway = gateway
            case ("Route", "Metric"):
                let metric = UInt32(value)
                isTaken = metric != nil
                routes[entry.part, default: (nil, nil, nil)].metric = metric
            case ("Route", "Scope"): isTaken = value == "link"
            default: isTaken = false
            }
            // The value may be a secret.
            if !isTaken { obstacles.append((entry.line, "\(entry.key)= in [\(entry.section)]")) }
        }
        for part in entries.map(\.part) {
            guard let route = routes.removeValue(forKey: part) else { continue }
            found.take(route.destination, route.gateway, route.metric)
        }
        if let first = ranked.first, !ranked.contains(where: { $0.section == "DHCP" }) {
            let both = ["DHCPv4", "IPv6AcceptRA"].allSatisfy { name in ranked.contains { $0.section == name } }
            if !both, accepts != false || first.section != "DHCPv4" {
                obstacles.append((first.line, "a RouteMetric= of one family only"))
            }
        }
        // The metric would be that of the gateway, too.
        if let first = ranked.first, found.ip.gateway != nil {
            obstacles.append((first.line, "RouteMetric= next to a gateway"))
        }
        switch (hasLinkLocal, accepts) {
        case (false, false?): found.ip.ipv6 = .off
        case (true, false?): found.ip.ipv6 = .fixed
        case (true, true?): found.ip.ipv6 = .automatic
        case (true, nil): break
        case (false, _): obstacles.append((1, "LinkLocalAddressing= without IPv6AcceptRA=no"))
        }
        return (found, obstacles)
    }
}

extension InterfaceSettings {
    /// Adds a route: as the gateway if it is a default route without a metric, and the first one.
    mutating func take(_ destination: InterfaceAddress?, _ gateway: InternetAddress?, _ metric: UInt32?) {
        let isDefault = destination.map { $0.prefix == 0 } ?? true
        if isDefault, metric == nil, let gateway, ip.gateway == nil {
            ip.gateway = gateway
            return
        }
        guard let network = destination ?? gateway.map({ InterfaceAddress($0, prefix: 0).network }) else { return }
        ip.routes = (ip.routes ?? []) + [InterfaceRoute(network, gateway: gateway, metric: metric)]
    }
}

extension Substring {
    /// The text without white space at both ends.
    var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
