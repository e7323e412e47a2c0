internal import CleatSettings

extension InterfacesFile {
    /// Options that do not change what the kernel shows, or follow from others.
    private static let neutral: Set<String> = ["broadcast", "network"]

    /// Returns the settings that say the same as the parts of an interface.
    ///
    /// - Returns: the settings, and what they cannot express, each with the number of its line: `has the option “up”`.
    func contents(for name: String) -> (InterfaceSettings, obstacles: [(line: Int, text: String)]) {
        var found = InterfaceSettings(name)
        var obstacles: [(line: Int, text: String)] = []
        let own = parts(for: name)
        func refuse(_ line: Int, _ text: String) { obstacles.append((line + 1, text)) }
        found.ip.dhcp = false
        if !own.contains(where: \.isStart) {
            refuse(own.first?.lines.first ?? 0, "does not start \(name) at boot (auto)")
        }
        for part in parts {
            let isRelated =
                part.words[0] == "mapping" || part.words.dropFirst().first?.hasPrefix("\(name):") == true
                || part.words.count > 3 && part.words.dropLast().last == "inherits" && part.words.last == name
            if isRelated {
                refuse(part.lines[0], "has “\(part.words.joined(separator: " "))”, which depends on \(name)")
            }
        }
        for part in own {
            let line = part.lines[0]
            if part.isStart { continue }
            let method = part.words.dropFirst(2).joined(separator: " ")
            switch method {
            case "inet dhcp": found.ip.dhcp = true
            case "inet static", "inet6 static", "inet manual", "inet6 manual": break
            case "inet6 auto": found.ip.ipv6 = .automatic
            default: refuse(line, "has “\(method)”, which settings cannot express")
            }
            var (address, prefix): (String?, String?)
            for option in part.options {
                let value = option.words.dropFirst().joined(separator: " ")
                switch (option.words[0], method.hasSuffix("static")) {
                case ("address", true) where address == nil: address = value
                case ("netmask", true): prefix = value
                case ("gateway", true):
                    if let gateway = InternetAddress(value), found.ip.gateway == nil {
                        found.ip.gateway = gateway
                    } else {
                        refuse(option.line, "has a gateway that settings cannot express")
                    }
                case ("mtu", _): found.mtu = UInt32(value)
                case ("dns-nameservers", _):
                    let servers = option.words.dropFirst().compactMap { InternetAddress($0) }
                    if servers.count != option.words.count - 1 {
                        refuse(option.line, "has a name server that is no address")
                    }
                    found.resolver.dns = (found.resolver.dns ?? []) + servers
                case ("dns-search", _), ("dns-domain", _):
                    found.resolver.search =
                        (found.resolver.search ?? [])
                        + option.words.dropFirst().filter { found.resolver.search?.contains($0) != true }
                case (let key, _) where Self.neutral.contains(key): break
                case (let key, _): refuse(option.line, "has the option “\(key)”, which settings cannot express")
                }
            }
            guard let address else {
                if method.hasSuffix("static") { refuse(line, "has no address") }
                continue
            }
            if let whole = InterfaceAddress(Self.whole(address, prefix)) {
                found.ip.addresses = (found.ip.addresses ?? []) + [whole]
            } else {
                refuse(line, "has an address that is not valid")
            }
        }
        return (found, obstacles)
    }

    /// Returns an address with its prefix length, which may also be a netmask of an option of its own.
    private static func whole(_ address: String, _ mask: String?) -> String {
        guard !address.utf8.contains(UInt8(ascii: "/")), let mask else { return address }
        guard case .v4(let bits)? = InternetAddress(mask) else { return "\(address)/\(mask)" }
        // A mask that is not a prefix is no length.
        let length = (~bits).leadingZeroBitCount
        return length == 32 || bits << length == 0 ? "\(address)/\(length)" : "\(address)/invalid"
    }
}
